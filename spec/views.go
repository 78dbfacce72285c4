package spec

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

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

// viewOf is a frozen state of equal servers.
func viewOf(loads []float64) *policies.Snapshot {
	return &policies.Snapshot{Servers: fleetOf(len(loads)), Loads: loads}
}

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

// shrink looks for a smaller state in which the check still fails: fewer
// servers, then smaller loads. It is greedy and stops at a local minimum.
func shrink(loads []float64, fails func([]float64) bool) []float64 {
	for again := true; again; {
		again = false
		for i := range loads {
			if fewer := slices.Delete(slices.Clone(loads), i, i+1); len(fewer) > 0 && fails(fewer) {
				loads, again = fewer, true
				break
			}
		}
		for i := 0; i < len(loads) && !again; i++ {
			for _, lower := range []float64{0, loads[i] - 1} {
				if lower < 0 || lower >= loads[i] {
					continue
				}
				lighter := slices.Clone(loads)
				lighter[i] = lower
				if fails(lighter) {
					loads, again = lighter, true
					break
				}
			}
		}
	}
	return loads
}
