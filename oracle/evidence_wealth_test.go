package oracle

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
		for k, bet := range e.bets.all {
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
			for k, p := range e.bets.all {
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
