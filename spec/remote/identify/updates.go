package identify

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// visitor is a server that comes and goes.
var visitor = spec.Server{ID: 1000, Name: "visitor", Weight: 1}

// A change is what happens to a fleet, all of whose servers are there before and
// after.
type change struct {
	name  string
	steps func(fleet []spec.Server) [][]spec.Server
}

var changes = []change{
	{"an update to the same fleet", func(f []spec.Server) [][]spec.Server { return [][]spec.Server{f} }},
	{"a visitor had joined and left", func(f []spec.Server) [][]spec.Server {
		return [][]spec.Server{append(slices.Clone(f), visitor), f}
	}},
	{"a server had weight 0 for a while", func(f []spec.Server) [][]spec.Server {
		return [][]spec.Server{weighing(f, 3, 0), f}
	}},
	{"another server had left and come back", func(f []spec.Server) [][]spec.Server {
		return [][]spec.Server{without(f, len(f)-1), f}
	}},
}

// weighing is a fleet in which server i has this weight.
func weighing(fleet []spec.Server, i int, weight uint64) []spec.Server {
	fleet = slices.Clone(fleet)
	fleet[i].Weight = weight
	return fleet
}

func without(fleet []spec.Server, i int) []spec.Server {
	return slices.Delete(slices.Clone(fleet), i, i+1)
}

// updates changes the fleet while requests are in flight, but none at a server
// that leaves, and looks whether the law still holds for them.
func (s *search) updates() error {
	if !s.judged() {
		return nil
	}
	for _, c := range changes {
		g, err := s.afterChange(c)
		if err != nil {
			return err
		}
		if g != nil {
			s.deviate("after %s, with requests in flight, it no longer follows %v: state is lost: %v", c.name, s.best, g)
		}
	}
	return s.lateEnds()
}

func (s *search) afterChange(c change) (*gap, error) {
	fleet := s.fleet()
	d, err := s.drive(fleet, c.name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if _, ok := d.Picker().(spec.Updater); !ok {
		return nil, nil
	}
	loads := staircase(len(fleet))
	slices.Reverse(loads) // nothing is in flight at the last one
	if err := s.reach(d, loads); err != nil {
		return nil, err
	}
	for _, f := range c.steps(fleet) {
		if err := d.Update(f); err != nil {
			return nil, err
		}
	}
	s.counted(d, fleet, "after "+c.name)
	return s.goesOn(d, fleet)
}

// goesOn tells whether the law holds over a fleet that has changed. A weighted
// rotation may be in another order then, and take two cycles to get into step.
func (s *search) goesOn(d *spec.Driver, fleet []spec.Server) (*gap, error) {
	if s.loaded == nil || !rotates(s.loaded) {
		return s.still(d, fleet, s.best)
	}
	var there []int // places in the fleet
	for i, server := range fleet {
		if server.Weight > 0 {
			there = append(there, i)
		}
	}
	for range 2 * len(there) {
		if _, err := d.Probe(spec.Request{}); err != nil {
			return nil, err
		}
	}
	g := &gap{loads: d.InFlight(), due: 1, of: len(there)}
	for range 20 {
		tally := make([]int, len(fleet))
		for range there {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return nil, err
			}
			tally[i]++
		}
		for _, i := range there {
			if tally[i] != 1 {
				g.server, g.got = fleet[i].Name, tally[i]
				return g, nil
			}
		}
	}
	return nil, nil
}

// lateEnds lets a server leave with requests in flight and come back, and ends
// them only then: whether the newcomer inherits them or not, nothing is in flight
// in the end.
func (s *search) lateEnds() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "late ends")
	if err != nil {
		return err
	}
	defer d.Close()
	if _, ok := d.Picker().(spec.Updater); !ok {
		return nil
	}
	loads := staircase(len(fleet))
	loads[0] = 3
	if err := s.reach(d, loads); err != nil {
		return err
	}
	if err := d.Update(fleet[1:]); err != nil {
		return err
	}
	for range 20 * len(fleet) {
		i, err := d.Probe(spec.Request{})
		if err != nil {
			return err
		}
		if i == 0 {
			s.deviate("%s, which had left with requests in flight, was picked", fleet[0].Name)
			return nil
		}
	}
	if err := d.Update(fleet); err != nil {
		return err
	}
	if err := d.Drain(); err != nil {
		return err
	}
	s.counted(d, fleet, "after requests had ended late")
	g, err := s.stillIn(d, fleet, s.best, lookStates(len(fleet)))
	if g != nil {
		s.deviate("after %s had left and come back, and its requests had ended only then, it no longer follows %v: %v", fleet[0].Name, s.best, g)
	}
	return err
}

// departure lets servers leave and others come, and looks whether the law holds
// over those that are there.
func (s *search) departure() error {
	if !s.judged() {
		return nil
	}
	full := s.fleet()
	for _, c := range []struct {
		name string
		from []spec.Server
		to   [][]spec.Server
	}{
		{"the first server had left", full, [][]spec.Server{full[1:]}},
		{"two servers had left and another one come", full, [][]spec.Server{full[2:], append(slices.Clone(full[2:]), visitor)}},
		{"the last server had made room for another one", full, [][]spec.Server{full[:6], append(slices.Clone(full[:6]), visitor)}},
		{"a server had been given weight 0", full, [][]spec.Server{weighing(full, 2, 0)}},
		{"six servers had joined a single one", full[:1], [][]spec.Server{full}},
		{"five servers had joined a pair", full[:2], [][]spec.Server{full}},
	} {
		d, err := s.drive(c.from, c.name)
		if err != nil {
			return err
		}
		defer d.Close()
		for range 10 {
			if _, err := d.Acquire(spec.Request{}); err != nil {
				return err
			}
		}
		fleet := c.from
		for _, fleet = range c.to {
			if err := d.Change(fleet); err != nil {
				return err
			}
			if _, err := d.Probe(spec.Request{}); err != nil {
				return err
			}
		}
		states := lookStates(len(fleet))
		if slices.ContainsFunc(fleet, func(f spec.Server) bool { return f.Weight == 0 }) {
			states = states[:1] // a server that is not eligible cannot be filled up
		}
		var g *gap
		for _, loads := range states {
			if err = s.reach(d, loads); err == nil && g == nil {
				g, err = s.goesOn(d, fleet)
			}
			if err != nil {
				return err
			}
		}
		if g != nil {
			s.deviate("after %s it no longer follows %v: %v", c.name, s.best, g)
		}
	}
	return nil
}

// fleets plays fleets of other sizes, with other ids, and deep queues.
func (s *search) fleets() error {
	if !s.judged() {
		return nil
	}
	far := policies.Fleet(7)
	for i := range far {
		far[i].ID = spec.ServerID(1<<33 + i*(i+1)/2)
	}
	deep := staircase(7)
	deep[0] = 256 // 0, to who counts in 8 bits
	for _, c := range []struct {
		name   string
		fleet  []spec.Server
		states [][]float64
	}{
		{"a single server", policies.Fleet(1), [][]float64{{0}, {3}}},
		{"two servers", policies.Fleet(2), [][]float64{{0, 0}, {0, 1}, {2, 1}}},
		{"three servers", policies.Fleet(3), [][]float64{{0, 0, 0}, {2, 1, 0}}},
		{"seven servers with large ids that have gaps", far, lookStates(7)},
		{"256 requests at one of seven servers", s.fleet(), [][]float64{deep}},
	} {
		if oracle.Fits(s.best, len(c.fleet)) != nil {
			continue // more choices than servers
		}
		d, err := s.drive(c.fleet, c.name)
		if err != nil {
			return err
		}
		g, err := s.stillIn(d, c.fleet, s.best, c.states)
		d.Close()
		if err != nil {
			return fmt.Errorf("with %s: %w", c.name, err)
		}
		if g != nil {
			s.deviate("with %s it does not follow %v: %v", c.name, s.best, g)
		}
	}
	return s.large()
}

// large plays seventy servers. Where the law gives every pick of a state the same
// probabilities, what blocks of servers get is binomial, which shows small flaws
// long before the evidence has learnt seventy probabilities.
func (s *search) large() error {
	const n, picks, block = 70, 6000, 10
	fleet := policies.Fleet(n)
	d, err := s.drive(fleet, "large")
	if err != nil {
		return err
	}
	defer d.Close()
	if rotates(s.best) {
		g, err := s.stillFor(d, fleet, s.best, 3*n)
		if g != nil {
			s.deviate("with %d servers it does not follow %v: %v", n, s.best, g)
		}
		return err
	}
	half := make([]float64, n)
	for i := range half {
		half[i] = float64(i % 2)
	}
	for _, loads := range [][]float64{make([]float64, n), half} {
		if err := s.reach(d, loads); err != nil {
			return err
		}
		law, err := s.best.Probabilities(oracle.State{Loads: loads})
		if err != nil {
			return err
		}
		tally := make([]int, n)
		for range picks {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return err
			}
			tally[i]++
		}
		alpha, got, due := s.share()/(n/block), 0, 0.0
		for i := range n {
			p, _ := law[i].Float64()
			got, due = got+tally[i], due+p
			if (i+1)%block != block/2 { // behind 5, 15, ... 65 servers
				continue
			}
			p, err := oracle.BinomialTest(got, picks, min(due, 1))
			if err != nil {
				return err
			}
			if p <= alpha {
				s.deviate("with %d servers it does not follow %v: the first %d got %d of %d picks, where %.1f are due", n, s.best, i+1, got, picks, due*picks)
				return nil
			}
		}
	}
	return nil
}
