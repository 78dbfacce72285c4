package oracle

import (
	"fmt"
	"math"
)

// Drift is a server that gets jobs of mean work 1 at a rate that it may not be
// able to serve: the fluid limit, in which chance averages out. An overloaded
// queue grows linearly, and so does the delay; there is no stationary law.
type Drift struct {
	Rate  float64 // arrivals in a unit of time: finite, at least 0
	Speed float64 // work done in a unit of time: finite, above 0
}

// Validate says which parameter is out of range.
func (m Drift) Validate() error {
	if !(m.Rate >= 0) || math.IsInf(m.Rate, 1) {
		return fmt.Errorf("rate of arrivals rho is %v, want a finite number that is at least 0", m.Rate)
	}
	if !(m.Speed > 0) || math.IsInf(m.Speed, 1) {
		return fmt.Errorf("speed is %v, want a finite number above 0", m.Speed)
	}
	return nil
}

// Growth is the long-run growth of the number of jobs in a unit of time,
// rate - speed, or 0 for a server that keeps up. By the law of large numbers it
// is exact in the long run.
func (m Drift) Growth() float64 {
	must(m)
	return max(0, m.Rate-m.Speed)
}

// Jobs is the number of jobs at a time t after an empty start.
func (m Drift) Jobs(t float64) float64 { return m.Growth() * max(t, 0) }

// Delay is the wait of a job that arrives at a time t after an empty start.
func (m Drift) Delay(t float64) float64 { return m.Jobs(t) / m.Speed }

// horizon is a time after the start.
type horizon float64

// Validate accepts finite times that are not negative.
func (t horizon) Validate() error {
	if !(t >= 0) || math.IsInf(float64(t), 1) {
		return fmt.Errorf("time t is %v, want a finite number that is at least 0", float64(t))
	}
	return nil
}

var driftEntries = []Entry{{
	Name: "drift",
	Doc:  "A server that gets more work than it can do: how fast its queue and its delay grow.",
	Params: []Param{
		{Name: "rho", Doc: "arrivals in a mean service time at speed 1, finite and at least 0"},
		{Name: "speed", Doc: "speed of the server, finite and above 0"},
		{Name: "t", Doc: "time since the server was empty, in mean service times at speed 1", Default: "1000"},
	},
	Example: "rho=0.7 speed=0.2 t=2000",
	Source:  "fluid limit: Kurtz 1970; Chen and Mandelbaum 1991",
	eval: func(args *arguments) (a Answer, err error) {
		m, t := Drift{Rate: args.float("rho"), Speed: args.float("speed")}, horizon(args.float("t"))
		if err := args.check(m); err != nil {
			return a, err
		}
		if err := args.check(t); err != nil {
			return a, err
		}
		a.put("growth", m.Growth(), rounding(m.Growth(), 1))
		a.put("jobs_at_t", m.Jobs(float64(t)), Limit)
		a.put("wait_at_t", m.Delay(float64(t)), Limit)
		return a, nil
	},
}}
