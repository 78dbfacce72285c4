package identify

import (
	"context"
	"fmt"
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

// slow is the latency of half of the servers, and fast that of the others.
const slow, fast = 10 * time.Second, slow / 100

// answer ends a request of a slow or a fast server; where the clock is not
// virtual, fewer milliseconds have to do.
func (s *search) answer(d *spec.Driver, odd bool, o spec.Outcome) spec.Outcome {
	o.Latency = fast
	if odd {
		o.Latency = slow
	}
	clock, virtual := d.Picker().(spec.Sleeper)
	switch {
	case virtual:
		clock.Sleep(o.Latency)
	case s.RealTime && odd:
		time.Sleep(4 * time.Millisecond) // a call takes one or two
	case odd:
		time.Sleep(time.Millisecond) // a call takes microseconds
	}
	return o
}

// silent is after how many pairs that say nothing at all a comparison is given
// up: a rotation gives everybody the same.
const silent = 8

// latencies lets half of the servers answer much more slowly than the others:
// requests that succeed, and if that matters, also others and busier servers.
func (s *search) latencies() error {
	for _, c := range []struct {
		name    string
		outcome spec.Outcome
		busy    bool
	}{
		{"latencies", spec.Outcome{}, false},
		{"latencies of failures", spec.Outcome{Failed: true}, false},
		{"latencies of cancelled requests", spec.Outcome{Canceled: true}, false},
		{"latencies outweigh a request in flight: they", spec.Outcome{}, true},
	} {
		v, err := s.compare(c.name, true, c.busy, func(d *spec.Driver, odd bool) spec.Outcome { return s.answer(d, odd, c.outcome) })
		if err != nil {
			return err
		}
		if v.matter {
			s.observe("%s matter, slow servers are %s: idle servers got %.1f%% of the picks each while they were slow, and %.1f%% while others were", c.name, v.word(), 100*v.odd, 100*v.even)
		}
		if c.name == "latencies" {
			if s.learns = v.matter; !s.learns {
				break
			}
		}
		if s.RealTime {
			break
		}
	}
	if s.learns { // whatever fits its picks so far is no law of the requests in flight
		s.best, s.result.Remaining, s.result.Within = nil, []string{LatencyDriven}, 1
	}
	return nil
}

// failures lets half of the servers fail, as fast as the others succeed.
func (s *search) failures() error {
	v, err := s.compare("failures", false, false, func(_ *spec.Driver, odd bool) spec.Outcome {
		return spec.Outcome{Latency: time.Millisecond, Failed: odd}
	})
	if err == nil && v.matter {
		s.failing = true
		s.observe("failures matter, failing servers are %s: idle servers got %.1f%% of the picks each while they failed, and %.1f%% while others did", v.word(), 100*v.odd, 100*v.even)
	}
	return err
}

// A versus is what a comparison found: whether it matters to be odd, and the mean
// share of a server while it was odd, and while the others were.
type versus struct {
	matter    bool
	odd, even float64
}

func (v versus) word() string {
	if v.odd > v.even {
		return "preferred"
	}
	return "avoided"
}

// compare runs pairs of balancers in which the first or the last servers are
// the odd ones, in an order that a coin decides. If outcomes make no difference,
// the coins are independent of the picks, so each pair is as likely to speak for
// the odd servers as against them: the sign test is exact, whatever the balancer
// does. Pairs that say nothing do not count.
func (s *search) compare(name string, oddLate, busy bool, outcome func(d *spec.Driver, odd bool) spec.Outcome) (versus, error) {
	coins := rand.New(rand.NewPCG(s.Seed, oracle.Stream(s.Seed, "compare "+name)))
	half := len(s.fleet()) / 2
	against, in, picks := 0, 0, 0
	var forOdd, forOthers int
	for pair := range pairs {
		which, gap := coins.IntN(2), 0
		for run := range 2 {
			first, last, n, err := s.one(fmt.Sprint(name, pair, run), (which+run)%2 == 0, oddLate, busy, outcome)
			if err != nil {
				return versus{}, err
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
		if min(against, in) > contrary || pair == silent && against+in == 0 {
			return versus{}, nil
		}
	}
	p, err := oracle.BinomialTest(against, against+in, 0.5)
	each := float64(half * picks)
	return versus{against+in > 0 && p <= s.share(), float64(forOdd) / each, float64(forOthers) / each}, err
}

// one is one run with the first or the last servers odd. First, one request
// ends at every server, at the odd ones after the others if they are late; then
// come picks of an idle fleet, or of one in which all but the odd servers have a
// request in flight. It returns how many of those went to the odd servers, and to
// those at the other end.
func (s *search) one(name string, firstOdd, oddLate, busy bool, outcome func(d *spec.Driver, odd bool) spec.Outcome) (odd, other, picks int, err error) {
	fleet := s.fleet()
	n, half := len(fleet), len(fleet)/2
	isOdd := func(i int) bool { return firstOdd && i < half || !firstOdd && i >= n-half }
	d, err := s.freshNamed(fleet, name)
	if err != nil {
		return 0, 0, 0, err
	}
	defer d.Close()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
		if busy {
			ones[i] = 2
		}
	}
	if busy && s.RealTime {
		busy = false
	}
	pass(d, 2*time.Minute) // some only show what they are when they have warmed up
	if busy {              // so that what is counted from the beginning is long
		if clock, virtual := d.Picker().(spec.Sleeper); virtual {
			clock.Sleep(1000 * slow)
		} else {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if err := d.Reach(ones); err != nil {
		return 0, 0, 0, err
	}
	pass(d, time.Millisecond)
	for _, late := range []bool{false, true} {
		for i := range n {
			if (oddLate && isOdd(i)) != late {
				continue
			}
			for d.InFlight()[i] > 0 && (!busy || isOdd(i) || d.InFlight()[i] > 1) {
				if err := d.Release(i, outcome(d, isOdd(i))); err != nil {
					return 0, 0, 0, err
				}
			}
		}
	}
	probes := 40
	if s.RealTime {
		probes = 4 * n
	}
	for range probes {
		i, end, err := d.Lease(context.Background(), spec.Request{})
		if err != nil {
			return 0, 0, 0, err
		}
		switch {
		case isOdd(i):
			odd++
		case i < half || i >= n-half:
			other++
		}
		if err := end(outcome(d, isOdd(i))); err != nil {
			return 0, 0, 0, err
		}
	}
	return odd, other, probes, nil
}
