package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

func TestCommutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 2, 3}), 0, 5).Draw(t, "loads")
		v := view(loads...)
		for i := range v.Servers {
			v.Servers[i].Weight = uint64(rapid.IntRange(1, 3).Draw(t, "weight"))
		}
		for _, p := range []policies.Policy{
			policies.Random{}, policies.LeastRequest{}, policies.PowerOfD{D: 2}, policies.PowerOfD{D: 3, Replacement: true},
			&policies.RoundRobin{}, byWeight{},
		} {
			broken, err := queue.Commutes(p, policies.Request{}, v)
			require.NoError(t, err)
			assert.Nil(t, broken, "%T", p)
		}
	})
}

// byWeight picks in proportion to the weights.
type byWeight struct{}

func (byWeight) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	if v.Len() == 0 {
		return policies.None
	}
	w := make([]uint64, v.Len())
	for i := range w {
		w[i] = v.Server(i).Weight
	}
	return c.Weighted(w)
}

// lowest picks the first of the least loaded servers.
func lowest(v policies.View, _ policies.Coins) int {
	best := policies.None
	for i := range v.Len() {
		load, _ := v.Load(i)
		if best == policies.None {
			best = i
		} else if least, _ := v.Load(best); load < least {
			best = i
		}
	}
	return best
}

func TestCommutesFindsPreferences(t *testing.T) {
	broken, err := queue.Commutes(pick(lowest), policies.Request{}, view(1, 0, 0))
	require.NoError(t, err)
	require.NotNil(t, broken)
	// Exchanging servers 1 and 2 changes nothing that the policy sees.
	assert.Equal(t, []int{0, 2, 1}, broken.Permutation)
	assert.Equal(t, "server 1 is picked with probability 1, but server 2, given its load and weight by the permutation [0 2 1], with 0", broken.String())

	broken, err = queue.Commutes(pick(lowest), policies.Request{}, view(2, 1, 0))
	require.NoError(t, err)
	assert.Nil(t, broken, "without ties there is nothing to prefer")

	rotation := &policies.RoundRobin{}
	rotation.Pick(policies.Request{}, view(0, 0, 0), policies.NewCoins(1))
	broken, err = queue.Commutes(rotation, policies.Request{}, view(0, 0, 0))
	require.NoError(t, err)
	assert.NotNil(t, broken, "a rotation under way points at one server")

	// Index 0 counts only when it stands before a heavier one: neighbours that
	// are exchanged do not show it, the orders of all three do.
	shy := pick(func(v policies.View, c policies.Coins) int {
		a, _ := v.Load(0)
		b, _ := v.Load(1)
		d, _ := v.Load(2)
		if a == 2 && b == 3 && d == 1 {
			return 0
		}
		return policies.LeastRequest{}.Pick(policies.Request{}, v, c)
	})
	broken, err = queue.Commutes(shy, policies.Request{}, view(1, 2, 3))
	require.NoError(t, err)
	require.NotNil(t, broken)
	assert.Equal(t, "1", broken.Before.RatString())

	large := make([]float64, 8)
	broken, err = queue.Commutes(pick(lowest), policies.Request{}, view(large...))
	require.NoError(t, err)
	assert.NotNil(t, broken)

	_, err = queue.Commutes(pick(func(policies.View, policies.Coins) int { return 7 }), policies.Request{}, view(1, 2))
	assert.ErrorAs(t, err, new(*queue.OutOfRange))
}

// The intervals of a rejection loop overlap for a fair policy and not for one
// that leans by more than the mass left over.
func TestCommutesIntervals(t *testing.T) {
	broken, err := queue.Commutes(redraw{}, policies.Request{}, view(0, 1, 2), queue.MaxDepth(6))
	require.NoError(t, err)
	assert.Nil(t, broken)
	leaning := pick(func(v policies.View, c policies.Coins) int {
		if c.IntN(100) == 0 {
			return 0
		}
		return redraw{}.Pick(policies.Request{}, v, c)
	})
	broken, err = queue.Commutes(leaning, policies.Request{}, view(0, 1, 2), queue.MaxDepth(3))
	require.NoError(t, err)
	assert.Nil(t, broken, "an interval of 1/9 cannot tell")
	broken, err = queue.Commutes(leaning, policies.Request{}, view(0, 1, 2), queue.MaxDepth(8))
	require.NoError(t, err)
	assert.NotNil(t, broken)
}
