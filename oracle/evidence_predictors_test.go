package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every bet predicts a law: it adds up to 1, whatever happened before. Sums of
// up to 6 rounded numbers are off by less than 1e-12.
func TestPredictorsPredictLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claim := rapid.SampledFrom(KnownLaws(6)).Draw(t, "claim")
		e := newEvidence(t, Audit{Claim: claim, Alpha: 1e-3})
		for _, pick := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 30).Draw(t, "picks") {
			s := State{Loads: rapid.SampledFrom([][]float64{{0, 1, 1, 2}, {0, 0, 0, 0}, {4, 3, 2, 1}}).Draw(t, "loads")}
			require.NoError(t, e.Observe(s, pick))
			m := &moment{view: e.now, state: State{Loads: s.Loads, History: e.run}}
			require.NoError(t, e.bets.ready(m))
			for _, p := range e.bets.all {
				sum := 0.0
				for i := range s.Loads {
					x := p.at(m, i)
					require.GreaterOrEqual(t, x, 0.0)
					sum += x
				}
				require.InDelta(t, 1, sum, 1e-12, "%T", p)
			}
		}
	})
}

// oneServer is the mixture that it says it is: here by Bayes over whole products.
// 40 factors within [0.01, 100] leave relative errors below 1e-12.
func TestOneServerIsAMixtureOfTilts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claim := []float64{0.1, 0.5, 0.25, 0.15}
		v := newView(State{Loads: make([]float64, 4)}, strictly([][]int{indices(4)}), 1)
		m := &moment{view: v, laws: [][]float64{claim}}
		bet := newOneServer()
		weights := []float64{0.25, 0.25, 0.25, 0.25}
		for _, pick := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}), 1, 40).Draw(t, "picks") {
			tilts, whole := make([][]float64, 4), 0.0
			for j, p := range claim {
				part := (float64(v.counts[j]) + 0.5) / float64(v.picks+1)
				tilts[j] = make([]float64, 4)
				for i := range claim {
					tilts[j][i] = claim[i] / (1 - p) * (1 - part)
				}
				tilts[j][j] = part
				whole += weights[j]
			}
			bet.ready(m)
			for i := range claim {
				want := 0.0
				for j := range tilts {
					want += weights[j] / whole * tilts[j][i]
				}
				require.InEpsilon(t, want, bet.at(m, i), 1e-12)
			}
			bet.learn(m, pick)
			v.learn(m, pick)
			for j := range weights {
				weights[j] *= tilts[j][pick]
			}
		}
	})
}
