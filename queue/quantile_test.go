package queue

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

func TestQuantilesAreThoseOfASort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 3), rapid.SampledFrom([]float64{0, 1, 2})), 1, 300).Draw(t, "values")
		// Many copies, so that selection has to look at more than one digit.
		values = slices.Repeat(values, rapid.SampledFrom([]int{1, 50}).Draw(t, "copies"))
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 5).Draw(t, "ps")
		sorted := slices.Sorted(slices.Values(values))
		before := slices.Clone(values)
		var want []float64
		for _, p := range ps {
			want = append(want, sorted[min(len(sorted)-1, int(p*float64(len(sorted))))])
		}
		assert.Equal(t, want, Quantiles(values, ps...))
		assert.Equal(t, before, values)
	})
}

// What a simulation reports are the quantiles of the times that it keeps, of a
// single job too.
func TestSimulateReportsQuantiles(t *testing.T) {
	for _, jobs := range []int{1, 5000} {
		run, err := Simulate(World{Servers: 2, Rho: 0.5, Jobs: jobs, Quantiles: true}, func() policies.Policy { return policies.Random{} }, 1)
		require.NoError(t, err)
		assert.Len(t, run.Times, jobs)
		sorted := slices.Sorted(slices.Values(run.Times))
		assert.Equal(t, []float64{sorted[jobs/2], sorted[jobs*99/100], sorted[jobs*999/1000]}, []float64{run.P50, run.P99, run.P999})
	}
}

func TestQuantilesOfManyCloseValues(t *testing.T) {
	s := NewPCG(1, t.Name())
	values := make([]float64, 200_000)
	for i := range values {
		values[i] = 1 + s.Float64()*math.Exp2(-40*float64(i%2)) // half of them share 51 leading bits
	}
	sorted := slices.Sorted(slices.Values(values))
	for _, p := range []float64{0, 0.1, 0.25, 0.5, 0.9, 0.999, 1} {
		assert.Equal(t, sorted[min(len(sorted)-1, int(p*float64(len(sorted))))], Quantiles(values, p)[0], "p = %v", p)
	}
	assert.True(t, math.IsNaN(Quantiles(nil, 0.5)[0]))
}
