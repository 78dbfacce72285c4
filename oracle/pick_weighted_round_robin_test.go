package oracle

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Against Webster's method as elections use it: the next seat goes to the party
// with the largest votes/(2·seats + 1).
func TestDeadlinesAreWebstersSeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weightsState(t)
		c, err := s.deadlines()
		require.NoError(t, err)
		seats := make([]int64, len(s.Loads))
		for k, pick := range c {
			most, winner := new(big.Rat), 0
			for i := range seats {
				quotient := new(big.Rat).SetFrac(new(big.Int).SetUint64(s.weight(i)), big.NewInt(2*seats[i]+1))
				if quotient.Cmp(most) > 0 {
					most, winner = quotient, i
				}
			}
			require.Equal(t, winner, pick, "seat %d of weights %v", k, s.Weights)
			seats[pick]++
		}
	})
}

// From a random start, and never further off: each point of the cycle that
// shows the history is equally likely.
func TestWeightedRoundRobinIsARotationFromARandomStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weightsState(t)
		n := len(s.Loads)
		c, err := s.deadlines()
		require.NoError(t, err)
		start := rapid.IntRange(0, len(c)-1).Draw(t, "start")
		for k := range rapid.IntRange(0, 12).Draw(t, "picks") {
			s.History = append(s.History, c[(start+k)%len(c)])
		}
		counts, total := make([]int64, n), int64(0)
		for start := range c {
			k := 0
			for k < len(s.History) && c[(start+k)%len(c)] == s.History[k] {
				k++
			}
			if k == len(s.History) {
				counts[c[(start+k)%len(c)]]++
				total++
			}
		}
		var want []*big.Rat
		for _, x := range counts {
			want = append(want, big.NewRat(x, total))
		}
		got, err := WeightedRoundRobin{}.Probabilities(s)
		require.NoError(t, err)
		require.Equal(t, printed(want), printed(got))
		after, err := WeightedRoundRobin{}.after(s)
		require.NoError(t, err)
		require.Equal(t, floats(got), after(s.History))
	})
}

func TestWeightedRoundRobinWithoutWeightsTakesTurns(t *testing.T) {
	for _, history := range [][]int{nil, {0}, {2, 0, 1}} {
		s := State{Loads: make([]float64, 3), History: history}
		want, err := RoundRobin{}.Probabilities(s)
		require.NoError(t, err)
		got, err := WeightedRoundRobin{}.Probabilities(s)
		require.NoError(t, err)
		require.Equal(t, printed(want), printed(got))
	}
}
