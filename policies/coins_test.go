package policies

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A coin that cannot be thrown is a mistake of the policy, and says so.
func TestCoinsThatCannotBeThrown(t *testing.T) {
	c := NewCoins(1)
	assert.PanicsWithValue(t, "policies: a coin needs a positive weight, got [0 0]", func() { c.Weighted([]uint64{0, 0}) })
	assert.PanicsWithValue(t, "policies: the weights of a coin add up to 2^64 or more", func() { c.Weighted([]uint64{math.MaxUint64, 1}) })
	assert.Equal(t, 1, c.Weighted([]uint64{0, math.MaxUint64}), "one less is possible")
	assert.Equal(t, 1, c.Weighted([]uint64{0, 1, 0}))
}
