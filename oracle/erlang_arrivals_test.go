package oracle

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// With 300 bits, 1 - x - (1+x/(k·rho))^-k is positive just left of the root and
// negative just right of it, within the bound stated, which is below 1e-12.
func TestErlangArrivalsRoot(t *testing.T) {
	for _, k := range []int{1, 2, 3, 10, 100, 1000} {
		for _, rho := range []float64{0.01, 0.3, 0.7, 0.9, 0.99, 0.9999} {
			x, bound := number(t, ask(t, fmt.Sprintf("erlang-arrivals k=%d rho=%v", k, rho)), "idle_pick_probability")
			excess := func(x float64) int {
				base := add(precise(1), quo(precise(x), mul(precise(float64(k)), precise(rho))))
				power := precise(1)
				for range k {
					power = mul(power, base)
				}
				return sub(sub(precise(1), precise(x)), quo(precise(1), power)).Sign()
			}
			assert.LessOrEqual(t, bound, 1e-12)
			assert.Positive(t, excess(x-bound), "k=%d rho=%v", k, rho)
			assert.Negative(t, excess(x+bound), "k=%d rho=%v", k, rho)
		}
	}
}

// The geometric law that arrivals find is stationary: with b(m) the probability
// that m jobs could leave in a gap, negative binomial, sum s^m·b(m) = s.
func TestErlangArrivalsSatisfyTheEmbeddedChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 50).Draw(t, "k")
		rho := rapid.Float64Range(0.05, 0.95).Draw(t, "rho")
		s := 1 - EKM1{k, rho}.IdlePick()
		rate := float64(k) * rho
		term := math.Exp(-float64(k) * math.Log1p(1/rate))
		sum := 0.0
		for m := range 4000 {
			sum += term
			term *= s * float64(m+k) / (float64(m+1) * (1 + rate))
		}
		// 4000 terms of relative error 6·4000·u at most, sum below 1; the first
		// exponent is at most 50·ln(1+1/0.05). They fall at least as s^m, 0.95^4000.
		assert.InDelta(t, s, sum, 7*4000*0x1p-53)
	})
}

func TestErlangArrivalsClosedForms(t *testing.T) {
	for _, rho := range []float64{0, 0.2, 0.9} {
		assert.InDelta(t, 1-rho, EKM1{1, rho}.IdlePick(), 1e-15) // bound tested above
	}
	// k = 2: (1-x)(1+y)² = 1 with y = x/(2·rho) gives 2·rho·y² + (4·rho-1)·y + 2·rho - 2 = 0.
	const rho = 0.6
	y := (1 - 4*rho + math.Sqrt((4*rho-1)*(4*rho-1)+8*rho*(2-2*rho))) / (4 * rho)
	assert.InDelta(t, 2*rho*y, EKM1{2, rho}.IdlePick(), 1e-14) // ten operations on numbers below 4
	// Evenly spaced arrivals: 1-x = e^(-x/rho); Erlang gaps differ from it by
	// less than 1/k relative to their variance.
	x := EKM1{1_000_000_000, 0.9}.IdlePick()
	assert.InDelta(t, math.Exp(-x/0.9), 1-x, 1e-8)
}

func TestErlangArrivalsValuesFollowFromTheRoot(t *testing.T) {
	for _, question := range []string{"k=1 rho=0.5", "k=7 rho=0.8", "k=100 rho=0.9"} {
		a := ask(t, "erlang-arrivals "+question)
		k, rho := a.Params["k"].(int), a.Params["rho"].(float64)
		x := EKM1{k, rho}.IdlePick()
		root := preciseRoot(k, rho, x)
		for name, want := range map[string]*big.Float{
			"mean_time_in_system":  quo(precise(1), root),
			"mean_jobs_per_server": quo(precise(rho), root),
			"mean_wait":            quo(sub(precise(1), root), root),
			"waiting_probability":  sub(precise(1), root),
			"p50":                  quo(preciseLog(precise(2)), root),
			"p99":                  quo(preciseLog(precise(100)), root),
			"p999":                 quo(preciseLog(precise(1000)), root),
		} {
			got, bound := number(t, a, name)
			assertWithin(t, want, got, bound, question+" "+name)
		}
		tails, _ := a.Values.Get("tails")
		jobs := 0.0
		for _, p := range tails.([]float64) {
			jobs += p
		}
		// The rest of the geometric series after m entries.
		rest := EKM1{k, rho}.Tail(len(tails.([]float64))+1) / x
		assert.InDelta(t, EKM1{k, rho}.MeanJobs(), jobs+rest, 1e-12, "mean jobs = sum of tails")
	}
}

// preciseRoot refines the root of 1-x = (1+x/(k·rho))^-k by Newton's method.
func preciseRoot(k int, rho, start float64) *big.Float {
	x, rate := precise(start), mul(precise(float64(k)), precise(rho))
	for range 6 {
		base := add(precise(1), quo(x, rate))
		power := precise(1)
		for range k {
			power = quo(power, base)
		}
		value := sub(sub(precise(1), x), power)
		slope := sub(quo(quo(power, base), precise(rho)), precise(1))
		x = sub(x, quo(value, slope))
	}
	return x
}

// Published: round robin over 100 servers at rho 0.9, three runs with means from
// 5.14 to 5.25. The exact mean lies among them.
func TestErlangArrivalsPublishedRoundRobin(t *testing.T) {
	m := EKM1{100, 0.9}
	t.Logf("exact mean %.4f, p99 %.2f; published 5.20, 24.8", m.MeanTimeInSystem(), m.TimeQuantile(0.99))
	assert.Greater(t, m.MeanTimeInSystem(), 5.14)
	assert.Less(t, m.MeanTimeInSystem(), 5.25)
}
