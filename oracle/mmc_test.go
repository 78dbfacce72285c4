package oracle

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Erlang's B is the last term of a truncated exponential series over its sum.
func TestErlangBAgainstItsSum(t *testing.T) {
	for _, c := range []int{0, 1, 2, 10, 100, 400} {
		for _, a := range []float64{0, 1e-5, 0.3, 5, 90, 1000} {
			term, sum := precise(1), precise(1)
			for i := 1; i <= c; i++ {
				term = quo(mul(term, precise(a)), precise(float64(i)))
				sum = add(sum, term)
			}
			b := ErlangB(c, a)
			assertWithin(t, quo(term, sum), b, rounding(b, 4*c), fmt.Sprintf("B(%d, %v)", c, a))
		}
	}
}

// The classic table of traffic offered at a loss of 1%, in erlangs to three
// digits: 10 lines carry 4.46, 20 carry 12.0, 50 carry 37.9, 100 carry 84.1.
func TestErlangBPublishedTable(t *testing.T) {
	for c, row := range map[int][2]float64{10: {4.455, 4.465}, 20: {11.95, 12.05}, 50: {37.85, 37.95}, 100: {84.05, 84.15}} {
		assert.Less(t, ErlangB(c, row[0]), 0.01, "%d lines", c)
		assert.Greater(t, ErlangB(c, row[1]), 0.01, "%d lines", c)
	}
}

// The birth-death chain solved level by level. From level c on it is geometric
// with ratio rho, so the rest is summed in closed form.
func TestMMCAgainstItsBirthDeathChain(t *testing.T) {
	for _, c := range []int{1, 2, 3, 10, 100} {
		for _, rho := range []float64{0.1, 0.5, 0.9, 0.99} {
			a := ask(t, fmt.Sprintf("mmc c=%d rho=%v", c, rho))
			load := mul(precise(float64(c)), precise(rho))
			free := sub(precise(1), precise(rho))
			level, whole := precise(1), precise(0)
			for k := 1; k <= c; k++ {
				whole = add(whole, level)
				level = quo(mul(level, load), precise(float64(k)))
			}
			busy := quo(level, free)
			whole = add(whole, busy)
			waiting := quo(busy, whole)
			queue := quo(mul(waiting, precise(rho)), free) // mean of a geometric number
			wait := quo(queue, load)
			for name, want := range map[string]*big.Float{
				"waiting_probability":   waiting,
				"mean_wait":             wait,
				"mean_time_in_system":   add(wait, precise(1)),
				"idle_pick_probability": sub(precise(1), waiting),
				"mean_jobs_per_server":  quo(add(load, queue), precise(float64(c))),
			} {
				got, bound := number(t, a, name)
				assertWithin(t, want, got, bound, fmt.Sprintf("c=%d rho=%v %s", c, rho, name))
			}
			// The tail of the time in system, e^-t + C·(e^-t-e^-rt)/(r-1), falls
			// through 1-p inside the bound of each quantile.
			rate := mul(precise(float64(c)), free)
			tail := func(t float64) *big.Float {
				one := preciseExp(precise(-t))
				both := mul(precise(t), one)
				if gap := sub(rate, precise(1)); gap.Sign() != 0 {
					both = quo(sub(one, preciseExp(mul(rate, precise(-t)))), gap)
				}
				return add(one, mul(waiting, both))
			}
			for name, p := range map[string]string{"p50": "0.5", "p99": "0.99", "p999": "0.999"} {
				q, bound := number(t, a, name)
				rest := sub(precise(1), decimal(p))
				assert.Positive(t, tail(q-bound).Cmp(rest), "%s is not too large", name)
				assert.Negative(t, tail(q+bound).Cmp(rest), "%s is not too small", name)
				assert.Less(t, bound, q*1e-8, "c=%d rho=%v %s", c, rho, name)
			}
			// Tails: the levels again, from 1 on, until they end.
			tails, _ := a.Values.Get("tails")
			rest, level := precise(1), quo(precise(1), whole)
			for k, got := range tails.([]float64) {
				rest = sub(rest, level)
				assertWithin(t, rest, got, a.Error["tails"].(float64), fmt.Sprintf("c=%d rho=%v, %d or more", c, rho, k+1))
				assert.Less(t, a.Error["tails"].(float64), 1e-12)
				level = quo(mul(level, load), precise(float64(min(k+1, c))))
			}
			w, bound := number(t, a, "wait_p99")
			want := quo(preciseLog(quo(waiting, sub(precise(1), decimal("0.99")))), rate)
			if want.Sign() < 0 {
				want = precise(0)
			}
			assertWithin(t, want, w, bound, "wait_p99")
		}
	}
}

// Large fleets, where single weights leave the range: c or more jobs make an
// arrival wait, and with many servers at a low load the number of jobs is Poisson.
func TestMMCTailsOfLargeFleets(t *testing.T) {
	for _, rho := range []float64{0.5, 0.99, 0.999} {
		m := MMC{5000, rho}
		tails := m.Tails(5000)
		assert.InDelta(t, m.WaitingProbability(), tails[5000], rounding(1, 9*5000), "two ways, each within 4.5c operations")
	}
	tails := MMC{1_000_000, 3e-6}.Tails(3)
	for k, p := range []float64{1, 1 - math.Exp(-3), 1 - 4*math.Exp(-3), 1 - 8.5*math.Exp(-3)} {
		assert.InDelta(t, p, tails[k], rounding(1, 9*1_000_000))
	}
	assert.Equal(t, []float64{1, 0, 0}, MMC{10, 0}.Tails(2))
	assert.InDelta(t, 0.25, MMC{1, 0.5}.Tails(2)[2], rounding(0.25, 10))
}

func TestMMCWithOneServerIsMM1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0, 0.99).Draw(t, "rho")
		x := rapid.Float64Range(0, 50).Draw(t, "t")
		c, q := MMC{1, rho}, MM1{rho}
		// Each side rounds at most 20 times; exponents reach 50 and 3u of them.
		const bound = 200 * 0x1p-52
		assert.InDelta(t, q.TimeTail(x), c.TimeTail(x), bound)
		assert.InDelta(t, q.WaitTail(x), c.WaitTail(x), bound)
		assert.InEpsilon(t, q.MeanTimeInSystem(), c.MeanTimeInSystem(), bound)
	})
}

// The difference quotient in the tail is continuous where the rate of the wait
// passes 1.
func TestMMCTailNearEqualRates(t *testing.T) {
	at := func(rho float64) float64 { return MMC{2, rho}.TimeTail(3) }
	assert.InDelta(t, at(0.5), at(0.5+1e-9), 1e-8) // slope below 3 + 3²
	assert.InDelta(t, at(0.5), at(0.5-1e-9), 1e-8)
	assert.False(t, math.IsNaN(MMC{1_000_000, 0.5}.TimeTail(1000)))
}
