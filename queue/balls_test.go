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
	held, err := BallsIntoBins{Bins: bins, Balls: m}.Run(policies.Random{}, NewPCG(1, t.Name()))
	require.NoError(t, err)
	for _, h := range held {
		bernoulliSum.check(t, "balls in a bin", m, 1./bins, float64(h))
	}
	held, err = BallsIntoBins{Bins: bins, Balls: 100}.Run(policies.LeastRequest{}, NewPCG(1, t.Name()))
	require.NoError(t, err)
	assert.Equal(t, 14, slices.Min(held))
	assert.Equal(t, 15, slices.Max(held))

	for want, err := range map[string]error{
		"queue: 5 balls into 0 bins, want no negative number and at least 1 bin":  second(BallsIntoBins{Bins: 0, Balls: 5}.Run(policies.Random{}, nil)),
		"queue: -1 balls into 2 bins, want no negative number and at least 1 bin": second(BallsIntoBins{Bins: 2, Balls: -1}.Run(policies.Random{}, nil)),
		"queue: the policy picked bin 2 for ball 1, want 0 to 1":                  second(BallsIntoBins{Bins: 2, Balls: 5}.Run(lost{2}, nil)),
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

// A published figure of a single run is out of the ordinary when the law gives it,
// and whatever lies beyond it on its side, less than this.
const extraordinary = 1e-3

// Table B2 has single runs of unknown streams, so its maxima cannot be replayed.
// Those of one choice are judged by their exact law in the oracle, and a full
// scan leaves nothing to chance. For a few choices the law is that of Balls,
// simulated: so many maxima have to be as small as the published one, and so many
// as large, that an extraordinary figure would have so many with probability
// falseAlarm at most. The runs are enough to acknowledge a figure that is in
// neither outer quarter of its law, but for a probability missed on each side.
func TestPublishedSingleRunsOfBalls(t *testing.T) {
	runs := bernoulliSum.sampleSize(extraordinary, 1./4)
	for _, table := range figures() {
		if table.ID != "B2" {
			continue
		}
		for row := range table.published {
			bins, balls, published := int(table.number(row, 0)), int(table.number(row, 1)), int(table.number(row, 3))
			if table.label(row, 2) == "1" || testing.Short() && balls > bins {
				continue // the latter are a hundred times the work
			}
			if table.label(row, 2) == "all" {
				held, err := BallsIntoBins{Bins: bins, Balls: balls}.Run(policies.LeastRequest{}, NewPCG(1, t.Name()))
				require.NoError(t, err)
				assert.Equal(t, published, slices.Max(held))
				continue
			}
			d := int(table.number(row, 2))
			maxima := make([]int, runs)
			require.NoError(t, Parallel(runs, func(i int) error {
				held, err := BallsIntoBins{Bins: bins, Balls: balls}.Run(policies.PowerOfD{D: d, Replacement: true}, NewPCG(seedOf(i), t.Name()))
				maxima[i] = slices.Max(held)
				return err
			}))
			low, high := 0.0, 0.0
			for _, m := range maxima {
				low += indicator(m <= published)
				high += indicator(m >= published)
			}
			t.Logf("%d balls, %d bins, d=%d: published maximum %d; of %d runs, %v are at most that and %v at least", balls, bins, d, published, runs, low, high)
			assert.LessOrEqual(t, bernoulliSum.atLeast(runs, extraordinary, min(low, high)), falseAlarm)
		}
	}
}

// Table B3, the herd, is one run too. The neighbours of the quiet server held
// "about 10", so the fleet maximum of 13 is not a law to judge by; what the quiet
// server got is: binomial, with the exact probability that one balancer picks it.
func TestPublishedHerd(t *testing.T) {
	for _, table := range figures() {
		if table.ID != "B3" {
			continue
		}
		loads := slices.Repeat([]float64{10}, 100)
		loads[42] = 0
		picks, err := Herd{Loads: loads, Balancers: 100}.Run(func() policies.Policy { return policies.LeastRequest{} }, 1)
		require.NoError(t, err)
		assert.EqualValues(t, table.number(0, 1), picks[42])

		snapshot := &policies.Snapshot{Servers: policies.Fleet(100), Loads: loads}
		law, err := Enumerate(policies.PowerOfD{D: 2}, policies.Request{}, snapshot)
		require.NoError(t, err)
		p, _ := law.P[42].Float64()
		got := table.number(1, 1)
		low, high := bernoulliSum.atMost(100, p, got), bernoulliSum.atLeast(100, p, got)
		t.Logf("the quiet server got %v of 100: %.3f of the law is at most that, %.3f at least", got, low, high)
		assert.Greater(t, min(low, high), extraordinary)
	}
}
