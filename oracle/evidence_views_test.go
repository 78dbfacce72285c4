package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestViews(t *testing.T) {
	require.Empty(t, Views(0))
	require.Equal(t, []State{{Loads: []float64{0}}}, Views(1))
	var loads [][]float64
	for _, s := range Views(5) {
		loads = append(loads, s.Loads)
	}
	require.Equal(t, [][]float64{
		{0, 0, 0, 0, 0}, {1, 1, 1, 1, 0}, {1, 0, 0, 0, 0}, {1, 1, 1, 0, 0}, {2, 1, 1, 0, 0}, {4, 3, 2, 1, 0},
	}, loads)
}

// The views tell every pair of known laws apart, but for the rotation, which is random until it has a history.
func TestTellingViews(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		for _, claim := range KnownLaws(n) {
			a := Audit{Claim: claim, Alpha: 1e-9}
			chosen, err := a.Telling(Views(n))
			require.NoError(t, err)
			for _, truth := range KnownLaws(n) {
				_, cheapest, err := a.MostTelling(truth, Views(n))
				require.NoError(t, err)
				_, paid, err := a.MostTelling(truth, chosen)
				require.NoError(t, err)
				uniform := func(l Law) bool { return l == Random{} || l == RoundRobin{} }
				if truth == claim || uniform(truth) && uniform(claim) {
					require.Equal(t, math.Inf(1), cheapest)
				} else {
					require.False(t, math.IsInf(cheapest, 1), "%v against %v, n=%d", truth, claim, n)
					require.LessOrEqual(t, paid, 2*cheapest)
				}
			}
		}
	}
	best, picks, err := Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-9}.MostTelling(PowerOfD{D: 2, Replacement: true}, Views(10))
	require.NoError(t, err)
	require.Equal(t, 100.0, picks, "a lone maximum is drawn twice with probability 1/n²")
	require.Equal(t, 1.0, best.Loads[0])
	chosen, err := Audit{Claim: Random{}, Alpha: 1e-9}.Telling(nil)
	require.NoError(t, err)
	require.Empty(t, chosen)
}
