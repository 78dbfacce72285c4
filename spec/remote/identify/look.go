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

// unkeyed are the looks at what follows a law of loads, weights or order.
func (s *search) unkeyed() []func() error {
	looks := []func() error{s.latencies, s.failures, s.idle, s.weights, s.ends}
	if s.Fleet != nil { // the fleet of a proxy is what it is, and its clock is ours
		return looks
	}
	return append(looks, s.blank, s.grudges, s.schedule, s.updates, s.departure, s.fleets, s.rotations, s.reweighted, s.fresh, s.refusals, s.retries, s.cookies)
}

// keyed are the looks at what follows a key.
func (s *search) keyed() []func() error {
	if s.Fleet != nil {
		return nil
	}
	return []func() error{s.keysAtJoin, s.keysAtLeave, s.keysOfWeights, s.keysAfterUpdates, s.keysOfNames, s.refusals, s.retries, s.cookies}
}

// look takes one look after another. What a balancer does and must not do is a
// deviation, if a law was named that it could deviate from.
func (s *search) look(looks ...func() error) error {
	for _, l := range looks {
		err := l()
		s.mute = false
		var subject *spec.Misbehaviour
		switch {
		case errors.As(err, &subject) && len(s.result.Remaining) > 0 && subject.Finding != spec.NeverFills:
			s.deviate("%s", firstLine(subject))
		case errors.As(err, &subject):
			s.observe("%s", firstLine(subject))
		case err != nil:
			return err
		}
	}
	return nil
}

// firstLine is a finding without the stack of a panic.
func firstLine(m *spec.Misbehaviour) string {
	line, _, _ := strings.Cut(m.Text, "\n")
	return line
}

// judged tells whether a law is there that a look can hold the balancer to.
func (s *search) judged() bool { return s.best != nil && !s.learns }

// idlePicks is how many picks of an idle fleet each server is due: that one of
// equals gets none by chance has a probability below e^-40.
const idlePicks = 40

// idle looks for servers that get nothing when nothing is in flight.
func (s *search) idle() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "idle")
	if err != nil {
		return err
	}
	defer d.Close()
	tally := make([]int, len(fleet))
	for range idlePicks * len(fleet) {
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
		s.observe("%s never picked in %d picks of an idle fleet", strings.Join(never, ", "), idlePicks*len(fleet))
	}
	return nil
}

// unequal is a fleet of unequal weights, each times a factor.
func unequal(factor uint64) (fleet []spec.Server, words string) {
	fleet = policies.Fleet(5)
	var all []string
	for i := range fleet {
		fleet[i].Weight = []uint64{1, 2, 3, 5, 8}[i] * factor
		all = append(all, fmt.Sprint(fleet[i].Weight))
	}
	return fleet, strings.Join(all, " ")
}

// weights plays a fleet of unequal weights.
func (s *search) weights() error {
	if s.learns || s.Fleet != nil {
		return nil
	}
	fleet, words := unequal(1)
	d, err := s.drive(fleet, "weights")
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
	var law oracle.Law
	for _, l := range e.Remaining() {
		convicted, _, _, err := s.confirm(d, fleet, l, max(s.Within, 0.2), false)
		if err != nil {
			return err
		}
		if !convicted {
			left, law = append(left, l.String()), l
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
		s.observe("with weights %s it follows no known law", words)
	case len(left) == 0:
	case read == 0:
		s.observe("weights are ignored: with weights %s it follows %s", words, strings.Join(left, " or "))
	case read == len(left): // the law without weights is what it comes down to
		s.result.EqualWeights, s.result.Remaining = s.result.Remaining, left
		if read == 1 {
			s.loaded = law
		}
	}
	return nil
}
