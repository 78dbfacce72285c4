package queue

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/policies"
)

// ballsView shows the balls in each bin.
type ballsView struct {
	fleetView
	held []int
}

func (v *ballsView) Load(i int) (float64, bool) { return float64(v.held[i]), true }

// BallsIntoBins are balls that are thrown one after another: a policy picks the
// bin and sees how many balls each bin holds.
type BallsIntoBins struct {
	Bins, Balls int

	// Watch is told now and then how many balls were thrown. An error of its ends
	// the run. Nil: nobody is told.
	Watch func(balls int) error
}

// Check says what is wrong with the numbers.
func (b BallsIntoBins) Check() error {
	if b.Bins < 1 || b.Balls < 0 {
		return fmt.Errorf("queue: %d balls into %d bins, want no negative number and at least 1 bin", b.Balls, b.Bins)
	}
	return nil
}

// Run returns the number of balls in each bin.
func (b BallsIntoBins) Run(p policies.Policy, c policies.Coins) ([]int, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	return b.run(policies.Fleet(b.Bins), p, c)
}

// run throws the balls into bins that have names already: to name a million
// takes as long as to throw a million balls.
func (b BallsIntoBins) run(bins []policies.Server, p policies.Policy, c policies.Coins) ([]int, error) {
	if err := policies.Check(p); err != nil {
		return nil, err
	}
	v := &ballsView{fleetView{fleet: bins}, make([]int, b.Bins)}
	policies.Join(p, v.fleet)
	for ball := range b.Balls {
		if b.Watch != nil && ball%watchEvery == 0 {
			if err := b.Watch(ball); err != nil {
				return nil, err
			}
		}
		i := p.Pick(policies.Request{}, v, c)
		if i < 0 || i >= b.Bins {
			return nil, fmt.Errorf("queue: the policy picked bin %d for ball %d, want 0 to %d", i, ball+1, b.Bins-1)
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

	// Watch is told now and then how many balancers have decided. An error of its
	// ends the run. Nil: nobody is told.
	Watch func(balancers int) error
}

// Check says what is wrong with the herd or its snapshot.
func (h Herd) Check() error {
	if len(h.Loads) == 0 || h.Balancers < 1 {
		return fmt.Errorf("queue: a herd of %d balancers over %d servers, want at least 1 of each", h.Balancers, len(h.Loads))
	}
	for i, load := range h.Loads {
		if !(load >= 0) || math.IsInf(load, 1) {
			return fmt.Errorf("queue: load %v of server %d, want a finite number, 0 or more", load, i)
		}
	}
	return nil
}

// Run returns how many of the balancers picked each server. Each has a policy of
// its own and coins of its own, unless they share the seed.
func (h Herd) Run(newPolicy func() policies.Policy, seed uint64) ([]int, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	picks := make([]int, len(h.Loads))
	coins := NewPCG(seed, "herd")
	view := &policies.Snapshot{Servers: policies.Fleet(len(h.Loads)), Loads: h.Loads}
	for b := range h.Balancers {
		if h.Watch != nil && b%watchEvery == 0 {
			if err := h.Watch(b); err != nil {
				return nil, err
			}
		}
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
