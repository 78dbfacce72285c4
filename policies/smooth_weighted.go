package policies

import (
	"fmt"
	"slices"
	"strings"
)

// SmoothWeighted is the smooth weighted round robin of nginx (Sysoev 2012): each
// pick gives every eligible server a credit of its weight, picks the first of
// the largest credits, and takes the sum of the weights away from it. In
// sum/gcd picks in a row, a server is picked exactly weight/gcd times.
//
// It starts at a random phase of that cycle, so that the first pick is at server
// i with probability weight/sum; where the cycle is too long to walk, the first
// pick is drawn with those weights and a cycle begins with it.
//
// A server that is not eligible keeps its credit and takes no part. Over the
// whole fleet credits add up to 0: what a departing server leaves is spread over
// the others, and a change of weights rescales the credits, so that each stays
// the same part of a pick.
type SmoothWeighted struct {
	started bool
	total   uint64   // of the weights of the fleet
	credits []credit // in increasing order of ids
}

type credit struct {
	id    ServerID
	value int64
}

// longestWalk bounds the credits to touch on the way to a random phase.
const longestWalk = 1 << 20

// Pick gives credits and takes the largest.
func (s *SmoothWeighted) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	if s.started {
		return s.step(v)
	}
	s.started = true
	weights := weightsOf(v)
	period := sum(weights) / gcd(weights)
	if period > longestWalk/uint64(len(weights)) {
		return s.take(v, c.Weighted(weights))
	}
	for range c.IntN(int(period)) {
		s.step(v)
	}
	return s.step(v)
}

// step is one pick of the cycle.
func (s *SmoothWeighted) step(v View) int {
	pick, most, at := None, int64(0), 0
	for i := range v.Len() {
		server := v.Server(i)
		at = s.find(server.ID, at)
		if value := s.credits[at].value + int64(server.Weight); pick == None || value > most {
			pick, most = i, value
		}
	}
	return s.take(v, pick)
}

// take settles the credits for a pick.
func (s *SmoothWeighted) take(v View, pick int) int {
	total, at, picked := int64(0), 0, 0
	for i := range v.Len() {
		server := v.Server(i)
		at = s.find(server.ID, at)
		s.credits[at].value += int64(server.Weight)
		total += int64(server.Weight)
		if i == pick {
			picked = at
		}
	}
	s.credits[picked].value -= total
	return pick
}

// find is the place of a server among the credits, at or after a place given. A
// new server enters with none.
func (s *SmoothWeighted) find(id ServerID, from int) int {
	for from < len(s.credits) && s.credits[from].id < id {
		from++
	}
	if from == len(s.credits) || s.credits[from].id != id {
		s.credits = slices.Insert(s.credits, from, credit{id: id})
	}
	return from
}

// Update keeps the credits of survivors, on the scale of the new weights.
func (s *SmoothWeighted) Update(all []Server) {
	total := uint64(0)
	for _, server := range all {
		total += server.Weight
	}
	scale := 1.0
	if s.total > 0 {
		scale = float64(total) / float64(s.total)
	}
	next, excess := make([]credit, len(all)), int64(0)
	for i, server := range all {
		value := s.credits[s.find(server.ID, 0)].value
		next[i] = credit{server.ID, int64(float64(value) * scale)}
		excess += next[i].value
	}
	for i := range next { // as evenly as whole numbers can be
		share := excess / int64(len(next)-i)
		next[i].value -= share
		excess -= share
	}
	s.credits, s.total = next, total
}

// Clone returns an independent copy.
func (s *SmoothWeighted) Clone() Policy {
	twin := *s
	twin.credits = slices.Clone(s.credits)
	return &twin
}

// State lists the credits.
func (s *SmoothWeighted) State() string {
	if !s.started {
		return fmt.Sprint("fresh ", s.total)
	}
	var b strings.Builder
	fmt.Fprint(&b, s.total)
	for _, c := range s.credits {
		if c.value != 0 { // a credit of 0 is as good as none
			fmt.Fprintf(&b, " %d:%d", c.id, c.value)
		}
	}
	return b.String()
}
