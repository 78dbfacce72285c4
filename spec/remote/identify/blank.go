package identify

import (
	"context"
	"slices"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A rewinder has a clock that can be set back, as that of a machine is when it is
// corrected.
type rewinder interface{ Rewind(time.Duration) }

// blank looks at balancers that learn from latencies: what they do while they
// know nothing, when all servers are alike, after a long silence, and how they
// take news. Its own requests are cancelled, so that they teach nothing.
func (s *search) blank() error {
	if !s.learns {
		return nil
	}
	law, err := s.blankLaw()
	if err != nil {
		return err
	}
	if law == nil {
		s.observe("while every request is cancelled it follows no known law")
		return s.memories()
	}
	s.observe("while every request is cancelled it follows %v", law)
	if err := s.alike(law); err != nil {
		return err
	}
	return s.memories()
}

// blankLaw is the law of a balancer that is taught nothing.
func (s *search) blankLaw() (oracle.Law, error) {
	s.mute = true
	fleet := s.fleet()
	d, err := s.drive(fleet, "blank")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	e := s.evidence(oracle.Random{}, candidates(fleet))
	before := len(s.result.Refuted)
	err = s.tellApart(d, fleet, e, s.Picks)
	s.result.Refuted = s.result.Refuted[:before] // they are about another balancer
	if err != nil {
		return nil, err
	}
	for _, l := range e.Remaining() {
		convicted, _, _, err := s.confirm(d, fleet, l, max(s.Within, 0.2), false)
		if err != nil || !convicted {
			return l, err
		}
	}
	return nil, nil
}

// alike teaches the same of every server, and looks whether the law of loads is
// back.
func (s *search) alike(law oracle.Law) error {
	const latency = 5 * time.Millisecond
	for _, c := range []struct {
		name           string
		latency, later time.Duration
	}{
		{"every server had answered alike", latency, 0},
		{"every server had answered at once", 0, 0},
		{"every server had answered alike a day before", latency, 24 * time.Hour},
		{"every server had answered alike and the clock had been set back", latency, -time.Minute},
	} {
		d, err := s.taught(c.name, slices.Repeat([]time.Duration{c.latency}, len(s.fleet())))
		if err != nil {
			return err
		}
		defer d.Close()
		if !pass(d, c.later) {
			continue
		}
		loads := staircase(len(s.fleet()))
		for range loads { // each server is the lightest once
			if err := s.reach(d, loads); err != nil {
				return err
			}
			g, err := s.stillFor(d, s.fleet(), law, 100)
			if err != nil {
				return err
			}
			if g != nil {
				s.observe("after %s it does not follow %v: %v", c.name, law, g)
				break
			}
			loads = append(loads[1:], loads[0])
		}
	}
	return nil
}

// pass lets time pass, if the clock can do it.
func pass(d *spec.Driver, t time.Duration) bool {
	clock, virtual := d.Picker().(spec.Sleeper)
	back, rewinds := d.Picker().(rewinder)
	switch {
	case t == 0:
	case t > 0 && virtual:
		clock.Sleep(t)
	case t < 0 && rewinds:
		back.Rewind(-t)
	default:
		return false
	}
	return true
}

// taught is a balancer whose servers have answered one request each, after these
// latencies; all of them end at the same time.
func (s *search) taught(name string, latencies []time.Duration) (*spec.Driver, error) {
	s.mute = true
	d, err := s.drive(s.fleet(), name)
	if err != nil {
		return nil, err
	}
	if err := s.reach(d, slices.Repeat([]float64{1}, len(latencies))); err != nil {
		return d, err
	}
	return d, teach(d, latencies)
}

// teach ends one request of each server, in the order of their latencies.
func teach(d *spec.Driver, latencies []time.Duration) error {
	clock, virtual := d.Picker().(spec.Sleeper)
	order := make([]int, len(latencies))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(latencies[i] - latencies[j]) })
	var passed time.Duration
	for _, i := range order {
		if wait := latencies[i] - passed; wait > 0 && virtual {
			clock.Sleep(wait)
		} else if wait > 0 {
			time.Sleep(wait)
		}
		passed = max(passed, latencies[i])
		if err := d.Release(i, spec.Outcome{Latency: latencies[i]}); err != nil {
			return err
		}
	}
	return nil
}

// memories looks how a slow answer of the first server is remembered.
func (s *search) memories() error {
	latencies := slices.Repeat([]time.Duration{10 * time.Millisecond}, len(s.fleet()))
	latencies[0] = 20 * time.Second
	// Each look gets a balancer of its own, that knows the first server as slow.
	look := func(name string, after func(d *spec.Driver) (bool, error)) error {
		d, err := s.taught(name, latencies)
		if err != nil {
			return err
		}
		defer d.Close()
		if ok, err := after(d); !ok || err != nil {
			return err
		}
		got, of, err := s.first(d)
		if err == nil {
			s.observe("%s, a server that was slow once is %s: it got %d of %d picks", name, howOften(got), got, of)
		}
		return err
	}
	d, err := s.freshOne(s.fleet(), 0)
	if err != nil {
		return err
	}
	_, virtual := d.Picker().(spec.Sleeper)
	_, updates := d.Picker().(spec.Updater)
	_, rewinds := d.Picker().(rewinder)
	d.Close()
	if !virtual {
		return nil // what takes minutes is not looked at
	}
	if err := look("at once", func(*spec.Driver) (bool, error) { return true, nil }); err != nil {
		return err
	}
	if err := look("after a day of silence", func(d *spec.Driver) (bool, error) { return pass(d, 24*time.Hour), nil }); err != nil {
		return err
	}
	if err := look("after ten minutes with two picks a second", func(d *spec.Driver) (bool, error) {
		for range 1200 {
			pass(d, time.Second/2)
			if _, _, err := s.picks(d, 1); err != nil {
				return false, err
			}
		}
		return true, nil
	}); err != nil {
		return err
	}
	if updates {
		if err := look("after a visitor had joined and left", func(d *spec.Driver) (bool, error) {
			if err := d.Update(append(slices.Clone(s.fleet()), visitor)); err != nil {
				return false, err
			}
			return true, d.Update(s.fleet())
		}); err != nil {
			return err
		}
	}
	if rewinds {
		if err := s.lateNews(); err != nil {
			return err
		}
	}
	return s.peak()
}

// peak lets a slow answer follow a fast one at the same moment.
func (s *search) peak() error {
	fleet := s.fleet()
	s.mute = true
	d, err := s.drive(fleet, "peak")
	if err != nil {
		return err
	}
	defer d.Close()
	early, err := everywhere(d, len(fleet))
	if err != nil {
		return err
	}
	pass(d, 10*time.Second)
	late, err := everywhere(d, len(fleet))
	if err != nil {
		return err
	}
	for i := range fleet {
		if err := late[i](spec.Outcome{}); err != nil {
			return err
		}
		if err := early[i](spec.Outcome{Canceled: i > 0}); err != nil {
			return err
		}
	}
	got, of, err := s.first(d)
	if err == nil {
		s.observe("after a slow answer and a fast one at the same moment, their server is %s: it got %d of %d picks", howOften(got), got, of)
	}
	return err
}

// lateNews lets a slow answer come while the clock is set back by an hour, after
// a fast one, and sets the clock right again.
func (s *search) lateNews() error {
	s.mute = true
	d, err := s.drive(s.fleet(), "late news")
	if err != nil {
		return err
	}
	defer d.Close()
	early, err := everywhere(d, len(s.fleet()))
	if err != nil {
		return err
	}
	pass(d, 2*time.Hour)
	late, err := everywhere(d, len(s.fleet()))
	if err != nil {
		return err
	}
	for i := range late {
		if err := late[i](spec.Outcome{Canceled: i > 0}); err != nil {
			return err
		}
	}
	pass(d, -time.Hour)
	for i := range early {
		if err := early[i](spec.Outcome{Canceled: i > 0}); err != nil {
			return err
		}
	}
	pass(d, time.Hour)
	got, of, err := s.first(d)
	if err == nil {
		s.observe("after a slow answer that came while the clock was set back, its server is %s: it got %d of %d picks", howOften(got), got, of)
	}
	return err
}

// everywhere takes one request to each server, and cancels what goes elsewhere.
func everywhere(d *spec.Driver, n int) ([]func(spec.Outcome) error, error) {
	const budget = 20_000
	ends := make([]func(spec.Outcome) error, n)
	var more []func(spec.Outcome) error
	for found, picks := 0, 0; found < n; picks++ {
		if picks == budget {
			return nil, &spec.Misbehaviour{Finding: spec.NeverFills, Text: "some server was never picked"}
		}
		i, end, err := d.Lease(context.Background(), spec.Request{})
		if err != nil {
			return nil, err
		}
		if ends[i] == nil {
			ends[i] = end
			found++
		} else {
			more = append(more, end)
		}
	}
	for _, end := range more {
		if err := end(spec.Outcome{Canceled: true}); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// first counts picks of the first server, taken from idle.
func (s *search) first(d *spec.Driver) (got, of int, err error) {
	if err := s.reach(d, make([]float64, len(s.fleet()))); err != nil {
		return 0, 0, err
	}
	return s.picks(d, 200)
}

func (s *search) picks(d *spec.Driver, n int) (first, of int, err error) {
	for range n {
		i, err := d.Acquire(spec.Request{})
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			first++
		}
		if err := d.Release(i, spec.Outcome{Canceled: true}); err != nil {
			return 0, 0, err
		}
	}
	return first, n, nil
}

func howOften(got int) string {
	if got == 0 {
		return "not picked"
	}
	return "picked"
}
