//go:build !mutants

package policies

import (
	"fmt"
	"slices"
	"sort"
	"time"
)

// look fills the view of the balancer for a request: who is eligible and has not
// been tried.
func (b *Balancer) look(q Request) {
	b.view.now = b.now()
	b.advance(b.view.now)
	b.view.servers = b.eligible
	if len(q.Tried) > 0 {
		b.tried = b.tried[:0]
		for _, m := range b.eligible {
			if !slices.Contains(q.Tried, m.ID) {
				b.tried = append(b.tried, m)
			}
		}
		b.view.servers = b.tried
	}
}

// pick asks the policy for a server of the view and distrusts the answer.
func (b *Balancer) pick(q Request) (*member, error) {
	n := len(b.view.servers)
	if n == 0 {
		return nil, fmt.Errorf("%w: of %d servers, %d are eligible and %d have been tried", ErrNoServer, len(b.members), len(b.eligible), len(q.Tried))
	}
	i, err := None, error(nil)
	if err = contain("Pick", b.policy, func(p Policy) { i = p.Pick(q, &b.view, b.coins) }); err != nil {
		return nil, err
	}
	if i < 0 || i >= n {
		return nil, fmt.Errorf("policies: %T picked server %d of %d, want 0 to %d", b.policy, i, n, n-1)
	}
	return b.view.servers[i], nil
}

// contain calls a policy and turns a panic into an error.
func contain(doing string, p Policy, call func(Policy)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("policies: %T panicked in %s: %v", p, doing, r)
		}
	}()
	call(p)
	return nil
}

// fleetView is the View of a balancer at one pick.
type fleetView struct {
	now     time.Duration
	servers []*member // in increasing order of ids
}

func (v *fleetView) Now() time.Duration { return v.now }

func (v *fleetView) Len() int { return len(v.servers) }

func (v *fleetView) Server(i int) Server { return v.servers[i].Server }

func (v *fleetView) Load(i int) (load float64, known bool) {
	return float64(v.servers[i].inFlight), true
}

func (v *fleetView) Index(id ServerID) int {
	i := sort.Search(len(v.servers), func(i int) bool { return v.servers[i].ID >= id })
	if i < len(v.servers) && v.servers[i].ID == id {
		return i
	}
	return -1
}
