package oracle

import "fmt"

// GG1 is one FIFO server with independent gaps between arrivals and independent
// work of mean 1, known by their squared coefficients of variation only.
type GG1 struct {
	Rho    float64 // utilization: above 0 and below 1
	GapCV2 float64 // of the gaps between arrivals, 1 for Poisson arrivals
	CV2    float64 // of the work, 1 for exponential work
}

// Validate says which parameter is out of range.
func (m GG1) Validate() error {
	if err := validVariation("of the gaps ca2", m.GapCV2); err != nil {
		return err
	}
	if err := validVariation("of the work cs2", m.CV2); err != nil {
		return err
	}
	if !(m.Rho > 0 && m.Rho < 1) {
		return fmt.Errorf("utilization rho is %v, want above 0 and below 1", m.Rho)
	}
	return nil
}

// WaitBound is an upper bound of the mean wait for every law of the gaps and of
// the work (Kingman 1962): with the variances of the gaps, ca2/rho², and of the
// work, cs2, in units of the mean work,
//
//	E W <= rho·(ca2/rho² + cs2)/(2·(1-rho)).
func (m GG1) WaitBound() float64 {
	must(m)
	return (m.GapCV2/m.Rho + m.Rho*m.CV2) / (2 * (1 - m.Rho))
}

// WaitApproximation is the heavy-traffic form rho/(1-rho)·(ca2+cs2)/2. It tends
// to the mean wait as rho goes to 1 and equals it for Poisson arrivals; it is no
// bound: with arrivals in batches the true wait is longer.
func (m GG1) WaitApproximation() float64 {
	must(m)
	return m.Rho / (1 - m.Rho) * (m.GapCV2 + m.CV2) / 2
}

var kingmanEntries = []Entry{{
	Name: "kingman",
	Doc:  "One server with any gaps and any work: Kingman's upper bound of the mean wait, and the heavy-traffic approximation, which is no bound.",
	Params: []Param{
		{Name: "rho", Doc: "utilization, above 0 and below 1"},
		{Name: "ca2", Doc: "variance of the gaps between arrivals over their mean squared, finite and at least 0"},
		{Name: "cs2", Doc: "variance of the work over its mean squared, finite and at least 0"},
	},
	Example: "rho=0.8 ca2=1 cs2=3.22",
	Source:  "Kingman 1962, Some inequalities for the queue GI/G/1; heavy traffic: Kingman 1961",
	eval: func(args *arguments) (a Answer, err error) {
		m := GG1{Rho: args.float("rho"), GapCV2: args.float("ca2"), CV2: args.float("cs2")}
		if err := args.check(m); err != nil {
			return a, err
		}
		// The bound rounds five times on the longest way, all terms positive.
		a.put("mean_wait_bound", m.WaitBound(), rounding(m.WaitBound(), 5))
		a.put("mean_wait", m.WaitApproximation(), Estimate)
		a.put("mean_time_in_system", 1+m.WaitApproximation(), Estimate)
		return a, nil
	},
}}
