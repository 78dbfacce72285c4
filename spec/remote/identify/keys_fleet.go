package identify

import (
	"context"
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// keysAsked is how many keys each mapping is asked for.
const keysAsked = 1000

// owners asks who has every key, by name, for requests that servers have tried.
func owners(d *spec.Driver, fleet []spec.Server, tried ...spec.ServerID) ([]string, error) {
	all := make([]string, keysAsked)
	for k := range all {
		i, end, err := d.Lease(context.Background(), spec.Request{Key: fmt.Sprintf("join-%d", k), Tried: tried})
		if err != nil {
			return nil, err
		}
		if err := end(spec.Outcome{}); err != nil {
			return nil, err
		}
		all[k] = fleet[i].Name
	}
	return all, nil
}

// ownersOf builds a balancer and asks it.
func (s *search) ownersOf(fleet []spec.Server) ([]string, error) {
	d, err := s.freshOne(fleet, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return owners(d, fleet)
}

// ownersAfter changes the fleet of one balancer step by step and asks it.
func (s *search) ownersAfter(fleets ...[]spec.Server) ([]string, error) {
	d, err := s.freshOne(fleets[0], 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, f := range fleets[1:] {
		if err := d.Change(f); err != nil {
			return nil, err
		}
	}
	return owners(d, fleets[len(fleets)-1])
}

// moved counts the keys that have another owner, and those of them whose owner
// before and after is not the one server that came or went.
func moved(before, after []string, who string) (all, between int) {
	for k := range before {
		if before[k] != after[k] {
			all++
			if before[k] != who && after[k] != who {
				between++
			}
		}
	}
	return all, between
}

// keysAtJoin lets a server join and counts the keys that move.
func (s *search) keysAtJoin() error {
	fleet := s.fleet()
	before, err := s.ownersOf(fleet)
	if err != nil {
		return err
	}
	after, err := s.ownersAfter(fleet, append(slices.Clone(fleet), visitor))
	if err != nil {
		return err
	}
	all, between := moved(before, after, visitor.Name)
	s.observe("when a server joined %d others, %.1f%% of the keys moved, where %.1f%% must; %.1f%% moved between the others",
		len(fleet), 100*float64(all)/keysAsked, 100/float64(len(fleet)+1), 100*float64(between)/keysAsked)
	if between > 0 {
		s.observe("keys move between others when a server joins")
	}
	return nil
}

// keysAtLeave lets every server leave, lets it have no weight, and lets it have
// had every request before, while it stays.
func (s *search) keysAtLeave() error {
	fleet := s.fleet()
	d, err := s.freshOne(fleet, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	before, err := owners(d, fleet)
	if err != nil {
		return err
	}
	away := []struct {
		when   string
		owners func(i int) ([]string, error)
		others int // keys of others that moved
		unlike int // keys that went elsewhere than when the server had left
		lonely int // servers all of whose keys went to one other
	}{
		{when: "has left", owners: func(i int) ([]string, error) { return s.ownersAfter(fleet, without(fleet, i)) }},
		{when: "has weight 0", owners: func(i int) ([]string, error) { return s.ownersAfter(fleet, weighing(fleet, i, 0)) }},
		{when: "has been tried", owners: func(i int) ([]string, error) { return owners(d, fleet, fleet[i].ID) }},
	}
	for i, server := range fleet {
		var left []string
		for k := range away {
			a := &away[k]
			now, err := a.owners(i)
			if err != nil {
				return err
			}
			if slices.Contains(now, server.Name) {
				s.observe("keys go to a server that %s", a.when)
				continue
			}
			_, others := moved(before, now, server.Name)
			a.others += others
			if left == nil {
				left = now
			}
			unlike, _ := moved(left, now, "")
			a.unlike += unlike
			heirs := make(map[string]bool)
			for k, owner := range before {
				if owner == server.Name {
					heirs[now[k]] = true
				}
			}
			if len(heirs) == 1 {
				a.lonely++
			}
		}
	}
	asked := len(fleet) * keysAsked
	for _, a := range away {
		if a.others > 0 {
			s.observe("when a server %s, keys of others move: %d of %d", a.when, a.others, asked)
		}
		if a.unlike > 0 {
			s.observe("keys go elsewhere when their server %s than when it has left: %d of %d", a.when, a.unlike, asked)
		}
		if a.lonely > 0 {
			s.observe("all keys of a server that %s go to one other: so with %d of %d servers", a.when, a.lonely, len(fleet))
		}
	}
	return nil
}

// heavyKeys is the weight of one server among others of weight 1. Most of the keys
// are due to it, so that the spread of a ring hides little.
const heavyKeys = 30

// keysOfWeights compares what servers own with their weights.
func (s *search) keysOfWeights() error {
	fleet := weighing(s.fleet(), 2, heavyKeys)
	equal, err := s.ownersOf(s.fleet())
	if err != nil {
		return err
	}
	weighted, err := s.ownersOf(fleet)
	if err != nil {
		return err
	}
	if slices.Equal(equal, weighted) {
		s.observe("weights are ignored: with a weight of %d instead of 1 no key moves", heavyKeys)
		return nil
	}
	d, err := s.freshOne(fleet, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	const asked = 5 * keysAsked
	heavy := 0
	for k := range asked {
		i, err := d.Probe(spec.Request{Key: fmt.Sprintf("share-%d", k)})
		if err != nil {
			return err
		}
		if i == 2 {
			heavy++
		}
	}
	due := heavyKeys / float64(heavyKeys+len(fleet)-1)
	p, err := oracle.BinomialTest(heavy, asked, due)
	if err != nil {
		return err
	}
	if p <= s.share() { // as if each key were thrown independently
		s.observe("shares of the keys do not follow the weights as independent keys would: %.1f%% at a server to which %.1f%% are due", 100*float64(heavy)/asked, 100*due)
	}
	return nil
}

// keysAfterUpdates compares mappings that were reached by updates with those
// that are built at once.
func (s *search) keysAfterUpdates() error {
	fleet := s.fleet()
	heavy := weighing(fleet, 2, 8)
	other := append(slices.Clone(fleet[:len(fleet)-1]), visitor)
	for _, c := range []struct {
		name   string
		fleets [][]spec.Server
	}{
		{"the same fleet", [][]spec.Server{fleet, fleet}},
		{"a visitor had joined and left", [][]spec.Server{fleet, append(slices.Clone(fleet), visitor), fleet}},
		{"a weight had been raised", [][]spec.Server{fleet, heavy}},
		{"a weight had been lowered", [][]spec.Server{heavy, fleet}},
		{"a server had been replaced", [][]spec.Server{fleet, other}},
		{"a server had left and come back", [][]spec.Server{fleet, fleet[1:], fleet}},
	} {
		want, err := s.ownersOf(c.fleets[len(c.fleets)-1])
		if err != nil {
			return err
		}
		got, err := s.ownersAfter(c.fleets...)
		if err != nil {
			return err
		}
		if n, _ := moved(want, got, ""); n > 0 {
			s.deviate("after %s, %d of %d keys are not where a balancer that is built at once has them", c.name, n, keysAsked)
		}
	}
	return nil
}

// keysOfNames gives the same names to other ids, and asks in a large fleet.
func (s *search) keysOfNames() error {
	fleet := s.fleet()
	turned := slices.Clone(fleet)
	for i := range turned {
		turned[i].Name = fleet[len(fleet)-1-i].Name
	}
	before, err := s.ownersOf(fleet)
	if err != nil {
		return err
	}
	after, err := s.ownersOf(turned)
	if err != nil {
		return err
	}
	if n, _ := moved(before, after, ""); n > 0 {
		s.observe("the order of the servers matters: %d of %d keys move when the same names are listed in another order", n, keysAsked)
	}
	tally := make(map[string]int)
	large := policies.Fleet(20)
	all, err := s.ownersOf(large)
	if err != nil {
		return err
	}
	most := 0
	for _, name := range all {
		tally[name]++
		most = max(most, tally[name])
	}
	s.observe("of %d keys over %d servers, the fullest has %.1f times its fair share", keysAsked, len(large), float64(most*len(large))/keysAsked)
	if len(tally) < len(large) {
		s.observe("%d of %d servers own no key", len(large)-len(tally), len(large))
	}
	return nil
}
