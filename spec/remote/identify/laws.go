package identify

import (
	"errors"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// laws tells laws apart on the fleet, and on one with unequal weights.
func (s *search) laws() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "laws")
	if err != nil {
		return err
	}
	defer d.Close()
	e := s.evidence(oracle.Random{}, candidates(fleet))
	s.tracing = s.result.Trace
	defer func() { s.tracing = nil }()
	if err := s.tellApart(d, fleet, e, s.Picks); err != nil {
		return err
	}
	s.result.Picks = e.Picks()
	s.result.Remaining = append(s.result.Remaining, spellings(e.Remaining())...)
	left := e.Remaining()
	if best, ok := e.BestFit(); ok { // it goes first
		left = slices.DeleteFunc(left, func(l oracle.Law) bool { return l.String() == best.String() })
		left = append([]oracle.Law{best}, left...)
	}
	for _, law := range left {
		convicted, bound, picks, err := s.confirm(d, fleet, law, s.Within, false)
		if err != nil {
			return err
		}
		if !convicted {
			if bound < 1 {
				s.best, s.result.Within = law, bound
			}
			return nil
		}
		s.result.Refuted = append(s.result.Refuted, Refuted{law.String(), s.result.Picks + picks})
		s.result.Remaining = slices.DeleteFunc(s.result.Remaining, func(n string) bool { return n == law.String() })
	}
	convicted, bound, _, err := s.confirm(d, fleet, oracle.LeastRequest{}, s.Within, true)
	if err == nil && !convicted && bound < 1 {
		s.result.Remaining, s.result.Within = []string{AnyTie}, bound
	}
	return err
}

// tellApart plays states until the law that fits best is the only one left, or
// none of those left can be told from it.
func (s *search) tellApart(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, picks int) error {
	menu := newMenu(fleet, s.Alpha/shares, s.Contamination)
	refuted := make(map[string]bool)
	note := func() {
		s.tracing.note(e)
		for _, l := range e.Refuted() {
			if name := l.String(); !refuted[name] {
				refuted[name] = true
				s.result.Refuted = append(s.result.Refuted, Refuted{name, e.Picks()})
			}
		}
	}
	first := true
	for e.Picks() < picks {
		state, round := menu.views[0], 20
		if !first {
			best, _ := e.BestFit()
			var ok bool
			if state, round, ok = menu.next(best, e.Remaining()); !ok {
				break
			}
		}
		first = false
		err := s.reach(d, state.Loads)
		var subject *spec.Misbehaviour
		if errors.As(err, &subject) && subject.Finding == spec.NeverFills {
			s.observe("%s", subject.Text)
			return s.walk(d, fleet, e, note)
		}
		if err != nil {
			return err
		}
		for range min(round, picks-e.Picks()) {
			if err := s.take(d, fleet, e, false); err != nil {
				return err
			}
			note()
		}
	}
	return nil
}

// walk is for balancers that cannot be brought into a state: it takes and keeps
// picks from idle, again and again.
func (s *search) walk(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, note func()) error {
	for range 20 {
		if err := d.Drain(); err != nil {
			return err
		}
		for range 3 * len(fleet) {
			if err := s.take(d, fleet, e, true); err != nil {
				return err
			}
			note()
		}
	}
	return d.Drain()
}

// confirm takes fresh picks, with a law as the claim that was chosen without
// them, or its ties left open, and returns how far the balancer can be from it. It convicts as well when
// some server cannot be filled up, which happens with a share of alpha at most
// under every law that is known, but for the one that prefers the heavier.
func (s *search) confirm(d *spec.Driver, fleet []spec.Server, law oracle.Law, within float64, anyTie bool) (convicted bool, bound float64, picks int, err error) {
	chosen := views(fleet)
	for i := range chosen {
		chosen[i].History = nil
	}
	audit := oracle.Audit{
		Claim: law, Rivals: candidates(fleet), Alpha: s.share(), Contamination: s.Contamination, AnyTie: anyTie,
	}
	e, err := oracle.NewEvidence(audit)
	if err != nil {
		return false, 1, 0, err
	}
	each, err := audit.PicksFor(chosen, within, 1e-6)
	if err != nil {
		return false, 1, 0, err
	}
	s.tracing.confirms(law)
	for _, state := range chosen {
		s.tracing.state(fleet, law, state)
		if err := s.reach(d, state.Loads); err != nil {
			var subject *spec.Misbehaviour
			if errors.As(err, &subject) && subject.Finding == spec.NeverFills {
				_, heavier := law.(oracle.HeavierOfD)
				return !heavier, 1, e.Picks(), d.Drain()
			}
			return false, 1, e.Picks(), err
		}
		for range each {
			_, i, err := s.takeOne(d, fleet, e, false)
			if err != nil {
				return false, 1, e.Picks(), err
			}
			s.tracing.pick(i, e)
			if e.Convicted() {
				return true, 1, e.Picks(), nil
			}
		}
	}
	return false, e.Bound(), e.Picks(), nil
}
