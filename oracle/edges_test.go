package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLeastPicksIsTheLeast(t *testing.T) {
	for least := 1; least <= 40; least++ {
		assert.Equal(t, least, leastPicks(func(t int) bool { return t >= least }))
	}
	assert.Equal(t, mostPicks, leastPicks(func(t int) bool { return t >= mostPicks }))
	assert.Greater(t, leastPicks(func(int) bool { return false }), mostPicks)
}

// Coins that always or never succeed leave nothing to chance.
func TestBinomialTailsOfCertainty(t *testing.T) {
	for _, c := range []struct {
		k            int
		p            float64
		lower, upper float64
	}{{0, 0, 1, 1}, {1, 0, 1, 0}, {5, 0, 1, 0}, {0, 1, 0, 1}, {4, 1, 0, 1}, {5, 1, 1, 1}} {
		lower, upper := binomialTails(c.k, 5, c.p)
		assert.Equal(t, []float64{c.lower, c.upper}, []float64{lower, upper}, "%+v", c)
	}
}

// A tail that is only known to within a tenth leaves the quantile open on both
// sides: to the right as far as the tail can be larger than computed, to the left
// down to 0 where there is no more room.
func TestQuantileBoundLooksBothWays(t *testing.T) {
	tail := func(t float64) float64 { return math.Exp(-t) }
	for _, p := range []float64{0.05, 0.5} {
		at := -math.Log1p(-p)
		bound := quantileBound(tail, p, 0.1, at)
		assert.GreaterOrEqual(t, bound, math.Log(1.1))
		assert.GreaterOrEqual(t, bound, min(at, -math.Log(0.9)))
		assert.LessOrEqual(t, bound, 4*math.Log(1.1), "the width is doubled until it is enough")
	}
}

func TestLimitPicksRefuses(t *testing.T) {
	picks, err := Audit{}.LimitPicks(Random{}, []State{{Loads: []float64{0, 1}}})
	assert.Error(t, err)
	assert.Zero(t, picks)
}

// Lists of tails go down to 1e-12, and to 64 numbers at most.
func TestTailsAreListed(t *testing.T) {
	halves := tailList(func(k int) float64 { return math.Exp2(-float64(k)) })
	assert.Len(t, halves, 39) // 2^-39 = 1.8e-12
	for k, p := range halves {
		assert.Equal(t, math.Exp2(-float64(k+1)), p)
	}
	assert.Len(t, tailList(func(int) float64 { return leastTail }), 64)
	assert.Empty(t, tailList(func(int) float64 { return 0 }))
}
