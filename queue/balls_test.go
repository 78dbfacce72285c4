package queue

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// With one choice the number of balls in a bin is binomial; a full scan fills
// the bins evenly.
func TestBalls(t *testing.T) {
	const bins = 7
	m := bernoulliSum.sampleSize(1./bins, 1.1/bins)
	held, err := Balls(bins, m, policies.Random{}, NewPCG(1, t.Name()))
	require.NoError(t, err)
	for _, h := range held {
		bernoulliSum.check(t, "balls in a bin", m, 1./bins, float64(h))
	}
	held, err = Balls(bins, 100, policies.LeastRequest{}, NewPCG(1, t.Name()))
	require.NoError(t, err)
	assert.Equal(t, 14, slices.Min(held))
	assert.Equal(t, 15, slices.Max(held))

	for want, err := range map[string]error{
		"queue: 5 balls into 0 bins, want no negative number and at least 1 bin":  second(Balls(0, 5, policies.Random{}, nil)),
		"queue: -1 balls into 2 bins, want no negative number and at least 1 bin": second(Balls(2, -1, policies.Random{}, nil)),
		"queue: the policy picked bin 2 for ball 1, want 0 to 1":                  second(Balls(2, 5, lost{2}, nil)),
	} {
		assert.EqualError(t, err, want)
	}
}

func second(_ []int, err error) error { return err }

// One quiet server among a hundred: everybody who scans the fleet goes there.
// With two choices a balancer meets it with probability 2/100. With a shared
// seed all balancers make the same two choices, and the herd is back.
func TestHerd(t *testing.T) {
	loads := slices.Repeat([]float64{10}, 100)
	loads[42] = 0
	two := func() policies.Policy { return policies.PowerOfD{D: 2} }
	picks, err := Herd{Loads: loads, Balancers: 100}.Run(func() policies.Policy { return policies.LeastRequest{} }, 1)
	require.NoError(t, err)
	assert.Equal(t, 100, picks[42])

	m := bernoulliSum.sampleSize(0.02, 0.023)
	picks, err = Herd{Loads: loads, Balancers: m}.Run(two, 1)
	require.NoError(t, err)
	bernoulliSum.check(t, "balancers that meet the quiet server", m, 0.02, float64(picks[42]))

	for seed := range uint64(10) {
		picks, err = Herd{Loads: loads, Balancers: 100, SharedSeed: true}.Run(two, seed)
		require.NoError(t, err)
		assert.Equal(t, 100, slices.Max(picks))
	}
	_, err = Herd{Balancers: 1}.Run(two, 1)
	assert.EqualError(t, err, "queue: a herd of 1 balancers over 0 servers, want at least 1 of each")
}
