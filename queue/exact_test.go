package queue

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mathext"
)

// falseAlarm is the chance that one statistical test of this package fails
// although everything is right. With a budget of 1e-9 for the whole suite that
// leaves room for a thousand of them.
const falseAlarm = 1e-12

// missed is the chance that a statistical test passes although the world is
// wrong by the delta that the test states.
const missed = 1e-6

// A sumLaw is the exact law of the sum of m independent draws: its two tails,
// as functions of the parameter of the draws.
type sumLaw struct {
	atMost, atLeast func(m int, param, s float64) float64
	mean            func(param float64) float64
}

// geometricSum: draws with P(N >= k) = rho^k; the sum of m is negative
// binomial, P(S <= s) = I_{1-rho}(m, s+1) with the regularized incomplete beta
// function.
var geometricSum = sumLaw{
	atMost: func(m int, rho, s float64) float64 {
		return mathext.RegIncBeta(float64(m), math.Floor(s)+1, 1-rho)
	},
	atLeast: func(m int, rho, s float64) float64 {
		if s <= 0 {
			return 1
		}
		return mathext.RegIncBeta(math.Ceil(s), float64(m), rho)
	},
	mean: func(rho float64) float64 { return rho / (1 - rho) },
}

// exponentialSum: draws with rate r; the sum of m is Erlang, P(S <= s) =
// P(m, r·s) with the regularized incomplete gamma function.
var exponentialSum = sumLaw{
	atMost:  func(m int, rate, s float64) float64 { return mathext.GammaIncReg(float64(m), rate*s) },
	atLeast: func(m int, rate, s float64) float64 { return mathext.GammaIncRegComp(float64(m), rate*s) },
	mean:    func(rate float64) float64 { return 1 / rate },
}

// bernoulliSum: draws that are 1 with probability p; the sum of m is binomial.
var bernoulliSum = sumLaw{
	atMost: func(m int, p, s float64) float64 {
		if s < 0 || s >= float64(m) {
			return indicator(s >= 0)
		}
		return mathext.RegIncBeta(float64(m)-math.Floor(s), math.Floor(s)+1, 1-p)
	},
	atLeast: func(m int, p, s float64) float64 {
		if s <= 0 || s > float64(m) {
			return indicator(s <= 0)
		}
		return mathext.RegIncBeta(math.Ceil(s), float64(m)-math.Ceil(s)+1, p)
	},
	mean: func(p float64) float64 { return p },
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// region is the smallest and the largest sum that the test lets pass: each tail
// beyond has at most half the false alarm.
func (l sumLaw) region(m int, param float64) (low, high float64) {
	mean := float64(m) * l.mean(param)
	low = bisect(0, mean, func(s float64) bool { return l.atMost(m, param, s) > falseAlarm/2 })
	top := mean
	for l.atLeast(m, param, top) > falseAlarm/2 {
		top *= 2
	}
	high = bisect(mean, top, func(s float64) bool { return l.atLeast(m, param, s) <= falseAlarm/2 })
	return low, high
}

// bisect is the point at which a monotone condition turns true, from above.
func bisect(a, b float64, cond func(float64) bool) float64 {
	for b-a > 1e-12*b {
		if mid := (a + b) / 2; cond(mid) {
			b = mid
		} else {
			a = mid
		}
	}
	return b
}

// sampleSize is a number of draws for which a world that is wrong, with the
// parameter wrong instead of right, passes with probability missed at most.
func (l sumLaw) sampleSize(right, wrong float64) int {
	enough := func(m int) bool {
		low, high := l.region(m, right)
		if l.mean(wrong) > l.mean(right) {
			return l.atMost(m, wrong, high) <= missed
		}
		return l.atLeast(m, wrong, low) <= missed
	}
	m := 16
	for !enough(m) {
		m *= 2
	}
	for step := m / 4; step > m/32; step /= 2 { // a little less will do as well
		if enough(m - step) {
			m -= step
		}
	}
	return m
}

// check fails when the sum of m draws is in a tail that the law with this
// parameter visits with probability falseAlarm at most.
func (l sumLaw) check(t *testing.T, what string, m int, param, sum float64) {
	t.Helper()
	below, above := l.atMost(m, param, sum), l.atLeast(m, param, sum)
	p := min(1, 2*min(below, above))
	t.Logf("%s: mean of %d draws %.5f, expected %.5f, p = %.3g", what, m, sum/float64(m), l.mean(param), p)
	if !(p >= falseAlarm) {
		t.Errorf("%s: mean of %d draws is %.6g, expected %.6g: probability %.3g, below %.3g", what, m, sum/float64(m), l.mean(param), p, falseAlarm)
	}
}

// The tails above against sums of exact terms.
func TestSumLawsAgainstDirectSums(t *testing.T) {
	const m, param, s = 12, 0.75, 20
	p := new(big.Rat).SetFloat64(param)
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, k int64) *big.Rat {
		out := big.NewRat(1, 1)
		for range k {
			out.Mul(out, x)
		}
		return out
	}
	term := func(n, k int64, x *big.Rat) *big.Rat {
		return x.Mul(x, new(big.Rat).SetInt(new(big.Int).Binomial(n, k)))
	}
	sum := new(big.Rat)
	for k := int64(0); k <= s; k++ { // C(m+k-1, k) (1-rho)^m rho^k
		sum.Add(sum, term(m+k-1, k, new(big.Rat).Mul(power(q, m), power(p, k))))
	}
	want, _ := sum.Float64()
	// 1e-12: a hundred times the relative error that cephes states for incbet
	// with parameters below 100.
	assert.InEpsilon(t, want, geometricSum.atMost(m, param, s), 1e-12)
	assert.InEpsilon(t, 1-want, geometricSum.atLeast(m, param, s+1), 1e-12)

	sum = new(big.Rat)
	for k := int64(0); k <= 5; k++ {
		sum.Add(sum, term(m, k, new(big.Rat).Mul(power(p, k), power(q, m-k))))
	}
	want, _ = sum.Float64()
	assert.InEpsilon(t, want, bernoulliSum.atMost(m, param, 5), 1e-12)
	assert.InEpsilon(t, 1-want, bernoulliSum.atLeast(m, param, 6), 1e-12)

	direct, fact := 0.0, 1.0 // P(Erlang > x) = sum of the Poisson probabilities below m
	for k := range m {
		if k > 0 {
			fact *= float64(k)
		}
		direct += math.Exp(-param*s) * math.Pow(param*s, float64(k)) / fact
	}
	assert.InEpsilon(t, direct, exponentialSum.atLeast(m, param, s), 1e-12)
	assert.InEpsilon(t, 1-direct, exponentialSum.atMost(m, param, s), 1e-12)
}

// geometric numbers in system: P(N >= k) = rho^k, the stationary law of every
// server under random routing, independent between servers.
func geometric(s Stream, n int, rho float64) []int {
	out := make([]int, n)
	for i := range out {
		// P(E/-ln(rho) >= k) = exp(k ln(rho)) for an exponential E.
		out[i] = int(s.ExpFloat64() / -math.Log(rho))
	}
	return out
}

func seedOf(replication int) uint64 { return uint64(replication) + 1 }

func name(rho float64) string { return fmt.Sprintf("rho=%v", rho) }
