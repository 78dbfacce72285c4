package oracle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The radius holds at all times at once. For two servers the picks are a walk,
// and the chance that it ever leaves the radius is computed exactly, by carrying
// the probability of every count that has not left yet.
func TestRadiusHoldsAtAllTimes(t *testing.T) {
	const steps = 3000
	for _, alpha := range []float64{0.3, 0.05, 1e-3} {
		for _, p := range []float64{0.5, 0.1} {
			inside := []float64{1}
			left := 0.0
			for step := 1; step <= steps; step++ {
				next := make([]float64, step+1)
				for k, x := range inside {
					next[k] += x * (1 - p)
					next[k+1] += x * p
				}
				limit := radius(2, step, alpha)
				for k, x := range next {
					if math.Abs(float64(k)/float64(step)-p) > limit {
						left += x
						next[k] = 0
					}
				}
				inside = next
			}
			t.Logf("alpha %v, p %v: leaves within %d picks with probability %.3g", alpha, p, steps, left)
			require.LessOrEqual(t, left, alpha)
			if p == 0.5 { // where the lemma of Hoeffding is sharp, the radius is not idle
				require.Positive(t, left)
			}
		}
	}
}

// The same for three servers, where the distance is over all splits.
func TestRadiusHoldsForThreeServers(t *testing.T) {
	const steps, alpha = 120, 0.3
	p := [3]float64{0.5, 0.3, 0.2}
	type counts [2]int
	inside, left := map[counts]float64{{}: 1}, 0.0
	for step := 1; step <= steps; step++ {
		next := make(map[counts]float64)
		for c, x := range inside {
			next[counts{c[0] + 1, c[1]}] += x * p[0]
			next[counts{c[0], c[1] + 1}] += x * p[1]
			next[c] += x * p[2]
		}
		limit, n := radius(3, step, alpha), float64(step)
		for c, x := range next {
			a, b := float64(c[0])/n-p[0], float64(c[1])/n-p[1]
			if (math.Abs(a)+math.Abs(b)+math.Abs(a+b))/2 > limit {
				left += x
				delete(next, c)
			}
		}
		inside = next
	}
	t.Logf("leaves within %d picks with probability %.3g", steps, left)
	require.LessOrEqual(t, left, alpha)
	require.Positive(t, left)
}

// The planned picks are enough for an honest subject, but for 2e-12, and one
// fewer would not be by the same bound.
func TestPicksForAcquits(t *testing.T) {
	a := Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-12}
	states := []State{{Loads: []float64{2, 0, 1, 1}}, {Loads: []float64{0, 0, 3, 1}}}
	const delta = 0.1
	planned, err := a.PicksFor(states, delta, 1e-12)
	require.NoError(t, err)
	e := newEvidence(t, a)
	require.Equal(t, 1.0, e.Bound())
	rng := rand.New(rand.NewPCG(Stream(1, "planned picks"), 0))
	for _, s := range states {
		p, err := a.Claim.Probabilities(s)
		require.NoError(t, err)
		law := floats(p)
		for range planned {
			require.NoError(t, e.Observe(s, draw(law, rng)))
		}
	}
	t.Logf("%d picks for each state; bound %.4f", planned, e.Bound())
	require.True(t, e.Acquitted(delta))

	// The formula in full, for 3 servers that may be picked, the second of two
	// views, and a quarter of what that has.
	total := func(t float64) float64 {
		sets := math.Log(6) // 2^3 - 2
		return math.Sqrt((sets+math.Log(2/1e-12))/(2*t)) +
			math.Sqrt((64+t)/2*(sets+math.Log(4*6/1e-12)+math.Log(1+t/64)/2))/t
	}
	require.LessOrEqual(t, total(float64(planned)), delta)
	require.Greater(t, total(float64(planned-1)), delta)
}

// Where the claim leaves no choice, few picks are enough, and they cannot fail.
func TestPicksForCertainClaims(t *testing.T) {
	const delta, alpha = 0.05, 1e-9
	idle := State{Loads: make([]float64, 5)}
	for name, c := range map[string]struct {
		audit Audit
		state State
		pick  func(t int) int
	}{
		"one minimum":   {Audit{Claim: LeastRequest{}}, State{Loads: []float64{2, 0, 1}}, func(int) int { return 1 }},
		"lowest index":  {Audit{Claim: LowestIndex{}}, idle, func(int) int { return 0 }},
		"any minimum":   {Audit{Claim: LeastRequest{}, AnyTie: true}, State{Loads: []float64{0, 1, 0}}, func(t int) int { return 2 * (t % 2) }},
		"a full circle": {Audit{Claim: RoundRobin{}}, idle, func(t int) int { return t % 5 }},
	} {
		c.audit.Alpha = alpha
		planned, err := c.audit.PicksFor([]State{c.state}, delta, 1e-9)
		require.NoError(t, err)
		e := newEvidence(t, c.audit)
		for i := range planned {
			require.False(t, e.Acquitted(delta), name)
			require.NoError(t, e.Observe(c.state, c.pick(i)))
		}
		require.True(t, e.Acquitted(delta), name)
		// 1 - (alpha/4)^(1/t) = delta, and a first pick that says nothing costs 1/delta more.
		exact := math.Log(alpha/4) / math.Log1p(-delta)
		require.GreaterOrEqual(t, float64(planned), exact, name)
		require.LessOrEqual(t, float64(planned), exact+1/delta+1, name)
	}
	e := newEvidence(t, Audit{Claim: LeastRequest{}, Alpha: alpha})
	for i := range 5000 {
		require.NoError(t, e.Observe(State{Loads: []float64{0, 1}}, i/4999)) // the last one is forbidden
	}
	require.Equal(t, 1.0, e.Bound())

	// Strays leave nothing certain.
	strays := newEvidence(t, Audit{Claim: LeastRequest{}, Alpha: alpha, Contamination: 0.01})
	for range 5000 {
		require.NoError(t, strays.Observe(State{Loads: []float64{0, 1, 1}}, 0))
	}
	require.InDelta(t, radius(3, 5000, alpha/2/4)+0.01, strays.Bound(), 1e-12)
}

// The bound for what was never seen is exact for independent picks: with a mean
// of x a pick, t picks in a row are all as claimed with probability (1-x)^t.
func TestUnseen(t *testing.T) {
	for _, picks := range []int{1, 10, 1000} {
		require.InEpsilon(t, 1e-3, math.Pow(1-unseen(picks, 1e-3), float64(picks)), 1e-10)
	}
}

// A subject at distance d from its claim is never said to be closer, but with
// probability alpha.
func TestBoundCoversTheDistance(t *testing.T) {
	s := State{Loads: []float64{0, 1, 2}}
	e := newEvidence(t, Audit{Claim: PowerOfD{D: 2, Replacement: true}, Alpha: 1e-12})
	b := newSubject(PowerOfD{D: 2}, "bound")
	for range 5000 {
		require.NoError(t, e.Observe(s, b.pick(State{Loads: s.Loads})))
		require.GreaterOrEqual(t, e.Bound(), 1./9) // 5/9 3/9 1/9 against 2/3 1/3 0
	}
	require.Less(t, e.Bound(), 0.3)
}

func TestPicksForRefuses(t *testing.T) {
	a := Audit{Claim: Random{}, Alpha: 1e-9, Contamination: 0.01}
	s := []State{{Loads: []float64{0, 1}}}
	for want, f := range map[string]func() (int, error){
		"delta is 0.02": func() (int, error) { return a.PicksFor(s, 0.02, 0.1) },
		"delta is NaN":  func() (int, error) { return a.PicksFor(s, math.NaN(), 0.1) },
		"delta is 1.5":  func() (int, error) { return a.PicksFor(s, 1.5, 0.1) },
		"beta is 0":     func() (int, error) { return a.PicksFor(s, 0.5, 0) },
		"no state":      func() (int, error) { return a.PicksFor(nil, 0.5, 0.1) },
		"no server":     func() (int, error) { return a.PicksFor([]State{{}}, 0.5, 0.1) },
		"alpha is 0":    func() (int, error) { return Audit{Claim: Random{}}.PicksFor(s, 0.5, 0.1) },
		"2^50":          func() (int, error) { return a.PicksFor(s, 0.02+1e-9, 0.1) },
	} {
		_, err := f()
		require.ErrorContains(t, err, want)
	}
	one, err := Audit{Claim: LeastRequest{}, Alpha: 1e-9, AnyTie: true}.PicksFor([]State{{Loads: []float64{1, 1}}}, 0.01, 0.1)
	require.NoError(t, err)
	require.Equal(t, 1, one, "a single group cannot be missed")
}
