package oracle

import (
	"fmt"
	"math"
)

// MM1B is one server with Poisson arrivals of rate Rho, exponential work of mean
// 1, FIFO order and room for B jobs, the one in service included. An arrival that
// finds B jobs is lost. It is stable at any rate.
type MM1B struct {
	Rho float64 // rate of arrivals, lost ones included: finite, at least 0
	B   int     // room, 1 to 100,000 jobs
}

// Validate says which parameter is out of range.
func (m MM1B) Validate() error {
	if err := validRange("room b", m.B, 1, 100_000); err != nil {
		return err
	}
	if !(m.Rho >= 0) || math.IsInf(m.Rho, 1) {
		return fmt.Errorf("rate of arrivals rho is %v, want a finite number that is at least 0", m.Rho)
	}
	return nil
}

// Tails lists the probabilities of k or more jobs for k = 0, 1, ..., B. They are
// sums of rho^i over i >= k, divided by the sum over all i; above a rate of 1
// everything is divided by rho^B first, which avoids overflow.
func (m MM1B) Tails() []float64 {
	must(m)
	tails := make([]float64, m.B+1)
	term, factor := 1.0, m.Rho
	if m.Rho > 1 {
		factor = 1 / m.Rho
		for k := m.B; k >= 0; k-- { // the largest level is the most likely
			tails[k] = term
			term *= factor
		}
	} else {
		for k := range tails {
			tails[k] = term
			term *= factor
		}
	}
	for k := m.B - 1; k >= 0; k-- {
		tails[k] += tails[k+1]
	}
	whole := tails[0]
	for k := range tails {
		tails[k] /= whole
	}
	return tails
}

// relativeError bounds the relative error of each of Tails and of sums of them:
// powers by repeated multiplication (the factor 1/rho itself rounds) give 2B·u,
// sums of at most B+1 positive terms another B·u, above and below the fraction
// bar; sums of tails add B·u again.
func (m MM1B) relativeError() float64 { return rounding(1, 7*m.B+8) }

// Loss is the probability that an arrival is lost.
func (m MM1B) Loss() float64 { return m.Tails()[m.B] }

// MeanJobs is the mean number of jobs in the system.
func (m MM1B) MeanJobs() float64 { return meanOfTails(m.Tails()) }

// Throughput is the rate of jobs served, the probability that the server is
// busy.
func (m MM1B) Throughput() float64 { return m.Tails()[1] }

// MeanTimeInSystem is that of the jobs accepted, by Little's law.
func (m MM1B) MeanTimeInSystem() float64 {
	if m.Rho == 0 {
		return 1
	}
	tails := m.Tails()
	return meanOfTails(tails) / tails[1]
}

func meanOfTails(tails []float64) float64 {
	sum := 0.0
	for k := len(tails) - 1; k >= 1; k-- {
		sum += tails[k]
	}
	return sum
}

// found lists the probabilities that an accepted job finds j or more others,
// P(j <= N < B)/P(N < B); by the balance of flows it is P(N > j)/P(N > 0).
func (m MM1B) found() []float64 {
	if m.Rho == 0 {
		return []float64{1}
	}
	tails := m.Tails()
	list := make([]float64, 0, m.B)
	for _, p := range tails[1:] {
		list = append(list, p/tails[1])
	}
	return list
}

// TimeTail is the probability that an accepted job stays longer than t.
func (m MM1B) TimeTail(t float64) float64 { return erlangMixture(t, m.found()) }

// TimeQuantile is the p quantile of the time in system of accepted jobs. It
// panics unless 0 <= p <= 1.
func (m MM1B) TimeQuantile(p float64) float64 {
	mustProbability(p)
	found := m.found()
	return quantile(func(t float64) float64 { return erlangMixture(t, found) }, p)
}

var mm1bEntries = []Entry{{
	Name: "mm1b",
	Doc:  "One server with room for b jobs, stable at any rate; what one server with a finite buffer is under any policy.",
	Params: []Param{
		{Name: "rho", Doc: "rate of arrivals, lost ones included, finite and at least 0"},
		{Name: "b", Doc: "room, the job in service included, 1 to 100,000"},
	},
	Example: "rho=0.9 b=20",
	Source:  "Kleinrock, Queueing Systems I, 1975, chapter 3 (M/M/1/K)",
	eval: func(args *arguments) (a Answer, err error) {
		m := MM1B{Rho: args.float("rho"), B: args.integer("b")}
		if err := args.check(m); err != nil {
			return a, err
		}
		e, tails := m.relativeError(), m.Tails()
		put := func(name string, x float64) { a.put(name, x, e*x+0x1p-1000) }
		a.put("mean_time_in_system", m.MeanTimeInSystem(), 3*e*m.MeanTimeInSystem())
		put("mean_jobs_per_server", m.MeanJobs())
		put("loss_probability", m.Loss())

		a.put("idle_pick_probability", 1-tails[1], e)
		found := m.found()
		tail := func(t float64) float64 { return erlangMixture(t, found) }
		for _, q := range percentiles {
			t := quantile(tail, q.p)
			a.put(q.name, t, quantileBound(tail, q.p, erlangMixtureError(2*t+1, found, 3*e), t))
		}
		put("throughput", m.Throughput())
		a.put("tails", tailList(func(k int) float64 { return at(tails, k) }), e)
		return a, nil
	},
}}

// at is the k-th entry of a list, 0 beyond its end.
func at(list []float64, k int) float64 {
	if k >= len(list) {
		return 0
	}
	return list[k]
}
