//go:build !mutants

package oracle

import (
	"cmp"
	"math/big"
)

// LeastRequest picks uniformly among the servers with the smallest load.
type LeastRequest struct{}

// String is "least-request".
func (LeastRequest) String() string { return "least-request" }

// Ties groups the servers with equal loads.
func (LeastRequest) Ties(s State) [][]int { return byLoad(s) }

// Probabilities is 1/m for each of the m minima and 0 for the others.
func (LeastRequest) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return evenly(len(s.Loads), byLoad(s), certain), nil
}

// LowestIndex picks the server with the smallest load, of several the one with
// the lowest index: what a scan with a strict comparison does.
type LowestIndex struct{}

// String is "lowest-index".
func (LowestIndex) String() string { return "lowest-index" }

// Probabilities is 1 for the first of the minima.
func (LowestIndex) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return evenly(len(s.Loads), strictly(byLoad(s)), certain), nil
}

// TwoLightest takes the two servers with the smallest loads, ties broken
// fairly, and throws a fair coin between them. It poses as the power of two
// choices and balances better.
type TwoLightest struct{}

// String is "two-lightest".
func (TwoLightest) String() string { return "two-lightest" }

// Ties groups the servers with equal loads.
func (TwoLightest) Ties(s State) [][]int { return byLoad(s) }

// Probabilities gives 1/2 to each of the two first ranks. A group that holds
// both has it all.
func (TwoLightest) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	n := len(s.Loads)
	coin := int64(min(2, n))
	return evenly(n, byLoad(s), func(better, size int) *big.Rat {
		held := min(int64(better+size), coin) - min(int64(better), coin)
		return big.NewRat(held, coin)
	}), nil
}

// byLoad groups the servers with equal loads, the lightest first.
func byLoad(s State) [][]int {
	return ranks(len(s.Loads), func(i, j int) int { return cmp.Compare(s.Loads[i], s.Loads[j]) })
}

// certain gives everything to the best group.
func certain(better, _ int) *big.Rat {
	if better == 0 {
		return big.NewRat(1, 1)
	}
	return new(big.Rat)
}
