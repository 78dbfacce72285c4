package oracle

import "math"

// EKM1 is one server with Erlang-K gaps between arrivals, exponential work of
// mean 1 and FIFO order. It is what a rotation over K equal servers gives to
// each of them when the fleet has Poisson arrivals: every K-th arrival. K = 1 is
// MM1; as K grows it tends to evenly spaced arrivals, D/M/1.
type EKM1 struct {
	K   int     // phases of a gap, 1 to 1,000,000,000
	Rho float64 // utilization: at least 0 and below 1
}

// Validate says which parameter is out of range.
func (m EKM1) Validate() error {
	if err := validRange("number of phases k", m.K, 1, 1_000_000_000); err != nil {
		return err
	}
	return validUtilization(m.Rho)
}

// excess is 1 - x - A(x) for the Laplace transform A(x) = (1+x/(K·rho))^-K of
// the gaps. It is concave in x, 0 and rising at 0, negative or 0 at 1, so it has
// exactly one zero in (0, 1].
func (m EKM1) excess(x float64) float64 {
	k := float64(m.K)
	return -math.Expm1(-k*math.Log1p(x/(k*m.Rho))) - x
}

// IdlePick is the probability that an arrival finds the server idle, the root x
// in (0, 1] of 1 - x = (1 + x/(K·rho))^-K. The time in system is exponential with
// this rate (GI/M/1, Kendall 1953: x is 1 minus his root).
func (m EKM1) IdlePick() float64 {
	must(m)
	low, high := 0.0, 1.0
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if m.excess(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
}

// rootError bounds the error of IdlePick, by a bracket in which the true excess
// changes its sign. Of the computed excess, the exponent E has relative error
// 5u, which moves 1-e^-E by 5u·E·e^-E <= 5u·(1-e^-E); expm1 and the difference
// add 3u: in all 8u of each part, doubled for safety in the second order.
func (m EKM1) rootError(x float64) float64 {
	e := func(x float64) float64 { return 16 * 0x1p-53 * (2*x + math.Abs(m.excess(x))) }
	for width := max(x, 0x1p-52) * 0x1p-52; ; width *= 2 {
		left, right := max(x-width, 0), x+width
		if (left == 0 || m.excess(left) > e(left)) && (right >= 1 || m.excess(right) < -e(right)) {
			return width
		}
	}
}

// MeanTimeInSystem is one over IdlePick.
func (m EKM1) MeanTimeInSystem() float64 { return 1 / m.IdlePick() }

// MeanWait is the mean time before service starts.
func (m EKM1) MeanWait() float64 {
	x := m.IdlePick()
	return (1 - x) / x
}

// MeanJobs is the mean number of jobs over time, rho times the mean time in
// system by Little's law.
func (m EKM1) MeanJobs() float64 { return m.Rho * m.MeanTimeInSystem() }

// Tail is the probability, over time, of k or more jobs: rho·(1-x)^(k-1) for the
// root x. An arrival finds k or more with probability (1-x)^k.
func (m EKM1) Tail(k int) float64 {
	must(m)
	if k <= 0 {
		return 1
	}
	return m.Rho * math.Pow(1-m.IdlePick(), float64(k-1))
}

// TimeQuantile is the p quantile of the time in system. It panics unless
// 0 <= p <= 1.
func (m EKM1) TimeQuantile(p float64) float64 {
	mustProbability(p)
	return -math.Log1p(-p) / m.IdlePick()
}

var erlangArrivalsEntries = []Entry{{
	Name: "erlang-arrivals",
	Doc:  "One server with Erlang-k gaps between arrivals; what round robin over k servers gives to each of them.",
	Params: []Param{
		{Name: "k", Doc: "phases of a gap, which is the number of servers in the rotation, 1 to 1,000,000,000"},
		{Name: "rho", Doc: "utilization, at least 0 and below 1"},
	},
	Example: "k=100 rho=0.9",
	Source:  "Kendall 1953 (GI/M/1); Kleinrock, Queueing Systems I, 1975, chapter 6",
	eval: func(args *arguments) (a Answer, err error) {
		m := EKM1{K: args.integer("k"), Rho: args.float("rho")}
		if err := args.check(m); err != nil {
			return a, err
		}
		x := m.IdlePick()
		e := m.rootError(x)
		// A function c/x moves by c/x · e/(x-e) when x moves by e.
		moved := math.Inf(1)
		if e < x {
			moved = e / (x - e)
		}
		mean := 1 / x
		a.put("mean_time_in_system", mean, mean*moved+rounding(mean, 1))
		a.put("mean_jobs_per_server", m.Rho*mean, m.Rho*mean*moved+rounding(m.Rho*mean, 2))
		a.put("mean_wait", (1-x)/x, mean*moved+rounding(mean, 2))
		a.put("waiting_probability", 1-x, e+rounding(1, 1))
		a.put("idle_pick_probability", x, e)
		for _, q := range percentiles {
			t := -math.Log1p(-q.p) / x
			a.put(q.name, t, (t+q.slack()*mean)*(1+moved)-t+rounding(t, 3))
		}
		tails, worst := tailList(func(k int) float64 { return m.Rho * math.Pow(1-x, float64(k-1)) }), 0.0
		for i, p := range tails {
			// (1-x)^(k-1) moves by at most (k-1)·e, and by 2k roundings.
			worst = max(worst, float64(i)*e+rounding(p, 2*(i+2)))
		}
		a.put("tails", tails, worst)
		return a, nil
	},
}}
