package oracle

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The second of two balls meets the first with probability 1/bins.
func TestMaximumOfTwoBalls(t *testing.T) {
	for _, bins := range []int{2, 3, 10, 10_000, 100_000_000} {
		least, law, bound := BallsInBins{Bins: bins, Balls: 2}.MaximumLaw()
		assert.Equal(t, 1, least)
		both := big.NewRat(1, int64(bins))
		want := []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), both), both}
		assert.LessOrEqual(t, len(law), len(want))
		for i, w := range want {
			got := new(big.Rat)
			if i < len(law) {
				got.SetFloat64(law[i])
			}
			off := new(big.Rat).Abs(got.Sub(got, w))
			assert.LessOrEqual(t, off.Cmp(new(big.Rat).SetFloat64(bound)), 0, "%d bins, maximum %d: %v, bound %v", bins, i+1, law, bound)
		}
	}
}

// Numbers that add up to 1 and are no probabilities are no law.
func TestMultinomialNatsOfNoLaw(t *testing.T) {
	for want, law := range map[string][]float64{
		"outcome 0 has probability 1.5":  {1.5, -0.5},
		"outcome 0 has probability -0.5": {-0.5, 1.5},
	} {
		_, err := MultinomialNats([]int{1, 1}, law)
		assert.ErrorContains(t, err, want)
	}
}

// Lists are shown eight to a line.
func TestListsAreBroken(t *testing.T) {
	var list []int
	for _, want := range []string{"", "1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 5", "1 2 3 4 5 6", "1 2 3 4 5 6 7",
		"1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8\n9", "1 2 3 4 5 6 7 8\n9 10"} {
		assert.Equal(t, want, showList(list))
		list = append(list, len(list)+1)
	}
}

// A word may have 1000 bytes.
func TestLongWords(t *testing.T) {
	e := Entry{Name: "echo", Params: []Param{{Name: "word"}}}.Answering(func(a Arguments) (Answer, error) {
		a.Text("word")
		return Answer{}, a.Err()
	})
	for length, short := range map[int]bool{1: true, 1000: true, 1001: false} {
		_, err := e.Eval(map[string]string{"word": strings.Repeat("x", length)})
		if short {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "at most 1000 bytes")
		}
	}
}

// One trial succeeds with probability p: the interval ends where that, or its
// opposite, is half of alpha.
func TestIntervalOfOneTrial(t *testing.T) {
	low, high, err := BinomialInterval(1, 1, 0.5)
	assert.NoError(t, err)
	assert.Equal(t, []float64{0.25, 1}, []float64{low, high})
	low, high, err = BinomialInterval(0, 1, 0.5)
	assert.NoError(t, err)
	assert.Equal(t, []float64{0, 0.75}, []float64{low, high})
}

// Where there is no state, nothing is told apart.
func TestNothingTellsWithoutStates(t *testing.T) {
	_, picks, err := Audit{Claim: Random{}, Alpha: 1e-9}.MostTelling(RoundRobin{}, nil)
	assert.NoError(t, err)
	assert.Equal(t, math.Inf(1), picks)
}

// A chance of 1 to miss what is wrong is no promise, and no plan.
func TestPlansForCertainty(t *testing.T) {
	a, states := Audit{Claim: Random{}, Alpha: 1e-9}, []State{{Loads: []float64{0, 1, 2}}}
	for _, beta := range []float64{0, 1} {
		_, err := a.PicksFor(states, 0.1, beta)
		assert.ErrorContains(t, err, "want a probability in (0, 1)")
	}
	for _, delta := range []float64{0, math.Nextafter(1, 2)} {
		_, err := a.PicksFor(states, delta, 1e-9)
		assert.ErrorContains(t, err, "and at most 1")
	}
	_, err := a.PicksFor(states, 1, math.Nextafter(1, 0))
	assert.NoError(t, err)
}

// The median is as sure as the law up to it: not at all where half is reached only
// within the bound.
func TestMedianError(t *testing.T) {
	for _, c := range []struct {
		law   []float64
		bound float64
		want  any
	}{
		{[]float64{0.5, 0.5}, 0, Estimate},
		{[]float64{0.25, 0.25, 0.5}, 0x1p-40, Estimate},
		{[]float64{0.25, 0.75}, 0.125, Estimate},
		{[]float64{0.25, 0.75}, 0.12, 0.0},
		{[]float64{1}, 0.25, 0.0},
	} {
		assert.Equal(t, c.want, medianError(c.law, c.bound), "%+v", c)
	}
}

func TestExponentialSumsAreNotNegative(t *testing.T) {
	_, err := ExponentialSumTest(math.Nextafter(0, -1), 1, 1)
	assert.Error(t, err)
	_, err = ExponentialSumTest(0, 1, 1)
	assert.NoError(t, err)
}

// With one phase, gaps are exponential, and so is the time in system: with the
// rate 1-rho. The root is known to within rootError, and each way rounds no more
// than four times.
func TestTimesOfOnePhase(t *testing.T) {
	m := EKM1{K: 1, Rho: 0.5}
	x := m.IdlePick()
	e := m.rootError(x)
	assert.Zero(t, m.TimeQuantile(0))
	for _, p := range []float64{0.25, 0.5, 0.75} {
		assert.InEpsilon(t, -math.Log(1-p)/0.5, m.TimeQuantile(p), e/(x-e)+8*0x1p-53)
	}
	assert.Equal(t, math.Inf(1), m.TimeQuantile(1))
}
