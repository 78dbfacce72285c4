package oracle

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// WeightedRoundRobin is the rotation of an earliest-deadline-first schedule that
// starts at a random point of its cycle. In each unit of a virtual time a server
// of weight w is due w times, at
//
//	1/2w, 3/2w, 5/2w, ...
//
// and picks follow in that order, the lower index first at the same moment. With
// the quotas of an election for weights this is Webster's method (1832), seat by
// seat; with equal weights it is RoundRobin.
type WeightedRoundRobin struct{}

// String is "weighted-round-robin".
func (WeightedRoundRobin) String() string { return "weighted-round-robin" }

// Probabilities takes every point of the cycle that explains the history to be
// equally likely, as SmoothWeighted does. It fails when the cycle is longer than
// LongestCycle.
func (WeightedRoundRobin) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	c, err := s.deadlines()
	if err != nil {
		return nil, err
	}
	return normalized(rationals(c.next(s.History, len(s.Loads)))), nil
}

// after is Probabilities for the histories of one state, all of them valid.
func (WeightedRoundRobin) after(s State) (func(history []int) []float64, error) {
	c, err := s.deadlines()
	return func(history []int) []float64 { return c.after(history, len(s.Loads)) }, err
}

// deadlines lists the picks of one cycle in the order in which they are due.
func (s State) deadlines() (cycle, error) {
	parts, err := s.parts()
	if err != nil {
		return nil, err
	}
	type due struct {
		server   int
		num, den int64 // at num/den of a cycle; below 2^17 each, so products fit
	}
	var all []due
	for i, w := range parts {
		for m := range w {
			all = append(all, due{i, 2*m + 1, 2 * w})
		}
	}
	slices.SortStableFunc(all, func(a, b due) int { return cmp.Compare(a.num*b.den, b.num*a.den) })
	picks := make(cycle, len(all))
	for t, d := range all {
		picks[t] = d.server
	}
	return picks, nil
}

// parts are the picks of each server in one cycle of a rotation: its weight over
// the greatest common divisor of all.
func (s State) parts() ([]int64, error) {
	divisor := s.weight(0)
	for i := range s.Loads {
		divisor = gcd(divisor, s.weight(i))
	}
	length, parts := uint64(0), make([]int64, len(s.Loads))
	for i := range parts {
		part := s.weight(i) / divisor
		if part > LongestCycle || length+part > LongestCycle {
			return nil, fmt.Errorf("oracle: the cycle of weights %v is longer than %d picks, want weights with a smaller sum over their common divisor", s.Weights, LongestCycle)
		}
		length += part
		parts[i] = int64(part)
	}
	return parts, nil
}

func rationals(counts []int64) []*big.Rat {
	p := make([]*big.Rat, len(counts))
	for i, k := range counts {
		p[i] = big.NewRat(k, 1)
	}
	return p
}
