package oracle

import (
	"fmt"
	"math"
	"slices"
)

// Validate tells whether a law can be asked about the state: at least one
// server, loads that are finite and not negative, weights (if any) that are
// positive, one for each server, and a history of indices into the fleet. The
// error names the first value that is wrong.
func (s State) Validate() error {
	n := len(s.Loads)
	if n == 0 {
		return fmt.Errorf("oracle: the state has no server, want at least one load")
	}
	for i, load := range s.Loads {
		if math.IsNaN(load) || math.IsInf(load, 0) || load < 0 {
			return fmt.Errorf("oracle: the load of server %d is %v, want a finite number that is not negative", i, load)
		}
	}
	if s.Weights != nil && len(s.Weights) != n {
		return fmt.Errorf("oracle: the state has %d weights for %d servers, want one for each or none at all", len(s.Weights), n)
	}
	if i := slices.Index(s.Weights, 0); i >= 0 {
		return fmt.Errorf("oracle: the weight of server %d is 0; such a server is not eligible and has no place in the state", i)
	}
	for t, pick := range s.History {
		if pick < 0 || pick >= n {
			return fmt.Errorf("oracle: pick %d of the history is %d, want an index in [0, %d)", t, pick, n)
		}
	}
	return nil
}

// weight is the weight of server i relative to the others.
func (s State) weight(i int) uint64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// ranks sorts the servers by a comparison and splits them where it is not
// equal: the best group first, indices ascending in each group. The comparison
// must be a total preorder.
func ranks(n int, compare func(i, j int) int) [][]int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	var groups [][]int
	for k, i := range order {
		if k == 0 || compare(order[k-1], i) != 0 {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], i)
	}
	return groups
}

// strictly breaks every group up into its servers: the lowest index comes first.
func strictly(groups [][]int) [][]int {
	var single [][]int
	for _, g := range groups {
		for _, i := range g {
			single = append(single, []int{i})
		}
	}
	return single
}
