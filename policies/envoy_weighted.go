//go:build !mutants

package policies

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// EnvoyWeighted is the rule of Envoy's least request balancer when weights
// differ: a schedule of deadlines in which a server of
//
//	effective weight = weight / (load + 1)^Bias
//
// takes a turn every 1/weight. The effective weight is read when a turn is
// taken, before its request is counted, and holds until the next one. So this is
// a rotation that the loads slow down; it is not weighted least request.
//
// The first pick is drawn with the effective weights; everybody else, and every
// newcomer later, waits for half a turn. The earlier id goes first among equal
// deadlines. Deadlines are kept relative to the last pick, so they stay exact
// however long it runs.
type EnvoyWeighted struct {
	Bias float64 // finite, not negative; 0 ignores the loads

	turns []turn // in increasing order of ids; empty before the first pick
}

// A turn is how long a server has to wait, in virtual time.
type turn struct {
	id  ServerID
	due float64
}

// Pick takes the earliest deadline.
func (e *EnvoyWeighted) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	fresh := len(e.turns) == 0
	pick, place, wait, at := None, 0, 0.0, 0
	for i := range v.Len() {
		at = e.find(v, i, at)
		if due := e.turns[at].due; pick == None || due < wait {
			pick, place, wait = i, at, due
		}
	}
	if fresh {
		pick = c.Weighted(e.chances(v))
		place, wait = pick, 0
	}
	for k := range e.turns {
		e.turns[k].due = max(e.turns[k].due-wait, 0) // time passes
	}
	e.turns[place].due = e.period(v, pick)
	return pick
}

// period is the time between two turns of server i. A server whose load is
// unknown counts as idle here: its turn would never come otherwise.
func (e *EnvoyWeighted) period(v View, i int) float64 {
	load, _ := v.Load(i)
	return math.Pow(load+1, e.Bias) / float64(v.Server(i).Weight)
}

// find is the place of server i among the turns, at or after a place given. A
// new server enters with half a turn to wait.
func (e *EnvoyWeighted) find(v View, i, from int) int {
	id := v.Server(i).ID
	for from < len(e.turns) && e.turns[from].id < id {
		from++
	}
	if from == len(e.turns) || e.turns[from].id != id {
		e.turns = slices.Insert(e.turns, from, turn{id, e.period(v, i) / 2})
	}
	return from
}

// chances are the effective weights as whole numbers, exactly in proportion to
// the weights where all loads are equal.
func (e *EnvoyWeighted) chances(v View) []uint64 {
	shortest := math.Inf(1) // of (load + 1)^Bias
	for i := range v.Len() {
		shortest = min(shortest, e.period(v, i)*float64(v.Server(i).Weight))
	}
	chances := weightsOf(v)
	for i, w := range chances {
		slowed := e.period(v, i) * float64(w) / shortest
		chances[i] = max(1, uint64(math.Round(float64(w)*(1<<16)/slowed)))
	}
	return chances
}

// Update forgets the servers that are gone; survivors keep their deadlines.
func (e *EnvoyWeighted) Update(all []Server) {
	e.turns = slices.DeleteFunc(e.turns, func(t turn) bool {
		return !slices.ContainsFunc(all, func(s Server) bool { return s.ID == t.id })
	})
}

// Clone returns an independent copy.
func (e *EnvoyWeighted) Clone() Policy {
	return &EnvoyWeighted{Bias: e.Bias, turns: slices.Clone(e.turns)}
}

// State lists the deadlines, to the last bit.
func (e *EnvoyWeighted) State() string {
	var b strings.Builder
	for _, t := range e.turns {
		fmt.Fprintf(&b, "%d:%x ", t.id, math.Float64bits(t.due))
	}
	return b.String()
}

// Check says what is wrong with Bias.
func (e *EnvoyWeighted) Check() error {
	if !(e.Bias >= 0) || math.IsInf(e.Bias, 1) {
		return fmt.Errorf("policies: EnvoyWeighted.Bias is %v, want a finite number that is not negative", e.Bias)
	}
	return nil
}
