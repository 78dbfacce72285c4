//go:build !mutants

package policies

import (
	"errors"
	"fmt"
	"time"
)

// ErrReleased is what a second Release of the same lease returns, wrapped.
var ErrReleased = errors.New("policies: the lease has ended already")

// A Lease is one request in flight at a server. It ends exactly once, by
// Release.
type Lease struct {
	balancer *Balancer
	member   *member
	server   Server
	from     time.Duration
	ended    bool // under the mutex of the balancer
}

// Server is the server that was picked, as it was then.
func (l *Lease) Server() Server { return l.server }

// Release ends the lease with the verdict of its outcome. The balancer fills in
// the time and the latency by its own clock, and tells a policy that learns,
// unless the request was canceled or its server has left the fleet.
//
// A second release is an error and changes nothing. When the policy panics over
// the outcome, that is an error too, but the lease has ended.
func (l *Lease) Release(o Outcome) error {
	b := l.balancer
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.ended {
		return fmt.Errorf("%w: server %q", ErrReleased, l.server.Name)
	}
	l.ended = true
	l.member.inFlight--
	b.open--
	if o.Canceled || l.member.removed {
		return nil
	}
	o.At = b.now()
	o.Latency = o.At - l.from
	b.advance(o.At)
	b.judge(l.member, o.Failed, o.At)
	if learner, ok := b.policy.(Learner); ok {
		return contain("Observe", learner, func(Policy) { learner.Observe(l.member.ID, o) })
	}
	return nil
}
