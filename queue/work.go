//go:build !mutants

package queue

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Work is the distribution of how long requests keep a server of speed 1 busy.
type Work interface {
	Mean() float64
	// sampler returns a function that gives the work of one request after
	// another.
	sampler(s Stream) func() float64
	validate() error
}

// Exponential work with mean 1.
type Exponential struct{}

// Mean is 1.
func (Exponential) Mean() float64                   { return 1 }
func (Exponential) sampler(s Stream) func() float64 { return s.ExpFloat64 }
func (Exponential) validate() error                 { return nil }

// Constant work of 1.
type Constant struct{}

// Mean is 1.
func (Constant) Mean() float64                 { return 1 }
func (Constant) sampler(Stream) func() float64 { return func() float64 { return 1 } }
func (Constant) validate() error               { return nil }

// Lognormal work: the logarithm is normal with mean Mu and standard deviation
// Sigma. Its mean is exp(Mu + Sigma²/2) and its squared coefficient of
// variation exp(Sigma²) - 1.
type Lognormal struct{ Mu, Sigma float64 }

// UnitLognormal is lognormal work with mean 1.
func UnitLognormal(sigma float64) Lognormal { return Lognormal{-sigma * sigma / 2, sigma} }

// Mean is exp(Mu + Sigma²/2), exactly 1 for UnitLognormal.
func (l Lognormal) Mean() float64 { return math.Exp(l.Mu + l.Sigma*l.Sigma/2) }

func (l Lognormal) sampler(s Stream) func() float64 {
	return func() float64 {
		deviation := float64(s.NormFloat64() * l.Sigma) // the conversion forbids a fused multiply-add
		return math.Exp(l.Mu + deviation)
	}
}

func (l Lognormal) validate() error {
	if !(l.Sigma >= 0) || math.IsInf(l.Sigma, 1) {
		return fmt.Errorf("queue: lognormal work with sigma %v, want a finite number, 0 or more", l.Sigma)
	}
	if mean := l.Mean(); !(mean > 0) || math.IsInf(mean, 1) {
		return fmt.Errorf("queue: lognormal work with mu %v and sigma %v has mean %v, want it finite and positive", l.Mu, l.Sigma, mean)
	}
	if median := math.Exp(l.Mu); median < 0x1p-1022 {
		return fmt.Errorf("queue: lognormal work with mu %v and sigma %v has half of its requests below %v, "+
			"which is 0 in floating-point numbers; want a sigma below 37 for a mean of 1", l.Mu, l.Sigma, 0x1p-1022)
	}
	return nil
}

// Erlang work is the sum of K exponential phases, with mean 1 in all. Its
// squared coefficient of variation is 1/K.
type Erlang struct{ K int }

// Mean is 1.
func (Erlang) Mean() float64 { return 1 }

func (e Erlang) sampler(s Stream) func() float64 {
	return func() float64 {
		sum := 0.0
		for range e.K {
			sum += s.ExpFloat64()
		}
		return sum / float64(e.K)
	}
}

func (e Erlang) validate() error {
	if e.K < 1 {
		return fmt.Errorf("queue: Erlang work of %d phases, want at least 1", e.K)
	}
	return nil
}

// Hyperexponential work is a mixture of two exponentials with mean 1, the
// squared coefficient of variation CV2 >= 1, and balanced means: each of the
// two brings half of the work (Tijms 2003, appendix B).
type Hyperexponential struct{ CV2 float64 }

// Mean is 1.
func (Hyperexponential) Mean() float64 { return 1 }

func (h Hyperexponential) sampler(s Stream) func() float64 {
	// The rarer, longer phase has probability (1 - sqrt((CV2-1)/(CV2+1)))/2,
	// written here without the cancellation.
	rare := 1 / ((h.CV2 + 1) * (1 + math.Sqrt((h.CV2-1)/(h.CV2+1))))
	return func() float64 {
		mean := 0.5 / (1 - rare)
		if s.Float64() < rare {
			mean = 0.5 / rare
		}
		return s.ExpFloat64() * mean
	}
}

func (h Hyperexponential) validate() error {
	// Uniform draws have steps of 2^-53: at 1e9 the rare phase, of probability
	// 5e-10, is still drawn with a relative error below 1e-6.
	if !(h.CV2 >= 1 && h.CV2 <= 1e9) {
		return fmt.Errorf("queue: hyperexponential work with squared variation %v, want 1 to 1e9", h.CV2)
	}
	return nil
}

// RecordedWork is known work, given to the requests in order and from the
// start again when it runs out.
type RecordedWork []float64

// Mean is the mean of the record.
func (r RecordedWork) Mean() float64 {
	sum := 0.0
	for _, w := range r {
		sum += w
	}
	return sum / float64(len(r))
}

func (r RecordedWork) sampler(Stream) func() float64 {
	i := -1
	return func() float64 {
		if i++; i == len(r) {
			i = 0
		}
		return r[i]
	}
}

func (r RecordedWork) validate() error {
	if len(r) == 0 {
		return fmt.Errorf("queue: recorded work is empty, want at least one number")
	}
	for i, w := range r {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("queue: recorded work %d is %v, want a finite number, 0 or more", i+1, w)
		}
	}
	if mean := r.Mean(); !(mean > 0) || math.IsInf(mean, 1) {
		return fmt.Errorf("queue: recorded work has mean %v, want it finite and positive", mean)
	}
	return nil
}

// ParseWork reads exponential, constant, lognormal:SIGMA, erlang:K or
// hyperexponential:CV2.
func ParseWork(text string) (Work, error) {
	name, arg, given := strings.Cut(text, ":")
	switch name {
	case "exponential", "constant":
		if given {
			return nil, fmt.Errorf("queue: work %q: %s takes no parameter", text, name)
		}
		if name == "constant" {
			return Constant{}, nil
		}
		return Exponential{}, nil
	case "erlang":
		k, err := strconv.Atoi(arg)
		if err != nil {
			return nil, fmt.Errorf("queue: work %q: want erlang:K with an integer number of phases", text)
		}
		e := Erlang{k}
		return e, e.validate()
	case "lognormal", "hyperexponential":
		x, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return nil, fmt.Errorf("queue: work %q: want %s:NUMBER", text, name)
		}
		var w Work = UnitLognormal(x)
		if name == "hyperexponential" {
			w = Hyperexponential{x}
		}
		return w, w.validate()
	}
	return nil, fmt.Errorf("queue: unknown work %q, want exponential, constant, lognormal:SIGMA, erlang:K or hyperexponential:CV2", text)
}
