package identify

import (
	"context"
	"slices"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A way is how requests end: with an outcome, and perhaps a second time.
type way struct {
	name   string
	first  spec.Outcome
	second *spec.Outcome
}

// ways are all of them. What a second end answers is not asked here: whether it
// changes anything is.
var ways = []way{
	{name: "succeeded"},
	{name: "failed", first: spec.Outcome{Failed: true}},
	{name: "were cancelled", first: spec.Outcome{Canceled: true}},
	{name: "took long", first: spec.Outcome{Latency: time.Minute}},
	{name: "succeeded twice", second: &spec.Outcome{}},
	{name: "failed and then succeeded", first: spec.Outcome{Failed: true}, second: &spec.Outcome{}},
	{name: "were cancelled twice", first: spec.Outcome{Canceled: true}, second: &spec.Outcome{Canceled: true}},
}

// ends lets many requests end in every way, and looks whether the counts fall.
// All ways are tried on one balancer; only when that leaves the law behind, each
// is tried alone.
func (s *search) ends() error {
	if !s.judged() {
		return nil
	}
	g, err := s.afterEnds(ways, 0)
	if g == nil || err != nil {
		return err
	}
	before := len(s.result.Deviations) + len(s.result.Observations)
	for _, w := range ways {
		if s.failing && w.first.Failed && w.second != nil {
			continue // failures are remembered, ended twice or not
		}
		g, err := s.afterEnds([]way{w}, 0)
		if err != nil {
			return err
		}
		if g == nil {
			continue
		}
		why := "counts do not fall as they should"
		if s.failing && w.first.Failed {
			why += ", or failures are remembered"
			later, err := s.afterEnds([]way{w}, 24*time.Hour)
			if err != nil {
				return err
			}
			if later == nil { // what passes is no count
				s.observe("after requests at %s that %s it does not follow %v for a while: %v", s.fleet()[0].Name, w.name, s.best, g)
				continue
			}
		}
		s.deviate("after requests at %s that %s it no longer follows %v, so %s: %v", s.fleet()[0].Name, w.name, s.best, why, g)
	}
	if len(s.result.Deviations)+len(s.result.Observations) == before {
		s.deviate("after requests that ended in many ways it no longer follows %v: %v", s.best, g)
	}
	return nil
}

// afterEnds is whether the law still holds. Only the first server ends its
// requests in these ways, so that what sticks to it makes a difference. Time
// passes before the law is looked at, where the clock is virtual.
func (s *search) afterEnds(ways []way, later time.Duration) (*gap, error) {
	fleet := s.fleet()
	d, err := s.drive(fleet, "ends")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, w := range ways {
		for range 12 * len(fleet) {
			i, end, err := d.Lease(context.Background(), spec.Request{})
			if err != nil {
				return nil, err
			}
			if i != 0 {
				if err := end(spec.Outcome{}); err != nil {
					return nil, err
				}
				continue
			}
			if err := end(w.first); err != nil {
				return nil, err
			}
			if w.second != nil && s.Fleet == nil {
				_ = end(*w.second) // may be refused
			}
		}
	}
	pass(d, later)
	return s.stillIn(d, fleet, s.best, lookStates(len(fleet)))
}

// counted holds a balancer that tells its counts to what is open.
func (s *search) counted(d *spec.Driver, fleet []spec.Server, when string) {
	c, ok := d.Picker().(spec.Counter)
	if !ok {
		return
	}
	for i, open := range d.InFlight() {
		if got := c.InFlight(fleet[i].ID); float64(got) != open {
			s.deviate("%s it tells %d requests in flight at %s, where %v are", when, got, fleet[i].Name, open)
			return
		}
	}
}

// rotates tells whether a law is a rotation, which is exact over every cycle.
func rotates(l oracle.Law) bool {
	switch l.(type) {
	case oracle.RoundRobin, oracle.SmoothWeighted, oracle.WeightedRoundRobin:
		return true
	}
	return false
}

// cycle is the number of picks after which a rotation repeats itself, and what
// every server gets of them.
func cycle(fleet []spec.Server) (length int, each []int) {
	var gcd uint64
	for _, server := range fleet {
		a, b := gcd, server.Weight
		for b != 0 {
			a, b = b, a%b
		}
		gcd = a
	}
	for _, server := range fleet {
		each = append(each, int(server.Weight/gcd))
		length += int(server.Weight / gcd)
	}
	return length, each
}

// broken counts the windows of one cycle in which some server does not get
// exactly what is due to it.
func broken(picks []int, fleet []spec.Server) (wrong, windows int) {
	length, each := cycle(fleet)
	tally := make([]int, len(fleet))
	for k, i := range picks {
		tally[i]++
		if k >= length {
			tally[picks[k-length]]--
		}
		if k >= length-1 {
			windows++
			if !slices.Equal(tally, each) {
				wrong++
			}
		}
	}
	return wrong, windows
}
