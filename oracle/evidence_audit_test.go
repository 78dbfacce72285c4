package oracle

import (
	"fmt"
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

// The wealth is a fair bet against the claim, and against each rival: its mean
// over all sequences of picks, each with the probability that it has under the
// law, is exactly 1 where every pick is possible and nothing stray; else at most
// 1. The means are sums of 243 products of 5 factors, off by less than 1e-12.
//
// The strays all go to one server, and the next view depends on the last pick.
func TestWealthIsFair(t *testing.T) {
	const length, slack = 5, 1e-12
	views := []State{{Loads: []float64{2, 1, 2}}, {Loads: []float64{0, 1, 1}, Weights: []uint64{3, 1, 2}}}
	for name, a := range map[string]Audit{
		"full support": {Claim: PowerOfD{D: 2, Replacement: true}},
		"random":       {Claim: Random{}},
		"forbidding":   {Claim: PowerOfD{D: 2}},
		"any tie":      {Claim: PowerOfD{D: 2, Replacement: true}, AnyTie: true},
		"strays":       {Claim: PowerOfD{D: 2}, Contamination: 0.1},
		"strays, ties": {Claim: LeastRequest{}, Contamination: 0.05, AnyTie: true},
		"with memory":  {Claim: RoundRobin{}},
	} {
		t.Run(name, func(t *testing.T) {
			a.Alpha = 0.1
			a.Rivals = []Law{Random{}, LowestIndex{}, RoundRobin{}, PowerOfD{D: 2}, PowerOfD{D: 2, Replacement: true}, WeightedRandom{}}
			strays := 1
			if a.Contamination > 0 {
				strays = 3
			}
			for stray := range strays {
				var against []float64 // the mean wealth against each candidate
				claim := 0.0
				sequences(3, length, func(picks []int) {
					e := newEvidence(t, a)
					e.start(views[0])
					chance := slices.Repeat([]float64{1}, len(e.candidates))
					view, run := 0, []int(nil)
					for _, pick := range picks {
						s := views[view]
						s.History = run
						for j, r := range e.candidates {
							p, err := r.Law.Probabilities(s)
							require.NoError(t, err)
							hit := (1 - a.Contamination) * floats(p)[pick]
							if pick == stray {
								hit += a.Contamination
							}
							chance[j] *= hit
						}
						require.NoError(t, e.Observe(views[view], pick))
						run = append(run, pick)
						if pick%2 != view {
							view, run = 1-view, nil
						}
					}
					against = slices.Grow(against, len(chance))[:len(chance)]
					for j, r := range e.candidates {
						if chance[j] > 0 {
							against[j] += chance[j] * math.Exp(r.Nats)
						}
					}
					if chance[0] > 0 {
						claim += chance[0] * math.Exp(e.Nats())
					}
				})
				require.LessOrEqual(t, claim, 1+slack)
				for j, mean := range against {
					require.LessOrEqual(t, mean, 1+slack, "candidate %d", j)
				}
				if name == "full support" || name == "random" {
					require.InDelta(t, 1, claim, slack)
				}
			}
		})
	}
}

// The wealth never falls further behind the product for one bet than the
// logarithm of that bet's prior weight: the price of not knowing the rival. That
// goes for the rivals, for the frequencies, and for the tilt of each server.
func TestWealthFollowsTheBestBet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		a := Audit{
			Claim:  rapid.SampledFrom([]Law{Random{}, PowerOfD{D: 2, Replacement: true}}).Draw(t, "claim"),
			Alpha:  1e-3,
			AnyTie: rapid.Bool().Draw(t, "any tie"),
		}
		s := State{Loads: rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 2}), n, n).Draw(t, "loads")}
		picks := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 60).Draw(t, "picks")
		e := newEvidence(t, a)
		e.start(s)
		prior := slices.Clone(e.bets.byServer)
		group := map[int][]int{}
		for _, g := range a.groups(s) {
			for _, i := range g {
				group[i] = g
			}
		}
		exact, err := a.Claim.Probabilities(s)
		require.NoError(t, err)
		claim := floats(exact)
		of := func(p []float64, pick int) float64 {
			sum := 0.0
			for _, i := range group[pick] {
				sum += p[i]
			}
			return sum
		}
		products := map[string]float64{} // logarithms, by bet
		counts := make([]int, n)
		for t, pick := range picks {
			gain := func(bet string, q []float64) { products[bet] += math.Log(of(q, pick) / of(claim, pick)) }
			s.History = picks[:t]
			for _, r := range e.candidates {
				p, _ := r.Law.Probabilities(s)
				gain(r.Law.String(), floats(p))
			}
			dirichlet := make([]float64, n)
			for j := range n {
				dirichlet[j] = (float64(counts[j]) + 0.5) / (float64(t) + float64(n)/2)
				tilted, part := slices.Clone(claim), (float64(counts[j])+0.5)/float64(t+1)
				for i := range tilted {
					tilted[i] *= (1 - part) / (1 - claim[j])
				}
				tilted[j] = part
				gain(fmt.Sprint("server ", j), tilted)
			}
			gain("frequencies", dirichlet)
			counts[pick]++
			s.History = nil
			_ = e.Observe(s, pick)
		}
		require.Equal(t, len(picks), e.Picks())
		for k, bet := range e.bets.predictors {
			// 60 picks of rounded factors move a logarithm by less than 1e-12.
			least := func(name string, weight float64) {
				require.GreaterOrEqual(t, e.Nats(), math.Log(weight)+products[name]-1e-12, name)
			}
			switch bet := bet.(type) {
			case rival:
				if bet.part == 1 {
					least(e.candidates[bet.law].Law.String(), prior[k])
				}
			case *frequencies:
				least("frequencies", prior[k])
			case *oneServer:
				for j := range n {
					if !a.AnyTie { // its weights are those of servers
						least(fmt.Sprint("server ", j), prior[k]/float64(n))
					}
				}
			}
		}
	})
}

// The weights of the mixture move so that the wealth is the average of the
// products of all bets, on groups, by their prior weights. 60 picks of rounded
// factors, none of them below 1e-6, move the logarithms by less than 1e-9.
func TestWealthIsTheMixtureOfProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newEvidence(t, Audit{Claim: PowerOfD{D: 2, Replacement: true}, Alpha: 1e-3, AnyTie: rapid.Bool().Draw(t, "any tie")})
		e.start(State{Loads: make([]float64, 4)})
		products := slices.Clone(e.bets.byServer)
		for _, pick := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2, 3}), 1, 60).Draw(t, "picks") {
			s := State{Loads: []float64{1, 1, 0, 0}}
			now := &moment{view: e.look(s), state: State{Loads: s.Loads, History: e.run}}
			require.NoError(t, e.bets.ready(now))
			group := now.view.groups[now.view.groupOf[pick]]
			for k, p := range e.bets.predictors {
				q, claimed := 0.0, 0.0
				for _, i := range group {
					q += p.at(now, i)
					claimed += now.claim()[i]
				}
				products[k] *= q / claimed
			}
			require.NoError(t, e.Observe(s, pick))
			wealth := 0.0
			for _, x := range products {
				wealth += x
			}
			require.InDelta(t, math.Log(wealth), e.Nats(), 1e-9)
		}
	})
}

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
// With alpha = 1e-3 and 1000 audits, more than 15 convictions have a probability
// below 1e-12: P(Poisson(1) > 15) < 2e-14.
func TestHonestSubjectsAreNotConvicted(t *testing.T) {
	const audits, most = 1000, 15
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
