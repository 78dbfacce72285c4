package oracle

import (
	"fmt"
	"math"
)

// MG1 is one server with Poisson arrivals, FIFO order and work of mean 1 with a
// squared coefficient of variation CV2: 0 for constant work (M/D/1), 1 for
// exponential work (M/M/1). The first two moments of the work decide the means
// (Pollaczek 1930; Khinchine 1932), but not the quantiles.
type MG1 struct {
	Rho float64 // utilization: at least 0 and below 1
	CV2 float64 // variance of the work over its mean squared: finite, not negative
}

// MD1 is M/D/1: Poisson arrivals and constant work of 1.
func MD1(rho float64) MG1 { return MG1{Rho: rho} }

// Validate says which parameter is out of range.
func (m MG1) Validate() error {
	if err := validVariation("of the work cv2", m.CV2); err != nil {
		return err
	}
	return validUtilization(m.Rho)
}

// validVariation accepts squared coefficients of variation.
func validVariation(what string, cv2 float64) error {
	if !(cv2 >= 0) || math.IsInf(cv2, 1) {
		return fmt.Errorf("squared coefficient of variation %s is %v, want a finite number that is at least 0", what, cv2)
	}
	return nil
}

// MeanWait is rho/(1-rho)·(1+cv2)/2.
func (m MG1) MeanWait() float64 {
	must(m)
	return m.Rho / (1 - m.Rho) * (1 + m.CV2) / 2
}

// MeanTimeInSystem is the mean wait and the mean work, which is 1.
func (m MG1) MeanTimeInSystem() float64 { return 1 + m.MeanWait() }

// MeanJobs is rho times the mean time in system, by Little's law.
func (m MG1) MeanJobs() float64 { return m.Rho * m.MeanTimeInSystem() }

var mg1Entries = []Entry{{
	Name: "mg1",
	Doc:  "One server with Poisson arrivals and any work, from its first two moments; cv2=0 is M/D/1.",
	Params: []Param{
		{Name: "rho", Doc: "utilization, at least 0 and below 1"},
		{Name: "cv2", Doc: "variance of the work over its mean squared, finite and at least 0"},
	},
	Example: "rho=0.8 cv2=3.22",
	Source:  "Pollaczek 1930; Khinchine 1932; Kleinrock, Queueing Systems I, 1975, chapter 5",
	eval: func(args *arguments) (a Answer, err error) {
		m := MG1{Rho: args.float("rho"), CV2: args.float("cv2")}
		if err := args.check(m); err != nil {
			return a, err
		}
		// Four operations that round; the halving is exact.
		wait := m.MeanWait()
		a.put("mean_time_in_system", 1+wait, rounding(1+wait, 5))
		a.put("mean_jobs_per_server", m.MeanJobs(), rounding(m.MeanJobs(), 6))
		a.put("mean_wait", wait, rounding(wait, 4))
		a.put("waiting_probability", m.Rho, 0.0)
		a.put("idle_pick_probability", 1-m.Rho, rounding(1-m.Rho, 1))
		return a, nil
	},
}}
