//go:build !mutants

package oracle

import (
	"math/big"
	"slices"
)

// RoundRobin picks the servers one after another, from a random start: the
// first pick is uniform, every other one is the cyclic successor of the last
// pick in State.History.
type RoundRobin struct{}

// String is "round-robin".
func (RoundRobin) String() string { return "round-robin" }

// after is Probabilities for the histories of one state, all of them valid.
func (RoundRobin) after(s State) (func(history []int) []float64, error) {
	n := len(s.Loads)
	return func(history []int) []float64 {
		if len(history) == 0 {
			return slices.Repeat([]float64{1 / float64(n)}, n)
		}
		p := make([]float64, n)
		p[(history[len(history)-1]+1)%n] = 1
		return p
	}, nil
}

// Probabilities is uniform without a history, else 1 for the next in turn.
func (RoundRobin) Probabilities(s State) ([]*big.Rat, error) {
	if len(s.History) == 0 {
		return Random{}.Probabilities(s)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := make([]*big.Rat, len(s.Loads))
	for i := range p {
		p[i] = new(big.Rat)
	}
	next := (s.History[len(s.History)-1] + 1) % len(p)
	p[next].SetInt64(1)
	return p, nil
}
