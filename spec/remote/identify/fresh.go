package identify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// balancersTried is how many fresh balancers show whether their first picks are
// independent: that all of them agree has a probability below 7^-99.
const balancersTried = 100

// fresh holds the first picks of fresh balancers to the law.
func (s *search) fresh() error {
	if !s.judged() {
		return nil
	}
	type start struct {
		law   oracle.Law
		fleet []spec.Server
	}
	starts := []start{{s.best, s.fleet()}}
	if s.loaded != nil {
		fleet, _ := unequal(1)
		starts = append(starts, start{s.loaded, fleet})
	}
	if s.loaded != nil && rotates(s.loaded) { // from a random point of a cycle that is too long to walk
		fleet, _ := unequal(1_000_003)
		fleet[0].Weight++
		starts = append(starts, start{oracle.WeightedRandom{}, fleet})
	}
	for _, c := range starts {
		state := oracle.State{Loads: make([]float64, len(c.fleet)), Weights: weightsOf(c.fleet)}
		p, err := c.law.Probabilities(state)
		if err != nil {
			return err
		}
		tally := make([]int, len(c.fleet))
		for k := range balancersTried {
			d, err := s.freshOne(c.fleet, k)
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
		alpha := s.share() / float64(len(tally)) // each count is binomial
		for i, got := range tally {
			due, _ := p[i].Float64()
			tail, err := oracle.BinomialTest(got, balancersTried, due)
			if err != nil {
				return err
			}
			if tail <= alpha {
				s.deviate("the first picks of %d fresh balancers do not follow %v: %s got %d, where %.1f are due", balancersTried, c.law, c.fleet[i].Name, got, due*balancersTried)
				break
			}
		}
	}
	return nil
}

// freshOne is one of many balancers that fill up little or nothing.
func (s *search) freshOne(fleet []spec.Server, k int) (*spec.Driver, error) {
	return s.freshNamed(fleet, fmt.Sprint("fresh ", k))
}

// freshNamed is driven for a comparison, in which nothing is taken for a flaw
// because it does not fill up.
func (s *search) freshNamed(fleet []spec.Server, name string) (*spec.Driver, error) {
	return spec.Drive(s.factory, spec.Fleet{Servers: fleet, Seed: oracle.Stream(s.Seed, "identify "+name) >> 11}, s.Alpha/shares)
}

// refusals asks for what cannot be had: a pick without servers, and one for a
// caller that has gone.
func (s *search) refusals() error {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name  string
		fleet []spec.Server
		ctx   context.Context
	}{
		{"without servers", nil, context.Background()},
		{"with one server of weight 0", weighing(policies.Fleet(1), 0, 0), context.Background()},
		{"with two servers of weight 0", weighing(weighing(policies.Fleet(2), 0, 0), 1, 0), context.Background()},
		{"for a caller that has gone", s.fleet(), done},
	} {
		d, err := s.freshOne(c.fleet, 0)
		if refused(err) {
			continue // a fleet without servers may be refused as such
		}
		if err != nil {
			return err
		}
		i, _, err := d.Lease(c.ctx, spec.Request{Key: "key"})
		d.Close()
		var subject *spec.Misbehaviour
		switch {
		case err == nil:
			s.deviate("a request %s is sent to %s", c.name, c.fleet[i].Name)
		case refused(err):
		case errors.As(err, &subject):
			s.deviate("a request %s: %s: %s", c.name, subject.Finding, firstLine(subject))
		default:
			return err
		}
	}
	return nil
}

func refused(err error) bool {
	var subject *spec.Misbehaviour
	return errors.As(err, &subject) && subject.Finding == spec.Refused
}

// retries sends requests that servers have had before.
func (s *search) retries() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "retries")
	if err != nil {
		return err
	}
	defer d.Close()
	var tried []spec.ServerID
	again := 0
	for _, server := range fleet {
		for k := range 8 {
			i, end, err := d.Lease(context.Background(), spec.Request{Key: fmt.Sprint("key ", k), Tried: tried})
			if refused(err) {
				s.observe("a request that %d of %d servers have had is refused", len(tried), len(fleet))
				return nil
			}
			if err != nil {
				return err
			}
			if err := end(spec.Outcome{Canceled: true}); err != nil {
				return err
			}
			if slices.Contains(tried, fleet[i].ID) {
				again++
			}
		}
		tried = append(tried, server.ID)
	}
	if again > 0 {
		s.observe("a request may go to a server that has had it before: %d of %d did", again, 8*len(fleet))
	}
	if _, end, err := d.Lease(context.Background(), spec.Request{Key: "key", Tried: tried}); err == nil {
		_ = end(spec.Outcome{Canceled: true})
		s.observe("a request that all servers have had goes to one of them again")
	}
	return nil
}

// cookies sends requests whose cookie names a server.
func (s *search) cookies() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "cookies")
	if err != nil {
		return err
	}
	defer d.Close()
	// where counts to which servers a cookie leads.
	where := func(cookie string) ([]int, error) {
		tally := make([]int, len(fleet))
		for k := range cookiesSent {
			i, end, err := d.Lease(context.Background(), spec.Request{Key: fmt.Sprint("key ", k), Cookie: cookie})
			if err != nil {
				return nil, err
			}
			if err := end(spec.Outcome{Canceled: true}); err != nil {
				return nil, err
			}
			tally[i]++
		}
		return tally, nil
	}
	for _, place := range []int{3, 5} {
		tally, err := where(fleet[place].Name)
		if err != nil || tally[place] < cookiesSent {
			return err
		}
	}
	s.observe("a cookie decides: every request goes to the server that its cookie names")
	if err := s.busyCookies(); err != nil {
		return err
	}
	if _, ok := d.Picker().(spec.Updater); !ok {
		return nil
	}
	for _, c := range []struct {
		name  string
		fleet []spec.Server
	}{{"has left", without(fleet, 3)}, {"has weight 0", weighing(fleet, 3, 0)}} {
		if err := d.Update(c.fleet); err != nil {
			return err
		}
		named, err := where(fleet[3].Name)
		if err != nil {
			return err
		}
		free, err := where("")
		if err != nil {
			return err
		}
		if named[3] > 0 {
			s.deviate("a cookie that names a server that %s leads there: %d of %d requests", c.name, named[3], cookiesSent)
		}
		if at := slices.Index(named, cookiesSent); at >= 0 && free[at] < cookiesSent {
			s.deviate("a cookie that names a server that %s leads to %s instead, always", c.name, fleet[at].Name)
		}
	}
	return nil
}

// cookiesSent is how many requests show where a cookie leads: that all of them go
// to one of six servers by chance has a probability of 6^-49.
const cookiesSent = 50

// busyCookies holds many requests at the server that a cookie names.
func (s *search) busyCookies() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, "busy cookies")
	if err != nil {
		return err
	}
	defer d.Close()
	const held = 200
	elsewhere := 0
	for range held {
		i, err := d.Acquire(spec.Request{Cookie: fleet[3].Name})
		if err != nil {
			return err
		}
		if i != 3 {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		s.observe("a cookie does not decide when its server is busy: of %d requests that were held, %d went elsewhere", held, elsewhere)
	}
	return nil
}
