package spec

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// fleetOf returns n servers whose ids have gaps, so that an id taken for an
// index shows.
func fleetOf(n int) []Server {
	fleet := policies.Fleet(n)
	for i := range fleet {
		fleet[i].ID = ServerID(3 + 2*i)
	}
	return fleet
}

// viewOf is a frozen state as a policy sees it.
func viewOf(s oracle.State) *policies.Snapshot {
	fleet := fleetOf(len(s.Loads))
	for i, w := range s.Weights {
		fleet[i].Weight = w
	}
	return &policies.Snapshot{Servers: fleet, Loads: s.Loads}
}

// equalServers is a frozen state of servers of one weight.
func equalServers(loads []float64) oracle.State { return oracle.State{Loads: loads} }

// allLoads returns every load vector of up to n servers with loads below k.
func allLoads(n, k int) [][]float64 {
	var all [][]float64
	level := [][]float64{{}}
	for range n {
		var next [][]float64
		for _, prefix := range level {
			for load := range k {
				next = append(next, append(slices.Clone(prefix), float64(load)))
			}
		}
		all, level = append(all, next...), next
	}
	return all
}

// someLoads draws a load vector with ties: few distinct values, any order.
var someLoads = rapid.Custom(func(t *rapid.T) []float64 {
	n := rapid.IntRange(5, 12).Draw(t, "servers")
	values := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 5).Draw(t, "values")
	loads := make([]float64, n)
	for i := range loads {
		loads[i] = float64(rapid.SampledFrom(values).Draw(t, "load"))
	}
	return loads
})

// loadVectors are the states that exact properties look at: every small one,
// so that nothing hides in a corner, and drawn ones of up to twelve servers.
func loadVectors(seed uint64) [][]float64 {
	all := allLoads(4, 3)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		all = append(all, someLoads.Example(int(random.Int64()>>1)))
	}
	return all
}

// statesOf are the states that the exact properties of a law look at: those of
// loadVectors, with unequal weights where the law reads weights.
func statesOf(l oracle.Law, seed uint64) []oracle.State {
	var states []oracle.State
	weighted := readsWeights(l)
	for k, loads := range loadVectors(seed) {
		if rotates(l) && k%6 != 0 {
			continue // loads make no difference, and every history of picks is tried in each state
		}
		s := oracle.State{Loads: loads}
		if weighted {
			s.Weights = someWeights.Example(int(seed>>1) + k)[:len(loads)]
		}
		states = append(states, s)
	}
	return states
}

// someWeights draws weights: small ones with ties and common divisors, since
// the cycle of a rotation must not become too long to walk.
var someWeights = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint64 {
	return rapid.SampledFrom([]uint64{1, 1, 2, 3, 4, 6, 10}).Draw(t, "weight")
}), 12, 12)

// readsWeights tells whether weights make a difference to a law.
func readsWeights(l oracle.Law) bool {
	loads := []float64{1, 2, 1}
	plain, err := l.Probabilities(oracle.State{Loads: loads})
	if err != nil {
		return true
	}
	weighted, err := l.Probabilities(oracle.State{Loads: loads, Weights: []uint64{1, 2, 3}})
	return err != nil || !slices.EqualFunc(plain, weighted, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// shrink looks for a smaller state in which the check still fails: fewer
// servers, then smaller loads and weights. It is greedy and stops at a local
// minimum.
func shrink(s oracle.State, fails func(oracle.State) bool) oracle.State {
	for again := true; again; {
		again = false
		for _, smaller := range smallerStates(s) {
			if fails(smaller) {
				s, again = smaller, true
				break
			}
		}
	}
	return s
}

// smallerStates are the states one step simpler than this one.
func smallerStates(s oracle.State) []oracle.State {
	var all []oracle.State
	for i := range s.Loads {
		if len(s.Loads) == 1 {
			break
		}
		fewer := oracle.State{Loads: slices.Delete(slices.Clone(s.Loads), i, i+1)}
		if s.Weights != nil {
			fewer.Weights = slices.Delete(slices.Clone(s.Weights), i, i+1)
		}
		all = append(all, fewer)
	}
	for i, load := range s.Loads {
		for _, lower := range []float64{0, load - 1} {
			if lower >= 0 && lower < load {
				lighter := oracle.State{Loads: slices.Clone(s.Loads), Weights: s.Weights}
				lighter.Loads[i] = lower
				all = append(all, lighter)
			}
		}
	}
	for i, w := range s.Weights {
		if w > 1 {
			simpler := oracle.State{Loads: s.Loads, Weights: slices.Clone(s.Weights)}
			simpler.Weights[i] = 1
			all = append(all, simpler)
		}
	}
	return all
}
