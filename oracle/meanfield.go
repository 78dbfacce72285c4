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
	sum := 1.0
	for k := 2; ; k++ {
		term := math.Pow(m.Rho, m.exponent(k)-1)
		if term == 0 {
			return sum
		}
		sum += term
	}
}

// IdlePick is the probability that a job is sent to an idle server: not all D
// choices are busy.
func (m MeanField) IdlePick() float64 {
	must(m)
	return -math.Expm1(float64(m.D) * math.Log(m.Rho))
}

// TimeTail is the probability of a time in system above t under FIFO. A job that
// becomes the k-th at its server, which it does with probability
// (s_(k-1))^d - (s_k)^d, stays for k exponential times; summed by parts, with
// (s_k)^d = s_(k+1)/rho,
//
//	P(T > t) = sum over k >= 1 of s_k/rho · e^-t · t^(k-1)/(k-1)!.
func (m MeanField) TimeTail(t float64) float64 {
	must(m)
	if t <= 0 {
		return 1
	}
	if m.D == 1 {
		return math.Exp(-(1 - m.Rho) * t)
	}
	sum := 0.0
	for k := 1; ; k++ {
		s := math.Pow(m.Rho, m.exponent(k)-1)
		if s == 0 {
			return min(sum, 1)
		}
		lg, _ := math.Lgamma(float64(k))
		sum += s * math.Exp(float64(k-1)*math.Log(t)-t-lg)
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

// quantile is the smallest t with tail(t) <= 1-p, by bisection to the last bit,
// for a tail that falls continuously to 0.
func quantile(tail func(float64) float64, p float64) float64 {
	switch p {
	case 0:
		return 0
	case 1:
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for tail(high) > 1-p {
		low, high = high, 2*high
	}
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if tail(middle) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
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
		a.put("mean_time_in_system", m.MeanTimeInSystem(), Limit)
		a.put("mean_jobs_per_server", m.MeanJobs(), Limit)
		a.put("idle_pick_probability", m.IdlePick(), Limit)
		for _, q := range percentiles {
			a.put(q.name, m.TimeQuantile(q.p), Limit)
		}
		a.put("tails", tailList(m.Tail), Limit)
		return a, nil
	},
}}
