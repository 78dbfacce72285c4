//go:build !mutants

package policies

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

// ErrNoServer is what Acquire returns, wrapped, when no server can be leased.
var ErrNoServer = errors.New("policies: no server is eligible")

// A Balancer leases servers out to concurrent callers, as a policy chooses.
//
// It keeps what the policy sees: who is eligible, how many requests each server
// has in flight, and the time. A request counts from the pick on until its lease
// ends. All of this moves under one mutex, so every pick sees exactly the open
// leases. The only clock is the standard library's.
type Balancer struct {
	mu     sync.Mutex
	policy Policy
	coins  Coins
	epoch  time.Time

	members []*member // the fleet, in increasing order of ids
	nextID  ServerID
	open    int // leases that have not ended, those of removed servers included

	outlier     *Outlier
	slow        SlowStart
	eligible    []*member     // until something changes
	nextReturn  time.Duration // when the next ejection ends
	nextVerdict time.Duration // when the interval ends
	warm        time.Duration // when all that are eligible have warmed up

	// Room for one pick.
	view  fleetView
	tried []*member // eligible without those that have been tried
	shown []*member // in view without those that slow start hides
	odds  [2]uint64
}

// A member is a server of the fleet with its state. Leases hold the member
// itself: one that has left the fleet just keeps counting down.
type member struct {
	Server
	inFlight int
	removed  bool
	health
}

// An Option changes how a Balancer works.
type Option func(*Balancer)

// WithCoins sets the source of chance, which nobody else may use from then on.
// Without it, a Balancer seeds its own from the operating system, so that no two
// of them pick alike.
func WithCoins(c Coins) Option { return func(b *Balancer) { b.coins = c } }

// NewBalancer returns a balancer over the servers. It works on a copy of a
// Stateful policy, so that balancers never share a cursor; any other policy is
// its own from now on. The error names what is wrong with the servers, the
// policy or an option.
func NewBalancer(p Policy, servers []Endpoint, options ...Option) (*Balancer, error) {
	if err := Check(p); err != nil {
		return nil, err
	}
	b := &Balancer{policy: p, epoch: time.Now()}
	for _, option := range options {
		option(b)
	}
	if b.coins == nil {
		var seed [8]byte
		rand.Read(seed[:]) // never fails
		b.coins = NewCoins(binary.LittleEndian.Uint64(seed[:]))
	}
	if b.outlier != nil {
		if err := b.outlier.Check(); err != nil {
			return nil, err
		}
	}
	if err := b.slow.Check(); err != nil {
		return nil, err
	}
	if err := b.Update(servers); err != nil {
		return nil, err
	}
	return b, nil
}

// Acquire picks a server and counts the request as in flight there until the
// lease is released. It never waits. It fails when the context is done, when no
// server is eligible that has not been tried, or when the policy misbehaves; then
// nothing has been counted.
func (b *Balancer) Acquire(ctx context.Context, q Request) (*Lease, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.look(q)
	b.thin()
	m, err := b.pick(q)
	if err != nil {
		return nil, err
	}
	m.inFlight++
	b.open++
	return &Lease{balancer: b, member: m, server: m.Server, from: b.view.now}, nil
}

// Do calls a function with a server that is leased for as long as the call
// takes, whichever way it ends: by returning, by a panic, or by ending the
// goroutine. An error of the function fails the request, and so does a panic;
// if the context was canceled, though, there is no verdict.
//
// Do returns the error of the function as it is.
func (b *Balancer) Do(ctx context.Context, q Request, call func(context.Context, Server) error) (err error) {
	lease, err := b.Acquire(ctx, q)
	if err != nil {
		return err
	}
	outcome := Outcome{Failed: true} // unless the call returns
	defer func() {
		if e := lease.Release(outcome); err == nil {
			err = e
		}
	}()
	err = call(ctx, lease.Server())
	outcome = verdict(ctx, err)
	return err
}

// verdict is the outcome of a call that returned. A deadline that passed is a
// failure of the server; a cancellation says nothing of it.
func verdict(ctx context.Context, err error) Outcome {
	canceled := err != nil && errors.Is(ctx.Err(), context.Canceled)
	return Outcome{Failed: err != nil && !canceled, Canceled: canceled}
}

// InFlight returns the number of open leases of each server of the fleet.
func (b *Balancer) InFlight() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := make(map[string]int, len(b.members))
	for _, m := range b.members {
		counts[m.Name] = m.inFlight
	}
	return counts
}

// Open returns the number of open leases, those of removed servers included.
func (b *Balancer) Open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// Snapshot returns what the policy would see if a request came now, servers that
// are warming up included.
func (b *Balancer) Snapshot() *Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.look(Request{})
	s := &Snapshot{At: b.view.now}
	for _, m := range b.view.servers {
		s.Servers = append(s.Servers, m.Server)
		s.Loads = append(s.Loads, float64(m.inFlight))
	}
	return s
}

// now is the time since the balancer was made. It is monotonic.
func (b *Balancer) now() time.Duration { return time.Since(b.epoch) }
