package queue

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
)

func TestTooManyLeavesSaysHowFarItCame(t *testing.T) {
	assert.EqualError(t, &TooManyLeaves{Limit: 4, Tried: big.NewRat(2, 5)},
		"policy's coins have more than 4 outcomes, and those tried so far have probability 0.4: "+
			"raise MaxLeaves, cut earlier with MaxDepth or MinMass, or use fewer servers")
}

// A policy that picks what is not there is named with its pick, wherever it runs.
func TestPicksThatAreNotThere(t *testing.T) {
	for at, want := range map[int]string{-1: "-1", 2: "2"} {
		_, err := BallsIntoBins{Bins: 2, Balls: 3}.Run(lost{at}, NewPCG(1, "lost"))
		assert.EqualError(t, err, "queue: the policy picked bin "+want+" for ball 1, want 0 to 1")
		_, err = Herd{Loads: []float64{1, 2}, Balancers: 3}.Run(func() policies.Policy { return lost{at} }, 1)
		assert.ErrorContains(t, err, "picked server "+want)
		_, err = TickWorld{Backends: []Backend{{Ticks: 1}, {Ticks: 1}}, Rate: 1, Ticks: 9}.Simulate(lost{at}, 1)
		assert.EqualError(t, err, "queue: the policy picked backend "+want+" for call 1, want 0 to 1")
	}
}

// A table that computes more or less than was published says so.
func TestTablesOfTheWrongSize(t *testing.T) {
	table := Table{ID: "X", Columns: []string{"row", "figure"}, Labels: 1, published: [][]any{{"a", "1"}, {"b", "2"}}}
	for want, rows := range map[string][][]any{
		"queue: table X: computed 1 rows, published are 2":             {{1}},
		"queue: table X: computed 3 rows, published are 2":             {{1}, {2}, {3}},
		"queue: table X: computed 0 figures in row 1, published are 1": {{}, {2}},
		"queue: table X: computed 2 figures in row 2, published are 1": {{1}, {2, 3}},
	} {
		table.compute = func(Table) ([][]any, error) { return rows, nil }
		cells, err := table.Run()
		assert.EqualError(t, err, want)
		assert.Empty(t, cells)
	}
	table.compute = func(Table) ([][]any, error) { return [][]any{{1}, {3}}, nil }
	cells, err := table.Run()
	assert.NoError(t, err)
	assert.Equal(t, []Cell{{"a", "figure", "1", "1"}, {"b", "figure", "2", "3"}}, cells)
	assert.Equal(t, 2, table.Cells())
}

func TestReplayOfAnUnknownPolicy(t *testing.T) {
	for law, want := range map[string]string{
		"dice":          `no replay of policy "dice"`,
		"peak-ewma:0":   `"0" servers to compare`,
		"round-robin:2": `no replay of policy "round-robin:2"`,
	} {
		_, _, err := FastErrors{Backends: 2}.replay(law, 0.2)
		assert.ErrorContains(t, err, want)
	}
}

// A chain of a policy with more outcomes than are allowed is refused, at states
// that are only looked at in floating point too.
func TestSolveTooManyLeaves(t *testing.T) {
	_, err := Solve(Chain{Servers: 5, Buffer: 1, Rho: 0.5, Policy: policies.Random{}, Options: []Option{MaxLeaves(4)}})
	assert.ErrorContains(t, err, "more than 4 outcomes, and those tried so far have probability 0.8:")

	view := &policies.Snapshot{Servers: policies.Fleet(5), Loads: make([]float64, 5)}
	for most, enough := range map[int]bool{4: false, 5: true} {
		leaves := 0
		err := newFloats(policies.Random{}, policies.Request{}, view, []Option{MaxLeaves(most)}).each(func(run, float64) { leaves++ })
		assert.Equal(t, most, leaves)
		if enough {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "more than 4 outcomes, and those tried so far have probability 0.8:")
		}
	}
}

func TestChainsBeyondAllNumbers(t *testing.T) {
	assert.EqualError(t, &TooLarge{Servers: 1000, Buffer: 65535, Memories: 1, Limit: 1e6},
		"queue: the chain of 1000 servers with up to 65535 jobs each has more than 1e308 states in the full form "+
			"and needs more than the bound of 1 MB; no buffer fits for so many servers")
}
