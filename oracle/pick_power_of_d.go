//go:build !mutants

package oracle

import (
	"cmp"
	"fmt"
	"math/big"
)

// MaxChoices bounds the d of a law, so that its exact arithmetic stays small.
const MaxChoices = 4096

// PowerOfD draws D servers and picks the lightest of them (Mitzenmacher 1996;
// Vvedenskaya, Dobrushin and Karpelevich 1996). The draws are distinct, all the
// servers when D exceeds the fleet, or independent with Replacement. Ties are
// fair unless LowestIndex is set.
//
// A group of g equally loaded servers with b lighter ones wins when no draw is
// lighter and at least one is in it: with n servers,
//
//	distinct     [C(n-b, d) - C(n-b-g, d)] / C(n, d)
//	replacement  [(n-b)^d - (n-b-g)^d] / n^d
//
// and its servers are exchangeable, so they share that evenly. Under LowestIndex
// loads and indices together leave no ties: every group has one server.
type PowerOfD struct {
	D           int // 1..MaxChoices
	Replacement bool
	LowestIndex bool
}

// String is "power-of-d:2", with ":replacement" and ":lowest-index" as they apply.
func (p PowerOfD) String() string {
	name := fmt.Sprintf("power-of-d:%d", p.D)
	if p.Replacement {
		name += ":replacement"
	}
	if p.LowestIndex {
		name += ":lowest-index"
	}
	return name
}

// Ties groups the servers with equal loads.
func (p PowerOfD) Ties(s State) [][]int { return byLoad(s) }

// Probabilities counts the draws that each group of equal loads wins.
func (p PowerOfD) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := checkChoices(p, p.D); err != nil {
		return nil, err
	}
	groups := byLoad(s)
	if p.LowestIndex {
		groups = strictly(groups)
	}
	return bestOf(len(s.Loads), p.D, p.Replacement, groups), nil
}

// HeavierOfD draws D distinct servers and picks the heaviest of them: the
// comparison of PowerOfD the wrong way round. It is a law to diagnose, not one
// to want.
type HeavierOfD struct{ D int }

// String is "heavier-of-d:2".
func (h HeavierOfD) String() string { return fmt.Sprintf("heavier-of-d:%d", h.D) }

// Ties groups the servers with equal loads, the heaviest first.
func (h HeavierOfD) Ties(s State) [][]int {
	return ranks(len(s.Loads), func(i, j int) int { return cmp.Compare(s.Loads[j], s.Loads[i]) })
}

// Probabilities counts the draws that each group of equal loads wins.
func (h HeavierOfD) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := checkChoices(h, h.D); err != nil {
		return nil, err
	}
	return bestOf(len(s.Loads), h.D, false, h.Ties(s)), nil
}

// bestOf is the law of the best of d draws, given the groups from best to worst.
func bestOf(n, d int, replacement bool, groups [][]int) []*big.Rat {
	// draws counts the ordered or unordered draws that stay within m servers.
	draws := func(m int) *big.Int {
		if replacement {
			return new(big.Int).Exp(big.NewInt(int64(m)), big.NewInt(int64(d)), nil)
		}
		return new(big.Int).Binomial(int64(m), int64(min(d, n)))
	}
	all := draws(n)
	return evenly(n, groups, func(better, size int) *big.Rat {
		within := draws(n - better)
		return new(big.Rat).SetFrac(within.Sub(within, draws(n-better-size)), all)
	})
}

func checkChoices(l Law, d int) error {
	if d < 1 || d > MaxChoices {
		return fmt.Errorf("oracle: %v draws %d servers, want 1 to %d", l, d, MaxChoices)
	}
	return nil
}
