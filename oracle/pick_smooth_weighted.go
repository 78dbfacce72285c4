package oracle

import (
	"math/big"
	"slices"
)

// SmoothWeighted is the smooth weighted round robin of nginx (Sysoev 2012),
// started at a random phase of its cycle. Each pick goes to the server that is
// furthest behind its quota, the first of several: with counts c(i) of the t
// picks of a cycle so far and weights w(i) that add up to W, to the largest
//
//	(t+1)·w(i) - W·c(i).
//
// In W/gcd picks every server gets exactly w(i)/gcd, after which it all begins
// anew. With equal weights it is RoundRobin.
type SmoothWeighted struct{}

// LongestCycle bounds the cycle of SmoothWeighted, in picks.
const LongestCycle = 1 << 16

// String is "smooth-weighted".
func (SmoothWeighted) String() string { return "smooth-weighted" }

// Probabilities takes every phase that explains the history to be equally
// likely. A history that no phase explains was interrupted: its longest recent
// part that one does explain counts. It fails when the cycle is longer than
// LongestCycle.
func (l SmoothWeighted) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	cycle, err := s.cycle()
	if err != nil {
		return nil, err
	}
	next := cycle.next(s.History, len(s.Loads))
	phases := int64(0)
	for _, k := range next {
		phases += k
	}
	p := make([]*big.Rat, len(next))
	for i, k := range next {
		p[i] = big.NewRat(k, phases)
	}
	return p, nil
}

// after is Probabilities for the histories of one state, all of them valid.
func (SmoothWeighted) after(s State) (func(history []int) []float64, error) {
	cycle, err := s.cycle()
	return func(history []int) []float64 { return cycle.after(history, len(s.Loads)) }, err
}

// cycle lists the picks of smooth weighted round robin, once around.
type cycle []int

// cycle computes the picks for the weights of a state.
func (s State) cycle() (cycle, error) {
	parts, err := s.parts()
	if err != nil {
		return nil, err
	}
	length := int64(0)
	for _, part := range parts {
		length += part
	}
	picks := make(cycle, length)
	behind := slices.Clone(parts) // (t+1)·w(i) - W·c(i)
	for t := range picks {
		most := 0
		for i, b := range behind {
			if b > behind[most] {
				most = i
			}
		}
		picks[t] = most
		behind[most] -= length
		for i := range behind {
			behind[i] += parts[i]
		}
	}
	return picks, nil
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// next counts for each of n servers the phases that explain the history and go
// on with that server.
func (c cycle) next(history []int, n int) []int64 {
	phases := indices(len(c)) // where the next pick may stand
	recent := history[max(0, len(history)-len(c)):]
	for back := 1; back <= len(recent) && len(phases) > 1; back++ {
		pick := recent[len(recent)-back]
		kept := 0 // in place: those that do not explain the pick move behind those that do
		for k, at := range phases {
			before := at - back
			if before < 0 {
				before += len(c)
			}
			if c[before] == pick {
				phases[k], phases[kept] = phases[kept], at
				kept++
			}
		}
		if kept == 0 {
			break
		}
		phases = phases[:kept]
	}
	counts := make([]int64, n)
	for _, at := range phases {
		counts[c[at]]++
	}
	return counts
}

// after is the law of the next pick. Counts are whole numbers far below 2^53, so
// each quotient is the rational one, rounded once.
func (c cycle) after(history []int, n int) []float64 {
	next, phases := c.next(history, n), int64(0)
	for _, k := range next {
		phases += k
	}
	p := make([]float64, n)
	for i, k := range next {
		p[i] = float64(k) / float64(phases)
	}
	return p
}

// deviation is the largest difference between the picks of a server and its
// quota t·w(i)/W, over the first t picks for all t, and over all windows of
// picks anywhere in the rotation.
func (c cycle) deviation(n int) (prefix, window *big.Rat) {
	length := int64(len(c))
	parts := make([]int64, n)
	for _, i := range c {
		parts[i]++
	}
	farthest, widest := int64(0), int64(0)
	for i := range n {
		ahead, most, least := int64(0), int64(0), int64(0) // W·c(i) - t·w(i)
		for _, pick := range c {
			ahead -= parts[i]
			if pick == i {
				ahead += length
			}
			most, least = max(most, ahead), min(least, ahead)
		}
		farthest = max(farthest, most, -least)
		// A window is the difference of two prefixes, in either order around the cycle.
		widest = max(widest, most-least)
	}
	return big.NewRat(farthest, length), big.NewRat(widest, length)
}
