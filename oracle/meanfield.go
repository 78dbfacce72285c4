package oracle

import "math"

// MeanField is the limit, as the number of servers grows without bound, of
// power of D choices with fresh views, Poisson arrivals of rate Rho for each
// server and exponential work of mean 1 (Vvedenskaya, Dobrushin and Karpelevich
// 1996; Mitzenmacher 1996). In the limit it makes no difference whether the D
// servers are drawn with replacement.
//
// It is a limit: it gives no bound for any finite fleet, where queues are
// longer. For D = 1 it is exact at every size, and equals MM1.
type MeanField struct {
	D   int     // choices, 1 to 1,000,000
	Rho float64 // utilization, at least 0 and below 1
}

// Validate says which parameter is out of range.
func (m MeanField) Validate() error {
	if err := validRange("number of choices d", m.D, 1, 1_000_000); err != nil {
		return err
	}
	return validUtilization(m.Rho)
}

// Tail is the fraction of servers that hold k or more jobs,
//
//	s_k = rho^((d^k-1)/(d-1)), for d = 1 rho^k.
func (m MeanField) Tail(k int) float64 {
	must(m)
	return math.Pow(m.Rho, m.exponent(k))
}

// exponent is (d^k-1)/(d-1) = 1 + d + ... + d^(k-1), 0 for k <= 0, and +Inf when
// it is too large for a float64.
func (m MeanField) exponent(k int) float64 {
	if m.D == 1 {
		return float64(max(k, 0))
	}
	sum := 0.0
	for range k {
		sum = 1 + float64(m.D)*sum
		if math.IsInf(sum, 1) {
			break
		}
	}
	return sum
}

// MeanJobs is the mean number of jobs a server, the sum of all tails.
func (m MeanField) MeanJobs() float64 { return m.Rho * m.MeanTimeInSystem() }

// MeanTimeInSystem is the sum over k >= 1 of s_k/rho = rho^((d^k-d)/(d-1)), by
// Little's law.
func (m MeanField) MeanTimeInSystem() float64 {
	must(m)
	if m.D == 1 {
		return 1 / (1 - m.Rho)
	}
	sum := 0.0
	for _, p := range m.found() {
		sum += p
	}
	return sum
}

// IdlePick is the probability that a job is sent to an idle server: not all D
// choices are busy.
func (m MeanField) IdlePick() float64 {
	must(m)
	return -math.Expm1(float64(m.D) * math.Log(m.Rho))
}

// TimeTail is the probability of a time in system above t under FIFO,
//
//	P(T > t) = sum over k >= 1 of s_k/rho · e^-t · t^(k-1)/(k-1)!,
//
// since a job finds j or more others at all of its D choices with probability
// (s_j)^d = s_(j+1)/rho.
func (m MeanField) TimeTail(t float64) float64 {
	must(m)
	if t <= 0 {
		return 1
	}
	if m.D == 1 {
		return math.Exp(-(1 - m.Rho) * t)
	}
	return erlangMixture(t, m.found())
}

// found lists the probabilities that a job finds j or more others at its server,
// (s_j)^d = s_(j+1)/rho, until they vanish. D is at least 2.
func (m MeanField) found() []float64 {
	var list []float64
	for k := 1; ; k++ {
		p := math.Pow(m.Rho, m.exponent(k)-1)
		if p == 0 {
			return list
		}
		list = append(list, p)
	}
}

// TimeQuantile is the p quantile of the time in system under FIFO. It panics
// unless 0 <= p <= 1.
func (m MeanField) TimeQuantile(p float64) float64 {
	must(m)
	mustProbability(p)
	if m.D == 1 {
		return -math.Log1p(-p) / (1 - m.Rho)
	}
	return quantile(m.TimeTail, p)
}

func (m MeanField) answer() (a Answer) {
	a.put("mean_time_in_system", m.MeanTimeInSystem(), Limit)
	a.put("mean_jobs_per_server", m.MeanJobs(), Limit)
	a.put("idle_pick_probability", m.IdlePick(), Limit)
	for _, q := range percentiles {
		a.put(q.name, m.TimeQuantile(q.p), Limit)
	}
	a.put("tails", tailList(m.Tail), Limit)
	return a
}

var meanFieldEntries = []Entry{{
	Name: "meanfield",
	Doc:  "Power of d choices in the limit of infinitely many servers; says nothing of how far a finite fleet is from it.",
	Params: []Param{
		{Name: "d", Doc: "choices, 1 to 1,000,000"},
		{Name: "rho", Doc: "utilization, at least 0 and below 1"},
	},
	Example: "d=2 rho=0.9",
	Source:  "Vvedenskaya, Dobrushin and Karpelevich 1996; Mitzenmacher 1996",
	eval: func(args *arguments) (a Answer, err error) {
		m := MeanField{D: args.integer("d"), Rho: args.float("rho")}
		if err := args.check(m); err != nil {
			return a, err
		}
		return m.answer(), nil
	},
}}
