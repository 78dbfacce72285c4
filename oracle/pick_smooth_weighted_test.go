package oracle

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// weightsState draws up to 4 weights with a short cycle.
func weightsState(t *rapid.T) State {
	w := rapid.SliceOfN(rapid.Uint64Range(1, 6), 1, 4).Draw(t, "weights")
	return State{Loads: make([]float64, len(w)), Weights: w}
}

// credits plays the rule as nginx states it: everyone gets its weight, the first
// of the richest is picked and pays the sum.
func credits(weights []uint64, picks int) []int {
	credit, sum := make([]int64, len(weights)), int64(0)
	for _, w := range weights {
		sum += int64(w)
	}
	var out []int
	for range picks {
		for i, w := range weights {
			credit[i] += int64(w)
		}
		richest := slices.Index(credit, slices.Max(credit))
		credit[richest] -= sum
		out = append(out, richest)
	}
	return out
}

func TestCycleIsThatOfCredits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weightsState(t)
		c, err := s.cycle()
		require.NoError(t, err)
		twice := append(slices.Clone(c), c...)
		require.Equal(t, credits(s.Weights, len(twice)), []int(twice), "and it closes")
	})
	// The example of the nginx change that brought it in.
	c, err := State{Loads: make([]float64, 3), Weights: []uint64{5, 1, 1}}.cycle()
	require.NoError(t, err)
	require.Equal(t, cycle{0, 0, 1, 0, 2, 0, 0}, c)
}

// The law is what a rotation with a random start does: of all starts, those that
// show the history, and what each does next. A history of another balancer falls
// back to what it shows last.
func TestSmoothWeightedIsARotationFromARandomStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weightsState(t)
		n := len(s.Loads)
		c, err := s.cycle()
		require.NoError(t, err)
		s.History = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 12).Draw(t, "history")
		if rapid.Bool().Draw(t, "true") {
			start := rapid.IntRange(0, len(c)-1).Draw(t, "start")
			for k := range s.History {
				s.History[k] = c[(start+k)%len(c)]
			}
		}
		var want []*big.Rat
		for drop := 0; want == nil; drop++ {
			counts, total := make([]int64, n), int64(0)
			for start := range c {
				k, show := 0, s.History[drop:]
				for k < len(show) && c[(start+k)%len(c)] == show[k] {
					k++
				}
				if k == len(show) {
					counts[c[(start+k)%len(c)]]++
					total++
				}
			}
			if total == 0 {
				continue
			}
			for _, x := range counts {
				want = append(want, big.NewRat(x, total))
			}
		}
		got, err := SmoothWeighted{}.Probabilities(s)
		require.NoError(t, err)
		require.Equal(t, printed(want), printed(got))
		after, err := SmoothWeighted{}.after(s)
		require.NoError(t, err)
		require.Equal(t, floats(got), after(s.History))
	})
}

func TestSmoothWeightedWithoutWeightsTakesTurns(t *testing.T) {
	for _, history := range [][]int{nil, {0}, {2, 0, 1}, {1, 1}} {
		s := State{Loads: make([]float64, 3), History: history}
		want, err := RoundRobin{}.Probabilities(s)
		require.NoError(t, err)
		got, err := SmoothWeighted{}.Probabilities(s)
		require.NoError(t, err)
		require.Equal(t, printed(want), printed(got))
	}
}

// Deviations, against counting in every window of two cycles.
func TestDeviation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weightsState(t)
		n := len(s.Loads)
		c, err := s.cycle()
		require.NoError(t, err)
		sum := uint64(0)
		for _, w := range s.Weights {
			sum += w
		}
		wantPrefix, wantWindow := new(big.Rat), new(big.Rat)
		for start := range c {
			counts := make([]int64, n)
			for k := 1; k <= len(c); k++ {
				counts[c[(start+k-1)%len(c)]]++
				for i, w := range s.Weights {
					off := big.NewRat(int64(k)*int64(w), int64(sum))
					off.Sub(big.NewRat(counts[i], 1), off).Abs(off)
					if start == 0 && off.Cmp(wantPrefix) > 0 {
						wantPrefix.Set(off)
					}
					if off.Cmp(wantWindow) > 0 {
						wantWindow.Set(off)
					}
				}
			}
		}
		prefix, window := c.deviation(n)
		require.Equal(t, wantPrefix.RatString(), prefix.RatString())
		require.Equal(t, wantWindow.RatString(), window.RatString())
	})
}

func TestCycleRefusesLongOnes(t *testing.T) {
	for _, w := range [][]uint64{{1 << 16, 1}, {1<<64 - 1, 1<<64 - 2}, {1 << 15, 1<<15 + 1}} {
		_, err := SmoothWeighted{}.Probabilities(State{Loads: make([]float64, 2), Weights: w})
		require.ErrorContains(t, err, "longer than 65536 picks")
	}
	p, err := SmoothWeighted{}.Probabilities(State{Loads: make([]float64, 2), Weights: []uint64{3 << 40, 1 << 40}})
	require.NoError(t, err)
	require.Equal(t, "3/4 1/4", printed(p))
	// As a rival it is left out then, and a rotation posing as chance is named.
	e := newEvidence(t, Audit{Claim: WeightedRandom{}, Alpha: 1e-9})
	require.NoError(t, e.Observe(State{Loads: make([]float64, 2), Weights: []uint64{1 << 16, 1}}, 0))
	require.NotContains(t, e.Remaining(), SmoothWeighted{})
	f := newEvidence(t, Audit{Claim: WeightedRandom{}, Alpha: 1e-9})
	for _, pick := range credits([]uint64{5, 1, 1}, 100) {
		require.NoError(t, f.Observe(State{Loads: make([]float64, 3), Weights: []uint64{5, 1, 1}}, pick))
	}
	require.True(t, f.Convicted())
	best, ok := f.BestFit()
	require.True(t, ok)
	require.Equal(t, SmoothWeighted{}, best)
}
