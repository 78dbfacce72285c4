package oracle

import "math"

// MMC is C servers behind one queue, with Poisson arrivals, exponential work of
// mean 1 and FIFO order (Erlang 1917). No policy that commits a job to a server
// at its arrival has a shorter mean time in system.
type MMC struct {
	C   int     // servers, 1 to 1,000,000
	Rho float64 // utilization of each server: at least 0 and below 1
}

// Validate says which parameter is out of range.
func (m MMC) Validate() error {
	if err := validRange("number of servers c", m.C, 1, 1_000_000); err != nil {
		return err
	}
	return validUtilization(m.Rho)
}

// ErlangB is the probability that an arrival is lost at c servers without a
// queue under an offered load of a, the mean number of arrivals in a mean service
// time. It follows the recursion
//
//	B(0) = 1,  B(c) = a·B(c-1)/(c + a·B(c-1)),
//
// which never subtracts and shrinks the relative error of each step at the
// next. It panics unless c >= 0 and a is finite and not negative.
func ErlangB(c int, a float64) float64 {
	if c < 0 || !(a >= 0) || math.IsInf(a, 1) {
		panic("oracle: ErlangB needs c >= 0 and a finite load that is not negative")
	}
	b := 1.0
	for i := 1; i <= c; i++ {
		b = a * b / (float64(i) + a*b)
	}
	return b
}

// WaitingProbability is Erlang's C, the probability that an arrival finds every
// server busy, B/(1-rho·(1-B)) with Erlang's B for the same load.
func (m MMC) WaitingProbability() float64 {
	must(m)
	b := ErlangB(m.C, float64(m.C)*m.Rho)
	return b / ((1 - m.Rho) + m.Rho*b)
}

// waitRate is the rate of the exponential wait of those who wait at all.
func (m MMC) waitRate() float64 { return float64(m.C) * (1 - m.Rho) }

// MeanWait is C/(c·(1-rho)).
func (m MMC) MeanWait() float64 { return m.WaitingProbability() / m.waitRate() }

// MeanTimeInSystem is the mean wait and the mean service, which is 1.
func (m MMC) MeanTimeInSystem() float64 { return 1 + m.MeanWait() }

// MeanJobsPerServer is rho times the mean time in system, by Little's law.
func (m MMC) MeanJobsPerServer() float64 { return m.Rho * m.MeanTimeInSystem() }

// WaitTail is the probability of a wait above t >= 0, C·exp(-c(1-rho)t).
func (m MMC) WaitTail(t float64) float64 {
	if t < 0 {
		return 1
	}
	return m.WaitingProbability() * math.Exp(-m.waitRate()*t)
}

// TimeTail is the probability of a time in system above t: an exponential
// service of rate 1, and with probability C an independent exponential wait of
// rate r = c(1-rho) before it,
//
//	e^-t + C·(e^-t - e^-rt)/(r-1).
func (m MMC) TimeTail(t float64) float64 {
	return m.timeTail(m.WaitingProbability(), t)
}

// Tails lists the probabilities of k or more jobs in the system, waiting or being
// served, for k = 0, 1, ..., most. The probability of k jobs is proportional to
// a^k/k! up to k = c, for the load a = c·rho, and falls by rho a job from there.
// The weights start with 1 at the likeliest level, so that none overflows and what
// underflows does not matter.
func (m MMC) Tails(most int) []float64 {
	must(m)
	load := float64(m.C) * m.Rho
	mode := min(int(load), m.C)
	weights := make([]float64, m.C+1) // the last one: of c or more
	weights[mode] = 1
	for k := mode; k > 0 && weights[k] > 0; k-- {
		weights[k-1] = weights[k] * float64(k) / load
	}
	for k := mode; k < m.C && weights[k] > 0; k++ {
		weights[k+1] = weights[k] * load / float64(k+1)
	}
	weights[m.C] /= 1 - m.Rho
	for k := m.C; k > 0; k-- {
		weights[k-1] += weights[k]
	}
	tails := make([]float64, most+1)
	for k := range tails {
		tails[k] = weights[min(k, m.C)] / weights[0] * math.Pow(m.Rho, float64(max(k-m.C, 0)))
	}
	return tails
}

func (m MMC) timeTail(c, t float64) float64 {
	if t <= 0 {
		return 1
	}
	rate := m.waitRate()
	// The difference quotient in a form that neither cancels nor overflows.
	both := t * math.Exp(-t)
	if gap := math.Abs(rate - 1); gap > 0 {
		both = math.Exp(-min(rate, 1)*t) * -math.Expm1(-gap*t) / gap
	}
	return math.Exp(-t) + c*both
}

// TimeQuantile is the p quantile of the time in system. It panics unless
// 0 <= p <= 1.
func (m MMC) TimeQuantile(p float64) float64 {
	mustProbability(p)
	c := m.WaitingProbability()
	return quantile(func(t float64) float64 { return m.timeTail(c, t) }, p)
}

// WaitQuantile is the p quantile of the wait, 0 up to its atom 1-C. It panics
// unless 0 <= p <= 1.
func (m MMC) WaitQuantile(p float64) float64 {
	mustProbability(p)
	c := m.WaitingProbability()
	if p <= 1-c {
		return 0
	}
	return max(0, math.Log(c/(1-p))/m.waitRate())
}

var mmcEntries = []Entry{{
	Name: "mmc",
	Doc:  "Several servers behind one queue, with Erlang's C; what no policy that commits jobs at arrival can beat.",
	Params: []Param{
		{Name: "c", Doc: "servers, 1 to 1,000,000"},
		{Name: "rho", Doc: "utilization of each server, at least 0 and below 1"},
	},
	Example: "c=10 rho=0.9",
	Source:  "Erlang 1917; Kleinrock, Queueing Systems I, 1975, chapter 3",
	eval: func(args *arguments) (a Answer, err error) {
		m := MMC{C: args.integer("c"), Rho: args.float("rho")}
		if err := args.check(m); err != nil {
			return a, err
		}
		// B moves by at most c times the relative error of the load, u, and each
		// step of the recursion adds at most 4u and keeps at most all of the
		// error before it: 5c·u. C moves no more than B does, relative, and adds
		// four operations.
		operations := 5*m.C + 4
		c := m.WaitingProbability()
		b := ErlangB(m.C, float64(m.C)*m.Rho)
		relative := rounding(1, operations)
		wait := m.MeanWait()
		a.put("mean_time_in_system", 1+wait, rounding(wait, operations+3)+rounding(1+wait, 1))
		a.put("mean_jobs_per_server", m.MeanJobsPerServer(), rounding(wait, operations+3)+rounding(1+wait, 2))
		a.put("mean_wait", wait, rounding(wait, operations+3))
		a.put("waiting_probability", c, rounding(c, operations))
		a.put("idle_pick_probability", 1-c, rounding(c, operations)+rounding(1-c, 1))
		a.put("loss_probability_without_queue", b, rounding(b, operations))
		for _, q := range percentiles {
			t := m.TimeQuantile(q.p)
			tail := func(t float64) float64 { return m.timeTail(c, t) }
			// exp(-x) has the relative error of x times x, x = max(1, r)·t being
			// good to 3u; |r-1| cancels up to (1+r)·2u absolute, which moves the
			// quotient by at most t/2 times that.
			e := relative + (6+4*max(1, m.waitRate()))*(t+1)*0x1p-52
			a.put(q.name, t, quantileBound(tail, q.p, e, t))
		}
		w := m.WaitQuantile(0.99)
		a.put("wait_p99", w, rounding(w, 5)+(percentile{p: 0.99}.slack()+relative+0x1p-52)/m.waitRate())
		// A weight rounds three times a step, the load included; the last one once
		// more for each of 1-rho and the quotient; sums of up to c+1 positive terms
		// and the quotient, above and below the fraction bar; the power by up to
		// twice its exponent: relative errors of u each.
		list := m.Tails(maxTails)
		tails := tailList(func(k int) float64 { return list[k] })
		worst := 0.0
		for i, p := range tails {
			worst = max(worst, rounding(p, 2*(4*m.C+3)+2*(i+2)))
		}
		a.put("tails", tails, worst)
		return a, nil
	},
}}
