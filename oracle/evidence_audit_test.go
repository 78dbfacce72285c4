package oracle

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// subject plays a law.
type subject struct {
	law     Law
	rng     *rand.Rand
	history []int
}

func newSubject(law Law, name string) *subject {
	return &subject{law: law, rng: rand.New(rand.NewPCG(Stream(1, name), 0))}
}

// pick draws from the law in the state, with the history of the subject.
func (b *subject) pick(s State) int {
	s.History = b.history
	p, err := b.law.Probabilities(s)
	if err != nil {
		panic(err)
	}
	i := draw(floats(p), b.rng)
	b.history = append(b.history, i)
	return i
}

func draw(p []float64, rng *rand.Rand) int {
	x := rng.Float64()
	for i, q := range p {
		if x -= q; x < 0 {
			return i
		}
	}
	return slices.IndexFunc(p, func(q float64) bool { return q > 0 })
}

func newEvidence(t require.TestingT, a Audit) *Evidence {
	e, err := NewEvidence(a)
	require.NoError(t, err)
	return e
}

// sequences calls f with every sequence of picks of that length.
func sequences(n, length int, f func([]int)) { tuples(n, length, true, f) }

// A conviction is latched exactly when the wealth reaches 1/alpha.
func TestConvictionIsAtTheThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Audit{Claim: Random{}, Alpha: rapid.SampledFrom([]float64{0.5, 0.1, 1e-3}).Draw(t, "alpha")}
		e := newEvidence(t, a)
		most := 0.0
		for _, pick := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 1, 2}), 1, 40).Draw(t, "picks") {
			require.NoError(t, e.Observe(State{Loads: make([]float64, 3)}, pick))
			most = max(most, e.Nats())
			require.Equal(t, math.Exp(most) >= 1/a.Alpha, e.Convicted())
		}
	})
}

// Balancers that keep their claim are convicted with probability alpha at most.
// With alpha = 1e-3 and 400 audits, more than 11 convictions have a probability
// below 1e-13: C(400, 12) 1e-36 < 4e-14.
func TestHonestSubjectsAreNotConvicted(t *testing.T) {
	const audits, most = 400, 11
	a := Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-3}
	s := State{Loads: []float64{3, 0, 1, 1, 2}}
	p, err := a.Claim.Probabilities(s)
	require.NoError(t, err)
	law, rng := floats(p), rand.New(rand.NewPCG(Stream(1, "honest subjects"), 0))
	convicted := 0
	for range audits {
		e := newEvidence(t, a)
		for range 100 {
			require.NoError(t, e.Observe(s, draw(law, rng)))
		}
		if e.Convicted() {
			convicted++
		}
	}
	require.LessOrEqual(t, convicted, most)
}

func TestForbiddenPick(t *testing.T) {
	s := State{Loads: []float64{0, 1, 2}}
	e := newEvidence(t, Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-9})
	require.NoError(t, e.Observe(s, 2))
	require.True(t, e.Convicted())
	require.Equal(t, math.Inf(1), e.Nats())
	require.NoError(t, e.Observe(s, 0))
	require.Equal(t, math.Inf(1), e.Nats())

	strays := newEvidence(t, Audit{Claim: PowerOfD{D: 2}, Alpha: 1e-9, Contamination: 0.05})
	require.NoError(t, strays.Observe(s, 2))
	require.False(t, strays.Convicted())
	for range 20 { // but not every pick is stray
		require.NoError(t, strays.Observe(s, 2))
	}
	require.True(t, strays.Convicted())
}

// Frequencies that fit too well convict as well: rounds, in whatever order.
func TestRotationsAreNotRandom(t *testing.T) {
	const n = 5
	for name, next := range map[string]func(t int) int{
		"forward":     func(t int) int { return t % n },
		"backward":    func(t int) int { return n - 1 - t%n },
		"other order": func(t int) int { return []int{2, 0, 3, 1, 4}[t%n] },
		"reshuffled":  func(t int) int { return (t%n*(1+t/n%4) + t/n) % n }, // multiples modulo a prime: a new order each round
	} {
		e := newEvidence(t, Audit{Claim: Random{}, Alpha: 1e-9})
		for i := range 200 {
			require.NoError(t, e.Observe(State{Loads: make([]float64, n)}, next(i)))
		}
		require.True(t, e.Convicted(), name)
	}
}

// A tie rule that is left open is not judged; one that is claimed is.
func TestAnyTie(t *testing.T) {
	s := State{Loads: []float64{0, 0, 1}}
	for _, open := range []bool{true, false} {
		e := newEvidence(t, Audit{Claim: LeastRequest{}, Alpha: 1e-9, AnyTie: open})
		for i := range 200 {
			require.NoError(t, e.Observe(s, i%2))
		}
		require.Equal(t, !open, e.Convicted())
		require.NoError(t, e.Observe(s, 2))
		require.True(t, e.Convicted())
	}
}

// Every known law is named once the others are refuted. The truth itself is
// refuted with probability 1e-12.
func TestEveryKnownLawIsNamed(t *testing.T) {
	const n, most = 4, 60000
	views := []State{
		{Loads: []float64{3, 2, 1, 0}, Weights: []uint64{1, 2, 3, 4}},
		{Loads: []float64{1, 0, 1, 0}, Weights: []uint64{1, 2, 3, 4}},
		{Loads: []float64{0, 0, 0, 0}, Weights: []uint64{1, 2, 3, 4}},
	}
	for _, truth := range slices.Concat(KnownLaws(n), WeightedLaws()) {
		b := newSubject(truth, "named "+truth.String())
		e := newEvidence(t, Audit{Claim: truth, Alpha: 1e-12})
		for len(e.Remaining()) != 1 && e.Picks() < most {
			s := views[e.Picks()/10%len(views)]
			s.History = slices.Clone(b.history[max(0, len(b.history)-10):]) // a cycle of the weights
			require.NoError(t, e.Observe(s, b.pick(s)))
		}
		require.False(t, e.Convicted(), "%v", truth)
		require.Equal(t, []Law{truth}, e.Remaining(), "after %d picks", e.Picks())
		best, ok := e.BestFit()
		require.True(t, ok)
		require.Equal(t, truth, best)
	}
}

func TestBestFitOfAnUnknownLaw(t *testing.T) {
	e := newEvidence(t, Audit{Claim: Random{}, Alpha: 1e-6})
	_, ok := e.BestFit()
	require.False(t, ok, "nothing was observed")
	for range 200 { // always the heaviest of three
		require.NoError(t, e.Observe(State{Loads: []float64{0, 1, 2}}, 2))
		require.NoError(t, e.Observe(State{Loads: []float64{0, 1, 2}}, 1))
		require.NoError(t, e.Observe(State{Loads: []float64{0, 1, 2}}, 0))
		require.NoError(t, e.Observe(State{Loads: []float64{0, 1, 2}}, 0))
	}
	_, ok = e.BestFit()
	require.False(t, ok)
	require.Len(t, e.Refuted(), len(KnownLaws(3)))
	for _, s := range e.Standings() {
		require.Greater(t, s.RefutedAt, 0)
		if s.Law == (PowerOfD{D: 2}) {
			require.Equal(t, 1, s.RefutedAt, "the first pick is forbidden")
			require.Equal(t, math.Inf(1), s.Nats)
			require.Equal(t, math.Inf(-1), s.LogLikelihood)
		}
	}
}

func TestEvidenceRefuses(t *testing.T) {
	for want, a := range map[string]Audit{
		"no claim":            {Alpha: 0.1},
		"alpha is 0":          {Claim: Random{}},
		"alpha is 1":          {Claim: Random{}, Alpha: 1},
		"alpha is NaN":        {Claim: Random{}, Alpha: math.NaN()},
		"contamination is 1":  {Claim: Random{}, Alpha: 0.1, Contamination: 1},
		"contamination is -1": {Claim: Random{}, Alpha: 0.1, Contamination: -1},
	} {
		_, err := NewEvidence(a)
		require.ErrorContains(t, err, want)
	}
	e := newEvidence(t, Audit{Claim: Random{}, Alpha: 0.1})
	require.ErrorContains(t, e.Observe(State{}, 0), "no server")
	require.ErrorContains(t, e.Observe(State{Loads: []float64{0, 1}}, 2), "pick is 2")
	require.ErrorContains(t, e.Observe(State{Loads: []float64{0, 1}}, -1), "pick is -1")
	require.Zero(t, e.Picks())
}
