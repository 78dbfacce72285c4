package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// From any start, the only history with positive probability visits the servers
// in cyclic order, whatever they carry.
func TestRoundRobinTakesTurns(t *testing.T) {
	s := State{Loads: []float64{5, 0, 1, 0}, Weights: []uint64{1, 9, 9, 1}}
	for start := range s.Loads {
		s.History = []int{start}
		for turn := start + 1; turn < start+9; turn++ {
			p, err := RoundRobin{}.Probabilities(s)
			require.NoError(t, err)
			want := []string{"0", "0", "0", "0"}
			want[turn%4] = "1"
			after, err := RoundRobin{}.after(s)
			require.NoError(t, err)
			require.Equal(t, floats(p), after(s.History))
			for i := range want {
				require.Equal(t, want[i], p[i].RatString())
			}
			s.History = append(s.History, turn%4)
		}
	}
}
