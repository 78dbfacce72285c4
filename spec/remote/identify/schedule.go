package identify

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// schedule looks at balancers that follow no known law: whether they take turns
// while idle and keep them across updates, where fresh ones start, how a newcomer
// and a server that comes back are received, and whether a request counts.
func (s *search) schedule() error {
	if len(s.result.Remaining) > 0 {
		return nil
	}
	for _, look := range []func() error{s.turns, s.starts, s.newcomers, s.returns, s.oneRequest} {
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// turns looks for exact cycles of an idle fleet, and for what an update does to
// them.
func (s *search) turns() error {
	fleet := s.fleet()
	for _, c := range []change{{name: "without updates"}, changes[0]} {
		d, err := s.drive(fleet, "turns "+c.name)
		if err != nil {
			return err
		}
		defer d.Close()
		length, _ := cycle(fleet)
		var picks []int
		for k := range 22*length + 1 {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return err
			}
			if k < 2*length { // it may take its time to get into step
				continue
			}
			picks = append(picks, i)
			if _, updates := d.Picker().(spec.Updater); c.steps != nil && updates && k%length == 2 {
				if err := d.Update(fleet); err != nil {
					return err
				}
			}
		}
		wrong, of := broken(picks, fleet)
		switch {
		case c.steps == nil && wrong > 0:
			return nil
		case c.steps == nil:
			s.observe("an idle fleet takes turns: %d cycles of %d picks are even", of, length)
		case wrong > 0:
			s.observe("updates to the same fleet break the turns: %d of %d cycles are uneven", wrong, of)
		}
	}
	return nil
}

// starts looks at the first picks of fresh balancers with unequal weights.
func (s *search) starts() error {
	fleet, words := unequal(1)
	tally := make([]int, len(fleet))
	for k := range balancersTried {
		d, err := s.freshOne(fleet, k)
		if err != nil {
			return err
		}
		i, err := d.Probe(spec.Request{})
		d.Close()
		if err != nil {
			return err
		}
		tally[i]++
	}
	length, each := cycle(fleet)
	alpha := s.share() / float64(len(fleet))
	for i, got := range tally {
		due := float64(each[i]) / float64(length)
		p, err := oracle.BinomialTest(got, balancersTried, due)
		if err != nil {
			return err
		}
		if p <= alpha {
			s.observe("the first picks of fresh balancers with weights %s do not follow the weights: %s got %d of %d, where %.1f are due",
				words, fleet[i].Name, got, balancersTried, due*balancersTried)
			return nil
		}
	}
	return nil
}

// newcomers lets a light server join an idle fleet of heavy ones, at every phase of
// their turns. By its weight it is due one pick in 57.
func (s *search) newcomers() error {
	fleet := policies.Fleet(7)
	for i := range fleet {
		fleet[i].Weight = 8
	}
	const tries = 20
	soon := 0
	for k := range tries {
		d, err := s.freshOne(fleet, k)
		if err != nil {
			return err
		}
		if _, updates := d.Picker().(spec.Updater); !updates {
			d.Close()
			return nil
		}
		for range k + 1 {
			if _, err := d.Probe(spec.Request{}); err != nil {
				return err
			}
		}
		if err := d.Change(append(slices.Clone(fleet), visitor)); err != nil {
			return err
		}
		for range len(fleet) + 1 {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return err
			}
			if i == len(fleet) {
				soon++
				break
			}
		}
		d.Close()
	}
	if soon == tries { // shares by weight are that lucky with probability (1 - (56/57)^8)^20
		s.observe("a light server that joins heavy ones gets one of the next %d picks, always: %d of %d times", len(fleet)+1, soon, tries)
	}
	return nil
}

// returns lets a server come back after others have had many picks.
func (s *search) returns() error {
	fleet := policies.Fleet(7)
	d, err := s.drive(fleet, "returns")
	if err != nil {
		return err
	}
	defer d.Close()
	if _, updates := d.Picker().(spec.Updater); !updates {
		return nil
	}
	const picks = 280
	back := 0
	for _, f := range [][]spec.Server{fleet, weighing(fleet, 3, 0), fleet} {
		if err := d.Update(f); err != nil {
			return err
		}
		back = 0
		for k := range picks {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return err
			}
			if i == 3 && k < picks/10 {
				back++
			}
		}
	}
	p, err := oracle.BinomialTest(back, picks/10, 1/float64(len(fleet)))
	if err == nil && p <= s.share() {
		s.observe("a server that comes back is flooded: it gets %d of the next %d picks", back, picks/10)
	}
	return err
}

// oneRequest holds a single request and counts what its server gets besides.
func (s *search) oneRequest() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "one request")
	if err != nil {
		return err
	}
	defer d.Close()
	held, err := d.Acquire(spec.Request{})
	if err != nil {
		return err
	}
	const picks = 2100
	got := 0
	for range picks {
		i, err := d.Probe(spec.Request{})
		if err != nil {
			return err
		}
		if i == held {
			got++
		}
	}
	p, err := oracle.BinomialTest(got, picks, 1/float64(len(fleet)))
	if err == nil && p <= s.share() {
		s.observe("a request in flight counts: its server got %d of %d picks, where an equal share is %d", got, picks, picks/len(fleet))
	}
	return err
}
