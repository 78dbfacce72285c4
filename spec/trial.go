package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
)

// A trial says where a sampled property judges the claimed law. What is nil
// stands for a few states of two small fleets.
type trial struct {
	fleets  func(*Run) [][]Server
	states  func(r *Run, eligible []Server) []oracle.State
	request Request // of every pick
}

// fleets are those that the law is judged on; the budget is divided among them.
func (r *Run) fleets() [][]Server {
	switch {
	case r.fixed != nil:
		return [][]Server{r.fixed}
	case r.Property.trial.fleets != nil:
		return r.Property.trial.fleets(r)
	}
	return r.auditFleets()
}

// coarse is the Delta from which on a property looks for damage that shows in
// any state: it is content with the first two.
const coarse = 0.1

// trialStates are the states of a fleet that the law is judged in.
func (r *Run) trialStates(fleet []Server) []oracle.State {
	switch {
	case r.Property.trial.states != nil:
		return r.Property.trial.states(r, fleet)
	case r.Property.Delta >= coarse:
		return auditStates(fleet)[:2]
	}
	return auditStates(fleet)
}

// auditFleets are the fleets that a claimed law is judged on most closely: sizes
// that are odd or a little larger than the number of choices, since pairs and
// powers of two hide much.
func (r *Run) auditFleets() [][]Server {
	d := r.choices()
	return [][]Server{r.weighed(fleetOf(max(3, d+1)), squares), r.weighed(fleetOf(2*d+3), squares)}
}

// choices is the number of servers that the claimed law compares, as far as that
// limits the fleets in which it can be told from others.
func (r *Run) choices() int {
	if p, ok := r.Claims.Law.(oracle.PowerOfD); ok {
		return p.D
	}
	return 1
}

// weighed gives weights to a fleet where the claimed law reads them.
func (r *Run) weighed(fleet []Server, weight func(i int) int) []Server {
	if readsWeights(r.Claims.Law) {
		for i := range fleet {
			fleet[i].Weight = uint64(weight(i))
		}
	}
	return fleet
}

func squares(i int) int { return 1 + i*i }
func upTo3(i int) int   { return 1 + i%3 } // so that large fleets do not take long to fill up

// auditStates are frozen states of a fleet in which laws differ: a staircase up
// and down, all equal, pairs of ties, one idle server.
func auditStates(fleet []Server) []oracle.State {
	n := len(fleet)
	return statesWith(fleet,
		func(i int) int { return i },
		func(int) int { return 0 },
		func(i int) int { return n - 1 - i },
		func(i int) int { return i / 2 },
		func(i int) int {
			if i == n/2 {
				return 0
			}
			return 2
		})
}

// statesWith are states of a fleet with these loads.
func statesWith(fleet []Server, loads ...func(i int) int) []oracle.State {
	states := make([]oracle.State, len(loads))
	for k, load := range loads {
		states[k].Loads = make([]float64, len(fleet))
		for i := range fleet {
			states[k].Loads[i] = float64(load(i))
		}
		if !equalWeights(fleet) {
			states[k].Weights = weightsIn(fleet)
		}
	}
	return states
}

// drawnSize is a size of fleet, log-uniform from 9 to 40, drawn for this property
// from the seed of the run.
func (r *Run) drawnSize() int {
	const least, most = 9, 40
	u := rand.New(rand.NewPCG(r.Seed, 1)).Float64()
	return int(least * math.Pow((most+1)/float64(least), u))
}

// narrow leaves out of what is judged the servers that are not eligible: the law
// is about the others. Picks of them are still seen.
func (a *auditor) narrow() {
	eligible := slices.DeleteFunc(slices.Clone(a.fleet), func(s Server) bool { return s.Weight == 0 })
	if len(eligible) == len(a.fleet) {
		return
	}
	for _, s := range a.fleet {
		if s.Weight == 0 {
			a.out = append(a.out, s)
		}
	}
	a.fleet, a.leases, a.history = eligible, make([][]lease, len(eligible)), nil
}

// follow learns the order of a subject that claims to rotate, from its next picks:
// which order is its own affair, as long as it stays the same. From then on its
// servers are in that order. Picks that are no round change nothing, and will not
// pass for a rotation.
func (a *auditor) follow() {
	if _, rotates := a.run.Claims.Law.(oracle.RoundRobin); !rotates {
		return
	}
	round := a.turnsOf(len(a.fleet))
	if brokenWindow(round, len(a.fleet)) >= 0 {
		return
	}
	ordered := make([]Server, len(a.fleet))
	leases := make([][]lease, len(a.fleet))
	for k, i := range round {
		ordered[k], leases[k] = a.fleet[i], a.leases[i]
	}
	a.fleet, a.leases, a.history = ordered, leases, []int{len(ordered) - 1}
}

func sizeOf(a *auditor) string {
	if len(a.out) == 0 {
		return fmt.Sprint(len(a.fleet))
	}
	return fmt.Sprintf("%d of %d", len(a.fleet), len(a.fleet)+len(a.out))
}

// enumeration is "2, 3 and 5".
func enumeration(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
