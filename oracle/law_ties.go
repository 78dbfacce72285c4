package oracle

import "math/big"

// A Tied law prefers some servers to others and may find several equally good.
// Ties returns those groups in a valid state, the preferred ones first. The
// probability of a whole group does not depend on how ties are broken, so it
// can be judged even when the tie rule is left open.
type Tied interface {
	Law
	Ties(State) [][]int
}

// classes are the sets of servers that a claim with an open tie rule does not
// tell apart: the tie groups, or the single servers of a law that has none.
func classes(l Law, s State) [][]int {
	if t, ok := l.(Tied); ok {
		return t.Ties(s)
	}
	return strictly([][]int{indices(len(s.Loads))})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// evenly spreads the probability of each group over its servers.
func evenly(n int, groups [][]int, probability func(better, size int) *big.Rat) []*big.Rat {
	p := make([]*big.Rat, n)
	better := 0
	for _, g := range groups {
		each := probability(better, len(g))
		each.Quo(each, big.NewRat(int64(len(g)), 1))
		for _, i := range g {
			p[i] = new(big.Rat).Set(each)
		}
		better += len(g)
	}
	return p
}
