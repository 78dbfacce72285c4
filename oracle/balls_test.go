package oracle

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All ways to throw the balls, one by one.
func TestExactMaximumAgainstAllThrows(t *testing.T) {
	for bins := 1; bins <= 5; bins++ {
		for balls := 1; balls <= 6; balls++ {
			counts, all := map[int]int64{}, int64(0)
			var throw func(left int, held []int)
			throw = func(left int, held []int) {
				if left == 0 {
					fullest := 0
					for _, h := range held {
						fullest = max(fullest, h)
					}
					counts[fullest]++
					all++
					return
				}
				for i := range held {
					held[i]++
					throw(left-1, held)
					held[i]--
				}
			}
			throw(balls, make([]int, bins))
			least, law := BallsInBins{bins, balls}.ExactMaximum()
			require.Len(t, law, balls-least+1)
			for i, p := range law {
				assert.Equal(t, big.NewRat(counts[least+i], all).RatString(), p.RatString(), "%d balls, %d bins, fullest %d", balls, bins, least+i)
			}
		}
	}
}

// The convolution of floating point numbers against the count in integers.
func TestMaximumLawAgainstCounting(t *testing.T) {
	for _, b := range []BallsInBins{{2, 40}, {7, 40}, {39, 40}, {40, 40}, {64, 40}, {1000, 40}, {3, 60}, {50, 80}} {
		least, law, bound := b.MaximumLaw()
		assert.Less(t, bound, 1e-9, "%+v", b)
		all := new(big.Int).Exp(big.NewInt(int64(b.Bins)), big.NewInt(int64(b.Balls)), nil)
		before := b.ways(least - 1)
		rest := new(big.Float).SetPrec(bits).SetRat(new(big.Rat).SetFrac(before, all))
		assertWithin(t, rest, 0, bound, fmt.Sprintf("%+v below %d", b, least))
		for i, p := range law {
			ways := b.ways(least + i)
			want := new(big.Rat).SetFrac(new(big.Int).Sub(ways, before), all)
			assertWithin(t, new(big.Float).SetPrec(bits).SetRat(want), p, bound, fmt.Sprintf("%+v fullest %d", b, least+i))
			before = ways
		}
		rest = new(big.Float).SetPrec(bits).SetRat(new(big.Rat).SetFrac(new(big.Int).Sub(all, before), all))
		assertWithin(t, rest, 0, bound, fmt.Sprintf("%+v above the list", b))
	}
}

func TestBallsMeanWithinItsError(t *testing.T) {
	for _, b := range []BallsInBins{{7, 41}, {41, 41}, {100, 60}} {
		a := ask(t, fmt.Sprintf("balls bins=%d balls=%d", b.Bins, b.Balls))
		all := new(big.Int).Exp(big.NewInt(int64(b.Bins)), big.NewInt(int64(b.Balls)), nil)
		sum := new(big.Int) // of all - ways(k) over k, which is all times the mean
		median := 0
		for k := 0; k < b.Balls; k++ {
			ways := b.ways(k)
			sum.Add(sum, new(big.Int).Sub(all, ways))
			if new(big.Int).Lsh(ways, 1).Cmp(all) < 0 {
				median = k + 1
			}
		}
		got, bound := number(t, a, "mean_maximum")
		assertWithin(t, new(big.Float).SetPrec(bits).SetRat(new(big.Rat).SetFrac(sum, all)), got, bound, fmt.Sprintf("%+v", b))
		m, _ := a.Values.Get("median_maximum")
		assert.Equal(t, median, m)
	}
	a := ask(t, "balls bins=3 balls=2")
	mean, _ := a.Values.Get("mean_maximum")
	assert.Equal(t, "4/3", mean.(*big.Rat).RatString()) // 2 with probability 1/3
	a = ask(t, "balls bins=1 balls=1000000")
	assert.Equal(t, []float64{1}, a.Values[1].Value)
}

// Published maxima of single runs with one choice. The exact test adds up all
// outcomes that are no likelier than the one observed; at 1e-12 a row it never
// objects to honest dice.
func TestMaximumLawPublishedRuns(t *testing.T) {
	type run struct {
		BallsInBins
		maxima []int
	}
	runs := []run{{BallsInBins{1000, 1000}, []int{5}}}
	if !testing.Short() { // a second or two each
		runs = append(runs, run{BallsInBins{1000, 100_000}, []int{132}}, run{BallsInBins{1_000_000, 1_000_000}, []int{8, 9, 9, 9, 8}})
	}
	for _, r := range runs {
		least, law, _ := r.MaximumLaw()
		for _, seen := range r.maxima {
			require.True(t, seen >= least && seen < least+len(law), "%+v: %d", r.BallsInBins, seen)
			p := 0.0
			for _, q := range law {
				if q <= law[seen-least] {
					p += q
				}
			}
			t.Logf("%+v: fullest %d, probability %.4f, of this or less likely %.4f", r.BallsInBins, seen, law[seen-least], p)
			assert.Greater(t, p, 1e-12)
		}
	}
}

func TestBallsRefusesWhatTakesTooLong(t *testing.T) {
	_, err := tryAsk("balls bins=10 balls=1000000")
	assert.ErrorContains(t, err, "1000000 balls in 10 bins need about 3.2e+11 operations, want at most 2e10")
	assert.Panics(t, func() { BallsInBins{5, 41}.ExactMaximum() })
}

// The equation itself, integrated for one choice, must give the Poisson law.
func TestBallsFluidIntegration(t *testing.T) {
	for _, load := range []float64{0.1, 1, 7.3, 30} {
		// With one choice the system is linear, s' = A·s + b with ||A|| <= 2, and
		// contracts. A step of the method is the Taylor polynomial of degree 4,
		// off by less than (2h)^5/5!·e^(2h) for s in [0, 1]; h <= 1/64.
		bound := 64*load*math.Pow(2./64, 5)/120*1.04 + 1e-12
		want := BallsFluid{1, load}.Tails()
		got := BallsFluid{1, load}.integrate()
		for k, p := range want {
			assert.InDelta(t, p, at(got, k), bound, "load %v, k %d", load, k+1)
		}
	}
}

func TestBallsFluidIdentities(t *testing.T) {
	for _, b := range []BallsFluid{{1, 3}, {2, 0.5}, {2, 1}, {2, 20}, {3, 1}, {10, 4}} {
		sum := 0.0
		for _, p := range b.Tails() {
			sum += p
		}
		// Each step keeps the mass: slopes add up to 1 exactly but for the last
		// level, below 1e-12, and rounding.
		assert.InDelta(t, b.Load, sum, 1e-9, "%+v: as many balls as were thrown", b)
		assert.Equal(t, 0, len(BallsFluid{b.D, 0}.Tails()))
	}
	for _, load := range []float64{0.5, 1, 3} { // ds/dt = 1-s²
		// Its derivatives up to the fifth are at most 16, and h <= 1/128.
		assert.InDelta(t, math.Tanh(load), BallsFluid{2, load}.Tails()[0], 128*load*math.Pow(1./128, 5)*16)
	}
	_, err := tryAsk("balls-fluid d=2 load=1001")
	assert.ErrorContains(t, err, "load is 1001, want 0 to 1000 balls a bin with 2 choices")
}

// Printed beside the published shares of empty bins, one run of a million balls
// in a million bins for each number of choices.
func TestBallsFluidBesidePublishedRuns(t *testing.T) {
	for d, public := range map[int]float64{1: 36.8, 2: 23.9, 3: 17.7} {
		empty, _ := number(t, ask(t, fmt.Sprintf("balls-fluid d=%d load=1", d)), "empty_share")
		t.Logf("d=%d: limit %.2f%%, published %.1f%%", d, 100*empty, public)
		// Changing one throw changes the final number of empty bins by at most 2
		// and the throws are independent (McDiarmid 1989): half a point of a
		// million is missed with probability below 2·exp(-2·5000²/(4·1e6)) < 8e-6,
		// one point below 2·exp(-50) < 1e-21; the limit itself is off by O(1/n).
		assert.InDelta(t, public, 100*empty, 1)
	}
}
