package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The bound covers a wrong place and a wrong tail, from either side, and is not
// much wider than that: it doubles until it is wide enough.
func TestQuantileBoundCoversEveryError(t *testing.T) {
	tail := func(t float64) float64 { return math.Exp(-t) }
	true99 := math.Log(100)
	for _, off := range []float64{-1e-3, -1e-9, 1e-9, 1e-3} {
		bound := quantileBound(tail, 0.99, 0, true99+off)
		assert.GreaterOrEqual(t, bound, math.Abs(off)*0.999999)
		assert.Less(t, bound, 3*math.Abs(off))
	}
	for _, relative := range []float64{1e-12, 1e-4, 0.5} {
		bound := quantileBound(tail, 0.99, relative, true99)
		assert.GreaterOrEqual(t, bound, -math.Log(1-relative)*0.999)
		assert.Less(t, bound, -2.1*math.Log(1-relative))
	}
	assert.True(t, math.IsInf(quantileBound(func(float64) float64 { return 0.5 }, 0.99, 0, 1), 1))
}

func TestQuantileEnds(t *testing.T) {
	tail := func(t float64) float64 { return 0.7 * math.Exp(-t) }
	assert.Zero(t, quantile(tail, 0))
	assert.Zero(t, quantile(tail, 0.2), "an atom at 0")
	assert.True(t, math.IsInf(quantile(tail, 1), 1))
	assert.InDelta(t, math.Log(7), quantile(tail, 0.9), 1e-14)
}

func TestErlangArrivalsAtTheEdgeEnd(t *testing.T) {
	for _, rho := range []float64{math.Nextafter(1, 0), 1 - 1e-12, 0x1p-1000, 0} {
		m := EKM1{7, rho}
		x := m.IdlePick()
		assert.True(t, x >= 0 && x <= 1)
		assert.True(t, m.rootError(x) <= 2)
	}
}
