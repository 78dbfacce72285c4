package oracle

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The birth-death chain of M/M/1 solved level by level, with 300 bits: its
// stationary law is cut where the rest is below 1e-40 of the whole.
func TestMM1AgainstItsBirthDeathChain(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.7, 0.9, 0.95} {
		a := ask(t, fmt.Sprintf("mm1 rho=%v", rho))
		level, whole, jobs := precise(1), precise(0), precise(0)
		for k := range int(math.Ceil(-100/math.Log(rho))) + 1 {
			whole = add(whole, level)
			jobs = add(jobs, mul(level, precise(float64(k))))
			level = mul(level, precise(rho))
		}
		meanJobs := quo(jobs, whole)
		got, bound := number(t, a, "mean_jobs_per_server")
		assertWithin(t, meanJobs, got, bound, "mean jobs")
		// Little's law.
		got, bound = number(t, a, "mean_time_in_system")
		assertWithin(t, quo(meanJobs, precise(rho)), got, bound, "mean time")
		got, bound = number(t, a, "idle_pick_probability")
		assertWithin(t, quo(precise(1), whole), got, bound, "empty")
		tails, _ := a.Values.Get("tails")
		for i, p := range tails.([]float64) {
			want := precise(1)
			for range i + 1 {
				want = mul(want, precise(rho))
			}
			assertWithin(t, want, p, a.Error["tails"].(float64), "tail")
		}
	}
}

func TestMM1QuantilesAgainstPreciseLogarithms(t *testing.T) {
	for _, rho := range []float64{0, 0.003, 0.0100000001, 0.3, 0.5, 0.9, 0.999} {
		a := ask(t, fmt.Sprintf("mm1 rho=%v", rho))
		free := sub(precise(1), precise(rho))
		for name, p := range map[string]string{"p50": "0.5", "p99": "0.99", "p999": "0.999"} {
			got, bound := number(t, a, name)
			assertWithin(t, quo(preciseLog(quo(precise(1), sub(precise(1), decimal(p)))), free), got, bound, name)
			assert.Less(t, bound, 1e-9)
		}
		want := precise(0)
		if rho > 0.01 {
			want = quo(preciseLog(quo(precise(rho), sub(precise(1), decimal("0.99")))), free)
		}
		got, bound := number(t, a, "wait_p99")
		assertWithin(t, want, got, bound, "wait_p99")
	}
}

// Published: mean 2.00 and 10.00, p99 9.2 and 46.1 at rho 0.5 and 0.9.
func TestMM1PublishedTable(t *testing.T) {
	for rho, want := range map[float64][2]string{0.5: {"2.00", "9.2"}, 0.9: {"10.00", "46.1"}} {
		m := MM1{rho}
		assert.Equal(t, want, [2]string{fmt.Sprintf("%.2f", m.MeanTimeInSystem()), fmt.Sprintf("%.1f", m.TimeQuantile(0.99))})
	}
}

// A time in system is the wait plus an independent exponential service; the
// wait of a job that finds k others is Erlang(k). So the tail of the time is a
// mixture, summed here over what an arrival finds.
func TestMM1TimesAreMixturesOverWhatAnArrivalFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := MM1{rapid.Float64Range(0.01, 0.9).Draw(t, "rho")}
		x := rapid.Float64Range(0, 30).Draw(t, "t")
		time, wait := 0.0, 0.0
		poisson, cumulated := math.Exp(-x), 0.0 // P(Poisson(x) = k) and P(... < k)
		for k := range 600 {
			find := (1 - m.Rho) * math.Pow(m.Rho, float64(k))
			wait += find * cumulated // P(Erlang(k) > x) = P(Poisson(x) < k)
			cumulated += poisson
			time += find * cumulated
			poisson *= x / float64(k+1)
		}
		// Cut: 0.9^600 < 1e-27. Rounding: 600 terms of relative error below
		// 2·600·2^-53 each, all positive, sum at most 1.
		const bound = 600 * 2 * 600 * 0x1p-53
		assert.InDelta(t, time, m.TimeTail(x), bound)
		assert.InDelta(t, wait, m.WaitTail(x), bound)
	})
}

func TestMM1QuantilesInvertTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := MM1{rapid.Float64Range(0, 0.999).Draw(t, "rho")}
		p := rapid.Float64Range(0, 0.9999).Draw(t, "p")
		// The tail at the quantile is exp(-x) with x = ln(1/(1-p)) <= ln(1e4), of
		// relative error 4u through the division and the product, so of
		// absolute error below 10·8u in the exponent, and below that in p.
		const bound = 80 * 0x1p-53
		assert.InDelta(t, 1-p, m.TimeTail(m.TimeQuantile(p)), bound)
		if w := m.WaitQuantile(p); w > 0 {
			assert.InDelta(t, 1-p, m.WaitTail(w), bound)
		} else {
			assert.LessOrEqual(t, p, 1-m.Rho+0x1p-52, "only the atom has no wait")
		}
	})
}

func TestModelsRefuseToAnswerOutOfRange(t *testing.T) {
	assert.PanicsWithValue(t, "oracle: utilization rho is 1.2, want at least 0 and below 1",
		func() { MM1{1.2}.MeanTimeInSystem() })
	assert.PanicsWithValue(t, "oracle: probability is 2, want 0 to 1", func() { MM1{0.5}.TimeQuantile(2) })
}
