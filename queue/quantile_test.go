package queue

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestQuantilesAreThoseOfASort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 3), rapid.SampledFrom([]float64{0, 1, 2})), 1, 300).Draw(t, "values")
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 5).Draw(t, "ps")
		slices.Sort(ps)
		sorted := slices.Sorted(slices.Values(values))
		var want []float64
		for _, p := range ps {
			want = append(want, sorted[min(len(sorted)-1, int(p*float64(len(sorted))))])
		}
		assert.Equal(t, want, Quantiles(values, ps...))
		slices.Sort(values)
		assert.Equal(t, sorted, values, "selection must only reorder")
	})
}
