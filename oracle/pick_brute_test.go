package oracle

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The laws are checked against the policies they describe, played out for every
// outcome of their draws. Each play says how many of the equally likely outcomes
// end at each server, over a common denominator: no rank, no binomial.

// tuples calls f with every ordered sample of d of n servers.
func tuples(n, d int, replacement bool, f func([]int)) {
	sample := make([]int, 0, d)
	var extend func()
	extend = func() {
		if len(sample) == d {
			f(sample)
			return
		}
		for i := range n {
			if !replacement && slices.Contains(sample, i) {
				continue
			}
			sample = append(sample, i)
			extend()
			sample = sample[:len(sample)-1]
		}
	}
	extend()
}

// play splits each outcome evenly over the servers that it leaves equal.
func play(n, d int, replacement bool, winners func(sample []int) []int) []*big.Rat {
	const whole = 2 * 2 * 3 * 5 * 7 // an outcome splits into up to 7 equal parts
	share, total := make([]int64, n), int64(0)
	tuples(n, d, replacement, func(sample []int) {
		total += whole
		w := winners(sample)
		for _, i := range w {
			share[i] += whole / int64(len(w))
		}
	})
	law := make([]*big.Rat, n)
	for i, x := range share {
		law[i] = big.NewRat(x, total)
	}
	return law
}

// lightest lists the distinct members of a sample with the smallest load.
func lightest(loads []float64, sample []int) []int {
	var best []int
	for _, i := range sample {
		switch {
		case len(best) == 0 || loads[i] < loads[best[0]]:
			best = []int{i}
		case loads[i] == loads[best[0]] && !slices.Contains(best, i):
			best = append(best, i)
		}
	}
	return best
}

func negated(loads []float64) []float64 {
	down := make([]float64, len(loads))
	for i, load := range loads {
		down[i] = -load
	}
	return down
}

// byPlay is what a law should say, from playing it.
func byPlay(l Law, s State) []*big.Rat {
	n := len(s.Loads)
	switch l := l.(type) {
	case Random:
		return play(n, 1, false, slices.Clone[[]int])
	case WeightedRandom: // a ball drawn from an urn that holds weight balls of each server
		var urn []int
		for i := range n {
			for range s.weight(i) {
				urn = append(urn, i)
			}
		}
		share := play(len(urn), 1, false, slices.Clone[[]int])
		drawn := make([]*big.Rat, n)
		for i := range drawn {
			drawn[i] = new(big.Rat)
		}
		for ball, i := range urn {
			drawn[i].Add(drawn[i], share[ball])
		}
		return drawn
	case EnvoyWeighted: // the same urn, with fewer balls for a busy server
		var urn []int
		for i := range n {
			// 2·load+2 is 2 to 6 in these tests: 60 can be divided by all of them.
			for range s.weight(i) * 60 / uint64(2*s.Loads[i]+2) {
				urn = append(urn, i)
			}
		}
		drawn := make([]*big.Rat, n)
		for i := range drawn {
			drawn[i] = new(big.Rat)
		}
		for _, i := range urn {
			drawn[i].Add(drawn[i], big.NewRat(1, int64(len(urn))))
		}
		return drawn
	case WeightedLeastRequest: // in whole numbers: 2520 can be divided by all weights up to 9
		burdens := make([]float64, n)
		for i := range burdens {
			burdens[i] = (2*s.Loads[i] + 2) * (2520 / float64(s.weight(i)))
		}
		return play(n, n, false, func(all []int) []int { return lightest(burdens, all) })
	case LeastRequest:
		return play(n, n, false, func(all []int) []int { return lightest(s.Loads, all) })
	case LowestIndex:
		return play(n, n, false, func(all []int) []int { return []int{slices.Min(lightest(s.Loads, all))} })
	case TwoLightest: // the order of an exchangeable sample breaks ties; a stable sort keeps it
		return play(n, n, false, func(all []int) []int {
			sorted := slices.Clone(all)
			slices.SortStableFunc(sorted, func(i, j int) int {
				return int(math.Copysign(1, s.Loads[i]-s.Loads[j])) * boolInt(s.Loads[i] != s.Loads[j])
			})
			return sorted[:min(2, n)]
		})
	case HeavierOfD:
		return play(n, min(l.D, n), false, func(sample []int) []int { return lightest(negated(s.Loads), sample)[:1] })
	case PowerOfD:
		d := l.D
		if !l.Replacement {
			d = min(d, n)
		}
		return play(n, d, l.Replacement, func(sample []int) []int {
			w := lightest(s.Loads, sample)
			if l.LowestIndex {
				return []int{slices.Min(w)}
			}
			return w[:1] // the first drawn, as a balancer would
		})
	}
	panic("oracle: no play for " + l.String())
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func printed(law []*big.Rat) string {
	var parts []string
	for _, p := range law {
		parts = append(parts, p.RatString())
	}
	return strings.Join(parts, " ")
}

// states draws a fleet of up to 7 servers with many ties, sometimes weighted.
func states(t *rapid.T) State {
	n := rapid.IntRange(1, 7).Draw(t, "n")
	levels := rapid.IntRange(0, 4).Draw(t, "levels")
	s := State{Loads: make([]float64, n)}
	for i := range s.Loads {
		s.Loads[i] = float64(rapid.IntRange(0, levels).Draw(t, "load")) / 2
	}
	if rapid.Bool().Draw(t, "weighted") {
		s.Weights = rapid.SliceOfN(rapid.Uint64Range(1, 9), n, n).Draw(t, "weights")
	}
	return s
}

// memoryless are the laws whose single picks are draws.
func memoryless() []Law {
	var laws []Law
	more := []Law{HeavierOfD{D: 3}, PowerOfD{D: 1}, PowerOfD{D: 9}, PowerOfD{D: 9, LowestIndex: true}}
	for _, l := range slices.Concat(KnownLaws(9), WeightedLaws(), more) {
		if l != (RoundRobin{}) && l != (SmoothWeighted{}) {
			laws = append(laws, l)
		}
	}
	return laws
}

func TestEveryLawIsWhatPlayingItGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := states(t)
		for _, law := range memoryless() {
			got, err := law.Probabilities(s)
			require.NoError(t, err)
			require.Equal(t, printed(byPlay(law, s)), printed(got), "%v", law)
		}
	})
}

func TestLawsSumToOneAndTiesPartitionTheFleet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		law, s := rapid.SampledFrom(append(KnownLaws(7), WeightedLaws()...)).Draw(t, "law"), states(t)
		s.History = rapid.SliceOf(rapid.IntRange(0, len(s.Loads)-1)).Draw(t, "history")
		p, err := law.Probabilities(s)
		require.NoError(t, err)
		sum := new(big.Rat)
		for _, x := range p {
			require.GreaterOrEqual(t, x.Sign(), 0)
			sum.Add(sum, x)
		}
		require.Equal(t, "1", sum.RatString())
		all := slices.Sorted(slices.Values(slices.Concat(classes(law, s)...)))
		require.Equal(t, indices(len(s.Loads)), all)
	})
}

// Relabel the servers and the law relabels with them, except where an index is
// part of the law.
func TestLawsDoNotKnowLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		law := rapid.SampledFrom(memoryless()).Filter(func(l Law) bool {
			return !strings.Contains(l.String(), "lowest-index")
		}).Draw(t, "law")
		s := states(t)
		to := rapid.Permutation(indices(len(s.Loads))).Draw(t, "relabelling")
		moved := State{Loads: make([]float64, len(to))}
		if s.Weights != nil {
			moved.Weights = make([]uint64, len(to))
		}
		for i, j := range to {
			moved.Loads[j] = s.Loads[i]
			if s.Weights != nil {
				moved.Weights[j] = s.Weights[i]
			}
		}
		before, err := law.Probabilities(s)
		require.NoError(t, err)
		after, err := law.Probabilities(moved)
		require.NoError(t, err)
		for i, j := range to {
			require.Equal(t, before[i].RatString(), after[j].RatString())
		}
	})
}

// How ties are broken moves probability within a group only.
func TestTieRulesAgreeOnGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := states(t)
		d := rapid.IntRange(1, 8).Draw(t, "d")
		replacement := rapid.Bool().Draw(t, "replacement")
		fair, err := PowerOfD{D: d, Replacement: replacement}.Probabilities(s)
		require.NoError(t, err)
		lowest, err := PowerOfD{D: d, Replacement: replacement, LowestIndex: true}.Probabilities(s)
		require.NoError(t, err)
		for _, g := range (PowerOfD{D: d}).Ties(s) {
			difference := new(big.Rat)
			for _, i := range g {
				difference.Add(difference, fair[i])
				difference.Sub(difference, lowest[i])
			}
			require.Zero(t, difference.Sign())
		}
	})
}
