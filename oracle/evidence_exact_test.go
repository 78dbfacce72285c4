package oracle

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// exactBinomial is P(X <= k) and P(X >= k) as rationals.
func exactBinomial(k, n int, p *big.Rat) (lower, upper *big.Rat) {
	lower, upper = new(big.Rat), new(big.Rat)
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, e int) *big.Rat {
		exp := big.NewInt(int64(e))
		return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), exp, nil), new(big.Int).Exp(x.Denom(), exp, nil))
	}
	for j := 0; j <= n; j++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(j)))
		term.Mul(term, power(p, j)).Mul(term, power(q, n-j))
		if j <= k {
			lower.Add(lower, term)
		}
		if j >= k {
			upper.Add(upper, term)
		}
	}
	return lower, upper
}

// The tails agree with rational arithmetic to a relative 1e-13: up to 60 terms
// and distances, each good for 1e-15, and some more for the rounding of p.
func TestBinomialTailsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		p := float64(rapid.IntRange(0, 1024).Draw(t, "p")) / 1024 // no rounding
		lower, upper := exactBinomial(k, n, new(big.Rat).SetFloat64(p))
		gotLower, gotUpper := binomialTails(k, n, p)
		for _, pair := range [][2]float64{{ratFloat(lower), gotLower}, {ratFloat(upper), gotUpper}} {
			require.LessOrEqual(t, math.Abs(pair[1]-pair[0]), 1e-13*pair[0], "%d of %d at %v", k, n, p)
		}
		got, err := BinomialTest(k, n, p)
		require.NoError(t, err)
		require.InDelta(t, min(1, 2*min(ratFloat(lower), ratFloat(upper))), got, 1e-13)
	})
}

func ratFloat(x *big.Rat) float64 { f, _ := x.Float64(); return f }

// Far out and with many trials, against the incomplete beta function, which is
// good for about 1e-10 there.
func TestBinomialTailsAgainstBeta(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
	}{
		{520_000, 1_000_000, 0.5}, {500_000, 1_000_000, 0.5}, {1200, 1_000_000, 1e-3}, {700, 1_000_000, 1e-3}, {99_000, 100_000, 0.98},
	} {
		lower, upper := binomialTails(c.k, c.n, c.p)
		// P(X >= k) = I_p(k, n-k+1), and the lower tail by symmetry.
		a, b := float64(c.k), float64(c.n-c.k)
		wantUpper, wantLower := mathext.RegIncBeta(a, b+1, c.p), mathext.RegIncBeta(b, a+1, 1-c.p)
		if wantUpper > 1e-300 {
			require.InEpsilon(t, wantUpper, upper, 1e-8)
		}
		require.InEpsilon(t, wantLower, lower, 1e-8)
	}
}

// Poisson tails by 200-bit arithmetic, to the same relative error. 400 terms are
// all that counts for means up to 60: the rest is below 60^400/400! < 1e-150 times
// the first.
func TestPoissonTailsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := float64(rapid.IntRange(1, 60*64).Draw(t, "m")) / 64
		k := rapid.IntRange(0, 90).Draw(t, "k")
		wide := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
		lower, upper, term := wide(0), wide(0), wide(1)
		total := wide(0) // of m^j/j!: what exp(m) is
		for j := range 400 {
			if j > 0 {
				term.Mul(term, wide(m)).Quo(term, wide(float64(j)))
			}
			total.Add(total, term)
			if j <= k {
				lower.Add(lower, term)
			}
			if j >= k {
				upper.Add(upper, term)
			}
		}
		wantLower, _ := lower.Quo(lower, total).Float64()
		wantUpper, _ := upper.Quo(upper, total).Float64()
		gotLower, gotUpper := poissonTails(k, m)
		require.LessOrEqual(t, math.Abs(gotLower-wantLower), 2e-13*wantLower)
		require.LessOrEqual(t, math.Abs(gotUpper-wantUpper), 2e-13*wantUpper)
	})
}

func TestExponentialSumTest(t *testing.T) {
	// One variable: the tails are exp(-s) and 1 - exp(-s).
	for _, s := range []float64{0, 1e-9, 0.1, 1, 3, 40} {
		p, err := ExponentialSumTest(2*s, 1, 2)
		require.NoError(t, err)
		want := min(1, 2*min(math.Exp(-s), -math.Expm1(-s)))
		require.LessOrEqual(t, math.Abs(p-want), 1e-13*want)
	}
	// Two: P(S > s) = (1+s) exp(-s).
	p, err := ExponentialSumTest(50, 2, 1)
	require.NoError(t, err)
	require.InEpsilon(t, 2*51*math.Exp(-50), p, 1e-13)
}

func TestGeometricSumTest(t *testing.T) {
	// One variable: P(X >= k) = p^k, P(X <= k) = 1 - p^(k+1).
	for _, k := range []int{0, 1, 2, 7, 30} {
		for _, p := range []float64{0.25, 0.75} {
			got, err := GeometricSumTest(k, 1, p)
			require.NoError(t, err)
			want := min(1, 2*min(math.Pow(p, float64(k)), 1-math.Pow(p, float64(k+1))))
			require.LessOrEqual(t, math.Abs(got-want), 1e-13*want)
		}
	}
	// Three, by convolution: P(sum = s) = C(s+2, 2) (1-p)^3 p^s.
	const p = 0.5
	for s := range 20 {
		below := 0.0
		for j := range s {
			below += float64((j+2)*(j+1)/2) * math.Pow(1-p, 3) * math.Pow(p, float64(j))
		}
		at := float64((s+2)*(s+1)/2) * math.Pow(1-p, 3) * math.Pow(p, float64(s))
		got, err := GeometricSumTest(s, 3, p)
		require.NoError(t, err)
		require.InDelta(t, min(1, 2*min(below+at, 1-below)), got, 1e-13)
	}
	zero, err := GeometricSumTest(0, 5, 0)
	require.NoError(t, err)
	require.Equal(t, 1.0, zero)
}

// The interval holds exactly the values that the test accepts.
func TestBinomialInterval(t *testing.T) {
	for _, c := range [][2]int{{0, 10}, {10, 10}, {3, 10}, {500, 1000}, {0, 0}} {
		k, n := c[0], c[1]
		const alpha = 1e-6
		low, high, err := BinomialInterval(k, n, alpha)
		require.NoError(t, err)
		for p, inside := range map[float64]bool{low * 1.0001: true, low * 0.9999: false, high * 0.9999: true, 1 - (1-high)*0.9999: false} {
			if p <= 0 || p >= 1 || p == high || p == low {
				continue
			}
			value, err := BinomialTest(k, n, p)
			require.NoError(t, err)
			require.Equal(t, inside, value >= alpha, "%d of %d at %v in [%v, %v]", k, n, p, low, high)
		}
	}
	low, high, err := BinomialInterval(0, 10, 0.1)
	require.NoError(t, err)
	require.Zero(t, low)
	require.InEpsilon(t, 1-math.Pow(0.05, 0.1), high, 1e-13)
}

// The bet is fair: its mean over all outcomes is 1, here for 6 draws of 3.
func TestMultinomialNatsIsFair(t *testing.T) {
	law, mean := []float64{0.5, 0.3, 0.2}, 0.0
	sequences(3, 6, func(draws []int) {
		counts, chance := make([]int, 3), 1.0
		for _, i := range draws {
			counts[i]++
			chance *= law[i]
		}
		nats, err := MultinomialNats(counts, law)
		require.NoError(t, err)
		mean += chance * math.Exp(nats)
	})
	require.InDelta(t, 1, mean, 1e-12)
	nats, err := MultinomialNats([]int{0, 5, 5}, []float64{0.5, 0.5, 0})
	require.NoError(t, err)
	require.Equal(t, math.Inf(1), nats)
	nats, err = MultinomialNats([]int{900, 100}, []float64{0.8, 0.2})
	require.NoError(t, err)
	require.Greater(t, nats, math.Log(1e9))
}

func TestExactTestsRefuse(t *testing.T) {
	for want, f := range map[string]func() error{
		"5 successes in 4": func() error { _, err := BinomialTest(5, 4, 0.5); return err },
		"-1 successes":     func() error { _, _, err := BinomialInterval(-1, 4, 0.5); return err },
		"success is NaN":   func() error { _, err := BinomialTest(1, 4, math.NaN()); return err },
		"alpha is 0":       func() error { _, _, err := BinomialInterval(1, 4, 0); return err },
		"sum of 0":         func() error { _, err := ExponentialSumTest(1, 0, 1); return err },
		"variable is 0":    func() error { _, err := ExponentialSumTest(1, 1, 0); return err },
		"variables is NaN": func() error { _, err := ExponentialSumTest(math.NaN(), 1, 1); return err },
		"-1 is the sum":    func() error { _, err := GeometricSumTest(-1, 1, 0.5); return err },
		"variable is 1":    func() error { _, err := GeometricSumTest(1, 1, 1); return err },
		"2 counts":         func() error { _, err := MultinomialNats([]int{1, 2}, []float64{1}); return err },
		"count -1":         func() error { _, err := MultinomialNats([]int{-1}, []float64{1}); return err },
		"add up to 0.9":    func() error { _, err := MultinomialNats([]int{1}, []float64{0.9}); return err },
		"probability NaN":  func() error { _, err := MultinomialNats([]int{1}, []float64{math.NaN()}); return err },
	} {
		require.ErrorContains(t, f(), want)
	}
}
