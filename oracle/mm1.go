package oracle

import (
	"fmt"
	"math"
)

// MM1 is one server with Poisson arrivals, exponential work of mean 1, FIFO
// order and room for any number of jobs (Erlang 1909). It is what random routing
// gives to each server of a fleet.
type MM1 struct {
	Rho float64 // utilization, the rate of arrivals: at least 0 and below 1
}

// Validate says which parameter is out of range.
func (m MM1) Validate() error { return validUtilization(m.Rho) }

// MeanTimeInSystem is 1/(1-rho).
func (m MM1) MeanTimeInSystem() float64 {
	must(m)
	return 1 / (1 - m.Rho)
}

// MeanWait is the mean time before service starts, rho/(1-rho).
func (m MM1) MeanWait() float64 {
	must(m)
	return m.Rho / (1 - m.Rho)
}

// MeanJobs is the mean number of jobs in the system, rho/(1-rho): equal to
// MeanWait, since the mean service time is 1 and by Little's law.
func (m MM1) MeanJobs() float64 { return m.MeanWait() }

// Tail is the probability of k or more jobs in the system, rho^k. By PASTA an
// arrival finds k or more jobs with the same probability.
func (m MM1) Tail(k int) float64 {
	must(m)
	return math.Pow(m.Rho, float64(max(k, 0)))
}

// WaitingProbability is the probability that a job waits at all, rho.
func (m MM1) WaitingProbability() float64 {
	must(m)
	return m.Rho
}

// TimeTail is the probability of a time in system above t, which is exponential
// with rate 1-rho.
func (m MM1) TimeTail(t float64) float64 {
	must(m)
	return math.Exp(-(1 - m.Rho) * max(t, 0))
}

// TimeQuantile is the p quantile of the time in system, -ln(1-p)/(1-rho). It
// panics unless 0 <= p <= 1.
func (m MM1) TimeQuantile(p float64) float64 {
	must(m)
	mustProbability(p)
	return -math.Log1p(-p) / (1 - m.Rho)
}

// WaitTail is the probability of a wait above t, rho·exp(-(1-rho)t): a job waits
// at all with probability rho, so the wait has an atom of 1-rho at 0.
func (m MM1) WaitTail(t float64) float64 {
	must(m)
	if t < 0 {
		return 1
	}
	return m.Rho * math.Exp(-(1-m.Rho)*t)
}

// WaitQuantile is the p quantile of the wait: 0 up to the atom at 0, p <= 1-rho,
// and ln(rho/(1-p))/(1-rho) above it. It panics unless 0 <= p <= 1.
func (m MM1) WaitQuantile(p float64) float64 {
	must(m)
	mustProbability(p)
	if p <= 1-m.Rho {
		return 0
	}
	return max(0, math.Log(m.Rho/(1-p))/(1-m.Rho))
}

func mustProbability(p float64) {
	if !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("oracle: probability is %v, want 0 to 1", p))
	}
}

var mm1Entries = []Entry{{
	Name:    "mm1",
	Doc:     "One server with Poisson arrivals and exponential work; what random routing gives to each server.",
	Params:  []Param{{Name: "rho", Doc: "utilization, at least 0 and below 1"}},
	Example: "rho=0.9",
	Source:  "Erlang 1909; Kleinrock, Queueing Systems I, 1975, chapter 3",
	eval: func(args *arguments) (a Answer, err error) {
		m := MM1{Rho: args.float("rho")}
		if err := args.check(m); err != nil {
			return a, err
		}
		// Two operations: 1-rho and the division.
		a.put("mean_time_in_system", m.MeanTimeInSystem(), rounding(m.MeanTimeInSystem(), 2))
		a.put("mean_jobs_per_server", m.MeanJobs(), rounding(m.MeanJobs(), 2))
		a.put("mean_wait", m.MeanWait(), rounding(m.MeanWait(), 2))
		a.put("waiting_probability", m.WaitingProbability(), 0.0)
		a.put("idle_pick_probability", 1-m.Rho, rounding(1-m.Rho, 1))
		// log1p counts as two, 1-rho and the division as one each. The order p of
		// a quantile is a decimal; its float64 is off by u at most in p, so by
		// u/(1-p) in the logarithm.
		for _, q := range percentiles {
			t := m.TimeQuantile(q.p)
			a.put(q.name, t, rounding(t, 4)+q.slack()/(1-m.Rho))
		}
		// rho/(1-p), of relative error u + u/(1-p), goes through the logarithm as
		// an absolute error; the rest is relative.
		w := m.WaitQuantile(0.99)
		a.put("wait_p99", w, rounding(w, 4)+(percentile{p: 0.99}.slack()+0x1p-52)/(1-m.Rho))
		// A power by repeated squaring multiplies at most 2·log2(k) times and
		// magnifies each rounding by at most k: the relative error stays below
		// 2k·u, and the entry k·rho^k is largest at the k of the list.
		tails := tailList(m.Tail)
		worst := 0.0
		for i, p := range tails {
			worst = max(worst, rounding(p, 2*(i+1)))
		}
		a.put("tails", tails, worst)
		return a, nil
	},
}}

// A percentile is a quantile that answers carry.
type percentile struct {
	name string
	p    float64
}

var percentiles = []percentile{{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}}

// slack bounds the error in -ln(1-p) that comes from p being the float64 next
// to a decimal below 1: 2^-54 in p at most, and 1/(1-p) times as much in the
// logarithm; doubled for the curvature.
func (q percentile) slack() float64 { return 0x1p-53 / (1 - q.p) }
