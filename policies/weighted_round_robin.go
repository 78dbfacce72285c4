//go:build !mutants

package policies

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// WeightedRoundRobin is an earliest-deadline-first rotation. In each unit of a
// virtual time, a server of weight w ticks w times, at
//
//	1/2w, 3/2w, 5/2w, ...
//
// and picks follow the ticks, those of the same moment in the order of ids. (This
// is Webster's rule of apportionment, 1832; with equal weights it is round
// robin.) So every sum/gcd picks in a row hold exactly weight/gcd of a server.
//
// It starts at a random tick, hence the first pick is at server i with
// probability weight/sum. From then on the virtual time just goes on, whoever
// joins, leaves or is not eligible: nobody catches up or starts again. A server
// whose weight changes is as far from its next tick as it was, in parts of its
// new period; otherwise frequent changes would favour it.
type WeightedRoundRobin struct {
	started bool
	time    moment   // of the last pick, in [0, 1)
	last    ServerID // whose tick it was
	clocks  []clock  // in increasing order of ids
}

// A clock ticks at (m + phase/phases) / weight, for m = 0, 1, 2, ...
type clock struct {
	id     ServerID
	weight uint64
	phase  uint64
}

const phases = 1 << 30

// A moment is a time num/den, where den is a weight times phases: below 2^62.
type moment struct{ num, den uint64 }

func (a moment) before(b moment) bool {
	high1, low1 := bits.Mul64(a.num, b.den)
	high2, low2 := bits.Mul64(b.num, a.den)
	return high1 < high2 || high1 == high2 && low1 < low2
}

// Pick follows the next tick.
func (r *WeightedRoundRobin) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	pick, next := 0, moment{}
	if r.started {
		at := 0
		for i := range v.Len() {
			at = r.find(v.Server(i), at)
			if tick := r.tick(r.clocks[at]); i == 0 || tick.before(next) {
				pick, next = i, tick
			}
		}
	} else {
		pick, next = r.begin(v, c)
	}
	if next.num >= next.den { // the next unit of time
		next.num -= next.den
	}
	r.started, r.time, r.last = true, next, v.Server(pick).ID
	return pick
}

// tick is the first tick of a clock after the last pick.
func (r *WeightedRoundRobin) tick(c clock) moment {
	earliest, exact := r.now(c.weight)
	if !exact || c.id <= r.last { // at the very same moment, later ids are still to come
		earliest++
	}
	m := (earliest + phases - 1 - min(c.phase, earliest)) / phases
	return moment{m*phases + c.phase, c.weight * phases}
}

// now is the time of the last pick in units of 1/(weight·phases), rounded down.
func (r *WeightedRoundRobin) now(weight uint64) (units uint64, exact bool) {
	high, low := bits.Mul64(weight*phases, r.time.num)
	units, remainder := bits.Div64(high, low, r.time.den)
	return units, remainder == 0
}

// begin draws one of all the ticks in a cycle.
func (r *WeightedRoundRobin) begin(v View, c Coins) (int, moment) {
	weights := weightsOf(v)
	i := c.Weighted(weights)
	m := uint64(c.IntN(int(weights[i] / gcd(weights))))
	clock := r.clocks[r.find(v.Server(i), 0)]
	return i, moment{m*phases + clock.phase, clock.weight * phases}
}

// find is the place of the clock of a server, at or after a place given.
func (r *WeightedRoundRobin) find(s Server, from int) int {
	for from < len(r.clocks) && r.clocks[from].id < s.ID {
		from++
	}
	if from == len(r.clocks) || r.clocks[from].id != s.ID {
		r.clocks = slices.Insert(r.clocks, from, newClock(s))
	}
	return from
}

func newClock(s Server) clock { return clock{s.ID, s.Weight, phases / 2} }

// Update sets the clocks to new weights. When nobody is left of the old fleet,
// there is nothing to go on from, and the next start is random again.
func (r *WeightedRoundRobin) Update(all []Server) {
	old, next, survivors := r.clocks, make([]clock, len(all)), 0
	for i, s := range all {
		next[i] = newClock(s)
		k, stays := slices.BinarySearchFunc(old, s.ID, func(c clock, id ServerID) int { return int(c.id - id) })
		if !stays {
			continue
		}
		survivors++
		if next[i].phase = old[k].phase; r.started && s.Weight != old[k].weight && s.Weight > 0 && old[k].weight > 0 {
			was, _ := r.now(old[k].weight)
			is, _ := r.now(s.Weight)
			next[i].phase = (is + r.tick(old[k]).num - was) % phases
		}
	}
	r.clocks, r.started = next, r.started && survivors > 0
}

// Clone returns an independent copy.
func (r *WeightedRoundRobin) Clone() Policy {
	twin := *r
	twin.clocks = slices.Clone(r.clocks)
	return &twin
}

// State is the time of the last tick, and the phases that are not one half.
func (r *WeightedRoundRobin) State() string {
	var b strings.Builder
	if r.started {
		g := gcd([]uint64{r.time.num, r.time.den})
		fmt.Fprintf(&b, "%d at %d/%d", r.last, r.time.num/g, r.time.den/g)
	} else {
		fmt.Fprint(&b, "fresh")
	}
	for _, c := range r.clocks {
		if c.phase != phases/2 {
			fmt.Fprintf(&b, " %d:%d", c.id, c.phase)
		}
	}
	return b.String()
}
