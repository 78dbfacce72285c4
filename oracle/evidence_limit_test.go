package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLimitPicks(t *testing.T) {
	s := []State{{Loads: []float64{0, 1, 2}}}
	a := Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-9}
	limit, err := a.LimitPicks(PowerOfD{D: 2, Replacement: true}, s)
	require.NoError(t, err)
	require.Equal(t, 9.0, limit, "a ninth of the picks is forbidden")

	// From 2/3 1/3 0 to 5/9 3/9 1/9: nothing is forbidden.
	b := Audit{Claim: PowerOfD{D: 2, Replacement: true}, Alpha: 1e-9}
	limit, err = b.LimitPicks(PowerOfD{D: 2}, s)
	require.NoError(t, err)
	require.InEpsilon(t, math.Log(1e9)/(2./3*math.Log(6./5)), limit, 1e-14)

	limit, err = a.LimitPicks(PowerOfD{D: 2}, s)
	require.NoError(t, err)
	require.Equal(t, math.Inf(1), limit)

	// Two views: the second tells nothing and halves the rate.
	twice, err := b.LimitPicks(PowerOfD{D: 2}, append(s, State{Loads: []float64{0, 0, 0}}))
	require.NoError(t, err)
	once, _ := b.LimitPicks(PowerOfD{D: 2}, s)
	require.InEpsilon(t, 2*once, twice, 1e-14)

	// A tie rule that is left open tells nothing.
	c := Audit{Claim: LeastRequest{}, Alpha: 1e-9, AnyTie: true}
	limit, err = c.LimitPicks(LowestIndex{}, []State{{Loads: []float64{0, 0, 1}}})
	require.NoError(t, err)
	require.Equal(t, math.Inf(1), limit)

	// A rotation after a pick, against a fair coin: one bit a pick.
	d := Audit{Claim: Random{}, Alpha: 0.125}
	limit, err = d.LimitPicks(RoundRobin{}, []State{{Loads: []float64{0, 0}, History: []int{0}}})
	require.NoError(t, err)
	require.InEpsilon(t, 3, limit, 1e-14)

	_, err = a.LimitPicks(Random{}, nil)
	require.ErrorContains(t, err, "no state")
	_, err = a.LimitPicks(Random{}, []State{{}})
	require.ErrorContains(t, err, "no server")
}

// Strays hide a deviation, and the more of them the better.
func TestStraysRaiseTheLimit(t *testing.T) {
	before := 0.0
	for _, c := range []float64{0.001, 0.01, 0.05, 0.1} {
		a := Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-9, Contamination: c}
		limit, err := a.LimitPicks(PowerOfD{D: 2, Replacement: true}, []State{{Loads: []float64{0, 1, 2}}})
		require.NoError(t, err)
		require.Greater(t, limit, before)
		before = limit
	}
}

// stretch gives a law of the neighbourhood, and no other law of it is harder to
// tell from the bet: the divergence of q from p* is the smallest.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		law := func(label string, least float64) []float64 {
			p := rapid.SliceOfN(rapid.Float64Range(least, 1), n, n).Draw(t, label)
			p[0] += 0.01
			sum := 0.0
			for _, x := range p {
				sum += x
			}
			for i := range p {
				p[i] /= sum
			}
			return p
		}
		p, q, r := law("p", 0), law("q", 0.001), law("r", 0)
		c := rapid.Float64Range(0.001, 0.9).Draw(t, "c")
		hidden := stretch(p, q, c)
		total, nearest, other := 0.0, 0.0, 0.0
		for i := range p {
			require.GreaterOrEqual(t, hidden[i], (1-c)*p[i])
			total += hidden[i]
			nearest += q[i] * math.Log(q[i]/hidden[i])
			other += q[i] * math.Log(q[i]/((1-c)*p[i]+c*r[i]))
		}
		require.InDelta(t, 1, total, 1e-12) // sums of 6 numbers below 1, quotients of them
		require.LessOrEqual(t, nearest, other+1e-12)
	})
}

func TestExcessIsContinuous(t *testing.T) {
	for _, u := range []float64{-1e-4, 1e-4} {
		below, above := excess(u*(1-1e-9)), excess(u*(1+1e-9))
		// The function moves by a relative 4e-9; the direct form is off by 1e-16·u/(u²/2).
		require.InEpsilon(t, below, above, 5e-9)
	}
	require.Equal(t, 1.0, excess(-1))
	require.InEpsilon(t, 2*math.Ln2-1, excess(1), 1e-15)
}
