package identify

import (
	"context"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// rotations holds a rotation to its exact windows: across updates that change
// nothing, over more picks than 16 bits count, and behind a server that leaves.
func (s *search) rotations() error {
	law, fleet := s.loaded, []spec.Server(nil)
	if law != nil {
		fleet, _ = unequal(1)
	} else if law = s.best; law != nil {
		fleet = s.fleet()
	}
	if s.learns || law == nil || !rotates(law) {
		return nil
	}
	length, _ := cycle(fleet)
	for _, c := range changes[:2] { // a server that comes back may start afresh
		d, err := s.drive(fleet, "rotation "+c.name)
		if err != nil {
			return err
		}
		defer d.Close()
		if _, ok := d.Picker().(spec.Updater); !ok {
			break
		}
		var picks []int
		for between := range 2 * length { // an update at every phase
			for range length + between%length {
				i, err := d.Probe(spec.Request{})
				if err != nil {
					return err
				}
				picks = append(picks, i)
			}
			for _, f := range c.steps(fleet) {
				if err := d.Update(f); err != nil {
					return err
				}
			}
		}
		if wrong, of := broken(picks, fleet); wrong > 0 {
			s.deviate("after %s the rotation does not go on where it was: %d of %d cycles of %d picks are uneven", c.name, wrong, of, length)
		}
	}
	if err := s.twoRotations(fleet, length); err != nil {
		return err
	}
	if _, turns := law.(oracle.RoundRobin); !turns {
		return nil
	}
	if err := s.longRotation(); err != nil {
		return err
	}
	return s.behindTheGone()
}

// twoRotations takes turns with two balancers: each has a rotation of its own.
func (s *search) twoRotations(fleet []spec.Server, length int) error {
	one, err := s.drive(fleet, "one of two")
	if err != nil {
		return err
	}
	defer one.Close()
	other, err := s.drive(fleet, "the other of two")
	if err != nil {
		return err
	}
	defer other.Close()
	var picks []int
	for k := range 10 * length {
		i, err := one.Probe(spec.Request{})
		if err != nil {
			return err
		}
		picks = append(picks, i)
		for range k % 3 {
			if _, err := other.Probe(spec.Request{}); err != nil {
				return err
			}
		}
	}
	if wrong, of := broken(picks, fleet); wrong > 0 {
		s.deviate("while another balancer picks, too, the rotation is uneven: %d of %d cycles of %d picks", wrong, of, length)
	}
	return nil
}

// longRotation takes more picks than 16 bits count.
func (s *search) longRotation() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "long rotation")
	if err != nil {
		return err
	}
	defer d.Close()
	picks := make([]int, 1<<16+len(fleet))
	for k := range picks {
		if picks[k], err = d.Probe(spec.Request{}); err != nil {
			return err
		}
	}
	if wrong, of := broken(picks, fleet); wrong > 0 {
		s.deviate("within %d picks the rotation is uneven: %d of %d cycles", len(picks), wrong, of)
	}
	return nil
}

// behindTheGone lets the server leave that was picked last: the next one's turn
// has come.
func (s *search) behindTheGone() error {
	fleet := policies.Fleet(7)
	wrong, tries := 0, 0
	for range 2 {
		for turns := range len(fleet) {
			d, err := s.drive(fleet, "behind the gone")
			if err != nil {
				return err
			}
			defer d.Close()
			last := 0
			for range turns + 1 {
				if last, err = d.Probe(spec.Request{}); err != nil {
					return err
				}
			}
			if _, ok := d.Picker().(spec.Updater); !ok {
				return nil
			}
			if err := d.Update(without(fleet, last)); err != nil {
				return err
			}
			next, err := d.Probe(spec.Request{}) // still by its place in the whole fleet
			if err != nil {
				return err
			}
			tries++
			if next != (last+1)%len(fleet) {
				wrong++
			}
		}
	}
	if wrong > 0 {
		s.deviate("when the server that was picked last had left, the rotation did not go on behind it %d of %d times", wrong, tries)
	}
	return nil
}

// reweighted scales and changes weights.
func (s *search) reweighted() error {
	if s.loaded == nil || s.learns {
		return nil
	}
	small, _ := unequal(1)
	large, words := unequal(policies.MaxWeight / 8)
	if err := s.holdsWeights(large, nil, small, "with weights "+words, false); err != nil {
		return err
	}
	other := slices.Clone(small)
	for i := range other {
		other[i].Weight = small[len(small)-1-i].Weight
	}
	if err := s.holdsWeights(small, other, other, "after the weights had been changed", false); err != nil {
		return err
	}
	return s.holdsWeights(small, nil, small, "after failures", true)
}

// holdsWeights holds a balancer to its law over a fleet, after an update if there
// is one, or after failures, with the weights that the law is told.
func (s *search) holdsWeights(from, to, told []spec.Server, when string, failing bool) error {
	d, err := s.drive(from, when)
	if err != nil {
		return err
	}
	defer d.Close()
	length, _ := cycle(told)
	if to != nil {
		if _, ok := d.Picker().(spec.Updater); !ok {
			return nil
		}
		for range 7 {
			if _, err := d.Probe(spec.Request{}); err != nil {
				return err
			}
		}
		if err := d.Update(to); err != nil {
			return err
		}
	}
	for range 5 * length {
		if !failing {
			break
		}
		_, end, err := d.Lease(context.Background(), spec.Request{})
		if err == nil {
			err = end(spec.Outcome{Failed: true})
		}
		if err != nil {
			return err
		}
	}
	if !rotates(s.loaded) {
		g, err := s.still(d, told, s.loaded)
		if g != nil {
			s.deviate("%s it does not follow %v: %v", when, s.loaded, g)
		}
		return err
	}
	var picks []int
	for k := range 20 * length {
		i, err := d.Probe(spec.Request{})
		if err != nil {
			return err
		}
		if k >= 2*length { // a rotation may take its time to get into step
			picks = append(picks, i)
		}
	}
	if wrong, of := broken(picks, told); wrong > 0 {
		s.deviate("%s the rotation is uneven: %d of %d cycles of %d picks", when, wrong, of, length)
	}
	return nil
}
