package identify

import (
	"math/rand/v2"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// pairs is how many pairs of runs tell whether outcomes matter. When all of
// them agree, chance explains that with probability 2^-63.
const pairs = 64

// contrary is how many pairs may speak against before a comparison is given up.
const contrary = 4

// latencies lets half of the servers answer much more slowly than the others.
func (s *search) latencies() error {
	matter, share, fair, err := s.compare(6, true, func(d *spec.Driver, odd bool) spec.Outcome {
		clock, virtual := d.Picker().(spec.Sleeper)
		slow := 10 * time.Second
		switch {
		case virtual && !odd:
			clock.Sleep(slow / 100)
		case virtual:
			clock.Sleep(slow)
		case s.RealTime && odd:
			time.Sleep(5 * time.Millisecond)
		case odd:
			time.Sleep(time.Millisecond) // a call takes microseconds
		}
		if odd {
			return spec.Outcome{Latency: slow}
		}
		return spec.Outcome{Latency: slow / 100}
	})
	if err != nil || !matter {
		return err
	}
	s.learns = true
	s.observe("latencies matter: idle servers got %.1f%% of the picks each while they were slow, and %.1f%% while others were", 100*share, 100*fair)
	if len(s.result.Remaining) == 0 {
		s.result.Remaining = append(s.result.Remaining, LatencyDriven)
	}
	return nil
}

// failures lets half of the servers fail, as fast as the others succeed.
func (s *search) failures() error {
	matter, share, fair, err := s.compare(7, false, func(d *spec.Driver, odd bool) spec.Outcome {
		if clock, ok := d.Picker().(spec.Sleeper); ok {
			clock.Sleep(time.Millisecond)
		}
		return spec.Outcome{Latency: time.Millisecond, Failed: odd}
	})
	if err == nil && matter {
		s.failing = true
		s.observe("failures matter: idle servers got %.1f%% of the picks each while they failed, and %.1f%% while others did", 100*share, 100*fair)
	}
	return err
}

// compare runs pairs of balancers in which the first or the last servers are
// the odd ones, in an order that a coin decides. If outcomes make no difference,
// the coins are independent of the picks, so each pair is as likely to speak for
// the odd servers as against them: the sign test is exact, whatever the balancer
// does. Pairs that say nothing do not count. It returns the mean share of a
// server while it was odd, and while the others were.
func (s *search) compare(stage uint64, oddLate bool, outcome func(d *spec.Driver, odd bool) spec.Outcome) (matter bool, odd, even float64, err error) {
	coins := rand.New(rand.NewPCG(s.Seed, stage))
	half := len(s.fleet()) / 2
	against, in, picks := 0, 0, 0
	var forOdd, forOthers int
	for pair := range uint64(pairs) {
		which, gap := coins.IntN(2), 0
		for run := range 2 {
			first, last, n, err := s.ends(100*stage+2*pair+uint64(run), (which+run)%2 == 0, oddLate, outcome)
			if err != nil {
				return false, 0, 0, err
			}
			gap += first - last
			forOdd, forOthers, picks = forOdd+first, forOthers+last, picks+n
		}
		switch {
		case gap < 0:
			against++
		case gap > 0:
			in++
		}
		if min(against, in) > contrary {
			return false, 0, 0, nil
		}
	}
	p, err := oracle.BinomialTest(against, against+in, 0.5)
	each := float64(half * picks)
	return against+in > 0 && p <= s.Alpha/stages, float64(forOdd) / each, float64(forOthers) / each, err
}

// ends is one run with the first or the last servers odd. First, one request
// ends at every server, at the odd ones after the others if they are late; then
// come picks of an idle fleet. It returns how many of those went to the odd servers, and to those at the other end.
func (s *search) ends(seed uint64, firstOdd, oddLate bool, outcome func(d *spec.Driver, odd bool) spec.Outcome) (odd, other, picks int, err error) {
	fleet := s.fleet()
	n, half := len(fleet), len(fleet)/2
	isOdd := func(i int) bool { return firstOdd && i < half || !firstOdd && i >= n-half }
	d, err := s.drive(fleet, seed)
	if err != nil {
		return 0, 0, 0, err
	}
	defer d.Close()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	if err := d.Reach(ones); err != nil {
		return 0, 0, 0, err
	}
	for _, late := range []bool{false, true} {
		for i := range n {
			if (oddLate && isOdd(i)) != late {
				continue
			}
			if err := d.Release(i, outcome(d, isOdd(i))); err != nil {
				return 0, 0, 0, err
			}
		}
	}
	const probes = 40
	for range probes {
		i, err := d.Acquire(spec.Request{})
		if err != nil {
			return 0, 0, 0, err
		}
		switch {
		case isOdd(i):
			odd++
		case i < half || i >= n-half:
			other++
		}
		if err := d.Release(i, outcome(d, isOdd(i))); err != nil {
			return 0, 0, 0, err
		}
	}
	return odd, other, probes, nil
}
