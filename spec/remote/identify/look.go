package identify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// lookPicks is how many picks each further look takes at most. A law that was
// left behind by more than a tenth shows well within it.
const lookPicks = 1500

// look finds out what the law does not say.
func (s *search) look() error {
	for _, l := range []func() error{s.latencies, s.failures, s.idle, s.weights, s.churn, s.update} {
		err := l()
		var subject *spec.Misbehaviour
		switch {
		case errors.As(err, &subject):
			s.observe("%s", subject.Text)
		case err != nil:
			return err
		}
	}
	return nil
}

// idle looks for servers that get nothing when nothing is in flight.
func (s *search) idle() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, 2)
	if err != nil {
		return err
	}
	defer d.Close()
	tally := make([]int, len(fleet))
	for range 100 * len(fleet) {
		i, err := d.Probe(spec.Request{})
		if err != nil {
			return err
		}
		tally[i]++
	}
	var never []string
	for i, n := range tally {
		if n == 0 {
			never = append(never, fleet[i].Name)
		}
	}
	if len(never) > 0 {
		s.observe("%s never picked in %d picks of an idle fleet", strings.Join(never, ", "), 100*len(fleet))
	}
	return nil
}

// weights plays a fleet of unequal weights.
func (s *search) weights() error {
	if s.learns || s.Fleet != nil {
		return nil
	}
	fleet := policies.Fleet(5)
	var words []string
	for i := range fleet {
		fleet[i].Weight = []uint64{1, 2, 3, 5, 8}[i]
		words = append(words, fmt.Sprint(fleet[i].Weight))
	}
	d, err := s.drive(fleet, 3)
	if err != nil {
		return err
	}
	defer d.Close()
	e := s.evidence(oracle.Random{}, candidates(fleet))
	before := len(s.result.Refuted)
	err = s.tellApart(d, fleet, e, s.Picks)
	s.result.Refuted = s.result.Refuted[:before] // they are about another fleet
	if err != nil {
		return err
	}
	var left []string
	for _, law := range e.Remaining() {
		convicted, _, _, err := s.confirm(d, fleet, law, max(s.Within, 0.2))
		if err != nil {
			return err
		}
		if !convicted {
			left = append(left, law.String())
		}
	}
	weighted, read := spellings(weightedLaws()), 0
	for _, name := range left {
		if slices.Contains(weighted, name) {
			read++
		}
	}
	switch {
	case len(left) == 0 && s.best != nil:
		s.observe("with weights %s it follows no known law", strings.Join(words, " "))
	case len(left) == 0:
	case read == 0:
		s.observe("weights are ignored: with weights %s it follows %s", strings.Join(words, " "), strings.Join(left, " or "))
	case read == len(left): // the law without weights is what it comes down to
		s.result.EqualWeights, s.result.Remaining = s.result.Remaining, left
	}
	return nil
}

// still tells whether a balancer still follows its law in its present state: it
// is not when fresh picks convict it.
func (s *search) still(d *spec.Driver, fleet []spec.Server, law oracle.Law) (bool, error) {
	e := s.evidence(law, candidates(fleet))
	for range lookPicks {
		if err := s.take(d, fleet, e, false); err != nil {
			return false, err
		}
		if e.Convicted() {
			return false, nil
		}
	}
	return true, nil
}

// staircase is a state in which laws that look at loads show it.
func staircase(n int) []float64 {
	loads := make([]float64, n)
	for i := range loads {
		loads[i] = float64(i)
	}
	return loads
}

// churn lets many requests end in every way, and looks whether the counts fall.
func (s *search) churn() error {
	if s.best == nil || s.learns {
		return nil
	}
	fleet := s.fleet()
	for _, way := range []struct {
		name    string
		outcome spec.Outcome
	}{{"succeeded", spec.Outcome{}}, {"failed", spec.Outcome{Failed: true}}, {"were cancelled", spec.Outcome{Canceled: true}}} {
		d, err := s.drive(fleet, 4)
		if err != nil {
			return err
		}
		// Only the first server ends its requests in this way, so that what sticks
		// to it makes a difference.
		for range 12 * len(fleet) {
			i, err := d.Acquire(spec.Request{})
			if err != nil {
				return err
			}
			o := spec.Outcome{}
			if i == 0 {
				o = way.outcome
			}
			if err := d.Release(i, o); err != nil {
				return err
			}
		}
		ok := true
		for _, loads := range [][]float64{make([]float64, len(fleet)), staircase(len(fleet))} {
			if err := d.Reach(loads); err != nil {
				return err
			}
			if ok, err = s.still(d, fleet, s.best); err != nil {
				return err
			}
			if !ok {
				break
			}
		}
		d.Close()
		why := "counts do not fall as they should"
		if s.failing && way.outcome.Failed {
			why += ", or failures are remembered"
		}
		if !ok {
			s.observe("after requests at %s that %s it no longer follows %v: %s", fleet[0].Name, way.name, s.best, why)
		}
	}
	return nil
}

// update updates the fleet while requests are in flight.
func (s *search) update() error {
	if s.best == nil || s.learns || s.Fleet != nil {
		return nil
	}
	fleet := s.fleet()
	d, err := s.drive(fleet, 5)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, ok := d.Picker().(spec.Updater); !ok {
		return nil
	}
	if err := d.Reach(staircase(len(fleet))); err != nil {
		return err
	}
	more := append(slices.Clone(fleet), spec.Server{ID: 1000, Name: "visitor", Weight: 1})
	for _, f := range [][]spec.Server{more, fleet} {
		if err := d.Update(f); err != nil {
			return err
		}
	}
	ok, err := s.still(d, fleet, s.best)
	if err != nil {
		return err
	}
	if !ok {
		s.observe("after an update with requests in flight it no longer follows %v: state is lost", s.best)
	}
	return nil
}
