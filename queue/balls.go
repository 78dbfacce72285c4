package queue

import (
	"fmt"

	"github.com/picklaw/picklaw/policies"
)

// ballsView shows the balls in each bin.
type ballsView struct {
	fleetView
	held []int
}

func (v *ballsView) Load(i int) (float64, bool) { return float64(v.held[i]), true }

// Balls throws balls into bins, one after another: a policy picks the bin and
// sees how many balls each bin holds. It returns the number of balls in each.
func Balls(bins, balls int, p policies.Policy, c policies.Coins) ([]int, error) {
	if bins < 1 || balls < 0 {
		return nil, fmt.Errorf("queue: %d balls into %d bins, want no negative number and at least 1 bin", balls, bins)
	}
	if err := policies.Check(p); err != nil {
		return nil, err
	}
	v := &ballsView{fleetView{fleet: policies.Fleet(bins)}, make([]int, bins)}
	policies.Join(p, v.fleet)
	for ball := range balls {
		i := p.Pick(policies.Request{}, v, c)
		if i < 0 || i >= bins {
			return nil, fmt.Errorf("queue: the policy picked bin %d for ball %d, want 0 to %d", i, ball+1, bins-1)
		}
		v.held[i]++
	}
	return v.held, nil
}

// A Herd is a number of balancers that decide at once, each for one request,
// from the same snapshot of the loads. None sees what the others decide.
type Herd struct {
	Loads      []float64 // of each server, in the snapshot
	Balancers  int       // how many
	SharedSeed bool      // all balancers throw the same coins, so they decide alike
}

// Run returns how many of the balancers picked each server. Each has a policy of
// its own and coins of its own, unless they share the seed.
func (h Herd) Run(newPolicy func() policies.Policy, seed uint64) ([]int, error) {
	if len(h.Loads) == 0 || h.Balancers < 1 {
		return nil, fmt.Errorf("queue: a herd of %d balancers over %d servers, want at least 1 of each", h.Balancers, len(h.Loads))
	}
	picks := make([]int, len(h.Loads))
	coins := NewPCG(seed, "herd")
	view := &policies.Snapshot{Servers: policies.Fleet(len(h.Loads)), Loads: h.Loads}
	for b := range h.Balancers {
		if h.SharedSeed {
			coins = NewPCG(seed, "herd")
		}
		p := newPolicy()
		if err := policies.Check(p); err != nil {
			return nil, err
		}
		policies.Join(p, view.Servers)
		i := p.Pick(policies.Request{}, view, coins)
		if i < 0 || i >= len(picks) {
			return nil, fmt.Errorf("queue: balancer %d picked server %d, want 0 to %d", b, i, len(picks)-1)
		}
		picks[i]++
	}
	return picks, nil
}
