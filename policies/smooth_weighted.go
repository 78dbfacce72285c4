//go:build !mutants

package policies

import (
	"fmt"
	"math"
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
// A server that is not eligible keeps its credit and takes no part. When other
// weights take part than at the last pick, all credits are rescaled to their sum,
// so that each stays the same part of a pick: credits that were earned beside a
// heavy server would otherwise rule for long after it has gone. What a server
// that leaves the fleet has is spread over the others, so credits add up to 0.
type SmoothWeighted struct {
	started bool
	total   int64    // of the weights at the last pick, in units
	credits []credit // in increasing order of ids
}

// A credit is counted in units, so that rescaling rounds very little.
type credit struct {
	id    ServerID
	value int64
}

// unit is the credit of weight 1. A pick is worth less than 2^63 units as long as
// the fleet has fewer than 2^21 servers of the largest weight.
const unit = 1 << 10

// longestWalk bounds the credits to touch on the way to a random phase.
const longestWalk = 1 << 20

// Pick gives credits and takes the largest.
func (s *SmoothWeighted) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	if !s.started {
		return s.begin(v, c)
	}
	return s.step(v, None)
}

// begin walks to a random phase of the cycle.
func (s *SmoothWeighted) begin(v View, c Coins) int {
	s.started = true
	weights := weightsOf(v)
	period := sum(weights) / gcd(weights)
	if period > longestWalk/uint64(len(weights)) {
		return s.step(v, c.Weighted(weights))
	}
	for range c.IntN(int(period)) {
		s.step(v, None)
	}
	return s.step(v, None)
}

// step is one pick of the cycle: the largest credit, unless the pick is given.
func (s *SmoothWeighted) step(v View, given int) int {
	total := int64(0)
	for i := range v.Len() {
		total += int64(v.Server(i).Weight) * unit
	}
	s.rescale(total)
	pick, picked, at := None, 0, 0
	for i := range v.Len() {
		server := v.Server(i)
		at = s.find(server.ID, at)
		s.credits[at].value += int64(server.Weight) * unit
		if i == given || given == None && (pick == None || s.credits[at].value > s.credits[picked].value) {
			pick, picked = i, at
		}
	}
	s.credits[picked].value -= total
	return pick
}

// rescale keeps every credit the same part of a pick.
func (s *SmoothWeighted) rescale(total int64) {
	if s.total != total && s.total > 0 {
		scale := float64(total) / float64(s.total)
		for i := range s.credits {
			s.credits[i].value = int64(math.Round(float64(s.credits[i].value) * scale))
		}
		s.settle()
	}
	s.total = total
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

// Update keeps the credits of survivors.
func (s *SmoothWeighted) Update(all []Server) {
	next := make([]credit, len(all))
	for i, server := range all {
		next[i] = s.credits[s.find(server.ID, 0)]
	}
	s.credits = next
	s.settle()
}

// settle spreads what the credits add up to over all of them.
func (s *SmoothWeighted) settle() {
	excess := int64(0)
	for _, c := range s.credits {
		excess += c.value
	}
	for i := range s.credits { // as evenly as whole numbers can be
		share := excess / int64(len(s.credits)-i)
		s.credits[i].value -= share
		excess -= share
	}
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
		return "fresh"
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
