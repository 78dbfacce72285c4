//go:build !mutants

package queue

import (
	"fmt"
	"math"
)

// Arrivals is a point process: when requests come.
type Arrivals interface {
	// clock returns a function that gives one arrival time after another, not
	// descending, at a mean rate per unit of time; false when there are no more.
	clock(rate float64, s Stream) func() (t float64, ok bool)
	validate() error
}

// Poisson arrivals: the gaps are independent and exponential.
type Poisson struct{}

func (Poisson) clock(rate float64, s Stream) func() (float64, bool) {
	t := 0.0
	return func() (float64, bool) {
		t += s.ExpFloat64() / rate
		return t, true
	}
}

func (Poisson) validate() error { return nil }

// Evenly spaced arrivals: every gap is 1/rate, from time 0 on.
type Evenly struct{}

func (Evenly) clock(rate float64, _ Stream) func() (float64, bool) {
	i := 0
	return func() (float64, bool) {
		i++
		return float64(i) / rate, true
	}
}

func (Evenly) validate() error { return nil }

// ParseArrivals reads poisson or even. Recorded arrivals come from ReadTrace.
func ParseArrivals(text string) (Arrivals, error) {
	switch text {
	case "poisson":
		return Poisson{}, nil
	case "even":
		return Evenly{}, nil
	}
	return nil, fmt.Errorf("queue: unknown arrivals %q, want poisson or even", text)
}

// RecordedArrivals are known times, in ascending order from 0 on. They have a
// rate of their own: World.Rho and World.Rate must be 0.
type RecordedArrivals []float64

func (r RecordedArrivals) clock(float64, Stream) func() (float64, bool) {
	i := 0
	return func() (float64, bool) {
		if i == len(r) {
			return 0, false
		}
		i++
		return r[i-1], true
	}
}

func (r RecordedArrivals) validate() error {
	if len(r) == 0 {
		return fmt.Errorf("queue: recorded arrivals are empty, want at least one time")
	}
	last := 0.0
	for i, t := range r {
		if !(t >= last) || math.IsInf(t, 1) {
			return fmt.Errorf("queue: recorded arrival %d is at %v, want a finite time at or after %v", i+1, t, last)
		}
		last = t
	}
	return nil
}
