package policies

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A load that is not there is unknown, and 0.
func TestSnapshotsMayLackLoads(t *testing.T) {
	v := &Snapshot{Servers: Fleet(3), Loads: []float64{2, math.NaN()}}
	for i, want := range []float64{2, 0, 0} {
		load, known := v.Load(i)
		assert.Equal(t, want, load)
		assert.Equal(t, i == 0, known)
	}
	assert.Equal(t, 3, v.Reads)
	assert.Equal(t, -1, v.Index(3))
}

// A coin that cannot be thrown is a mistake of the policy, and says so.
func TestCoinsThatCannotBeThrown(t *testing.T) {
	c := NewCoins(1)
	assert.PanicsWithValue(t, "policies: a coin needs a positive weight, got [0 0]", func() { c.Weighted([]uint64{0, 0}) })
	assert.PanicsWithValue(t, "policies: the weights of a coin add up to 2^64 or more", func() { c.Weighted([]uint64{math.MaxUint64, 1}) })
	assert.Equal(t, 1, c.Weighted([]uint64{0, math.MaxUint64}), "one less is possible")
	assert.Equal(t, 1, c.Weighted([]uint64{0, 1, 0}))
}
