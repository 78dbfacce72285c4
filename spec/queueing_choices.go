package spec

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// choiceProperties say what a number of choices is worth, and what it costs.
var choiceProperties = []*Property{
	{
		Name: "queueing/blast-radius", Level: Must,
		Sentence: "A server that looks better than all others draws d/n of the traffic, or 1-(1-1/n)^d with replacement, and no server ever draws more.",
		Source:   "definition; a scan that poses as a sample: sozu-proxy/sozu#1411",
		Applies:  comparesChoices, Exact: exactBlast,
	},
	{
		Name: "queueing/order-of-policies", Level: Must,
		Sentence: "With arrivals and departures coupled by rank, the k longest queues together never hold more than with one choice less, nor less than with the whole fleet to choose from.",
		Source:   "Azar, Broder, Karlin and Upfal 1994; Turner 1998: majorization, for equal servers, exponential work and fresh views",
		Applies:  comparesChoices, Exact: exactOrderOfPolicies,
	},
}

// comparesChoices holds for laws that compare the loads of some servers or all.
func comparesChoices(c *Claims) bool {
	switch l := c.Law.(type) {
	case oracle.PowerOfD:
		return !l.LowestIndex && !c.Learns
	case oracle.LeastRequest, oracle.Random:
		return !c.Learns && !hashesKeys(c)
	}
	return false
}

func exactBlast(r *Run) Result {
	sizes := 0
	for n := 1; n <= 9; n++ {
		blast := oracle.Blast{D: n, N: n}
		switch l := r.Claims.Law.(type) {
		case oracle.Random:
			blast.D = 1
		case oracle.PowerOfD:
			blast.D, blast.Replacement = l.D, l.Replacement
		}
		fleet := fleetOf(n)
		for better := range fleet {
			loads := make([]float64, n)
			for i := range loads {
				loads[i] = float64(1 + (i*i+better)%3)
			}
			loads[better] = 0
			picks := r.lawOf(r.newPolicy(fleet), &policies.Snapshot{Servers: fleet, Loads: loads})
			if got := picks.P[better]; got.Cmp(blast.Share()) != 0 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: blast.Share().RatString() + " for " + fleet[better].Name,
					Observed: got.RatString(), Diagnosis: &Diagnosis{State: describe(fleet, loads)}}
			}
			for i, p := range picks.P {
				if p.Cmp(blast.Share()) > 0 {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: blast.Share().RatString() + " at most",
						Observed: p.RatString() + " for " + fleet[i].Name, Diagnosis: &Diagnosis{State: describe(fleet, loads)}}
				}
			}
			sizes++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("exactly, for %d servers of fleets of 1 to 9", sizes)}
}

// A queueLine is a system of queues, the longest first. Servers are equal, so the
// order is all there is to know.
type queueLine struct {
	lengths []float64
	law     func(loads []float64) []*big.Rat
	known   map[string][]*big.Rat
}

// arrive sends a request to the rank that u points at, counted from the
// shortest queue.
func (q *queueLine) arrive(u *big.Rat) {
	state := fmt.Sprint(q.lengths)
	if q.known[state] == nil {
		q.known[state] = q.law(slices.Clone(q.lengths))
	}
	sum := new(big.Rat)
	for k := len(q.lengths) - 1; k >= 0; k-- {
		if sum.Add(sum, q.known[state][k]); u.Cmp(sum) < 0 || k == 0 {
			// Of equal queues the first grows: so the order remains.
			q.lengths[slices.Index(q.lengths, q.lengths[k])]++
			return
		}
	}
}

// depart ends a request at a rank, if there is one. Of equal queues the last
// shrinks.
func (q *queueLine) depart(rank int) {
	if length := q.lengths[rank]; length > 0 {
		for rank+1 < len(q.lengths) && q.lengths[rank+1] == length {
			rank++
		}
		q.lengths[rank]--
	}
}

// exactOrderOfPolicies runs the code of the policy between the laws that it must
// stand between, event by event, on the same arrivals and departures by rank. The
// coupling makes the order certain on every path, so one violation is enough. It
// is the form in which the order is a theorem: with work attached to requests it
// is false on paths.
func exactOrderOfPolicies(r *Run) Result {
	const n, events = 5, 1500
	fleet := fleetOf(n)
	byClaim := func(l oracle.Law) func([]float64) []*big.Rat {
		return func(loads []float64) []*big.Rat {
			p, err := l.Probabilities(oracle.State{Loads: loads})
			if err != nil {
				panic(fmt.Sprintf("spec: law %v at %v: %v", l, loads, err))
			}
			return p
		}
	}
	line := func(law func([]float64) []*big.Rat) *queueLine {
		return &queueLine{make([]float64, n), law, make(map[string][]*big.Rat)}
	}
	fewer := oracle.Law(oracle.HeavierOfD{D: 2}) // what even a random pick must not be worse than
	switch l := r.Claims.Law.(type) {
	case oracle.LeastRequest:
		fewer = oracle.PowerOfD{D: n - 1}
	case oracle.PowerOfD:
		fewer = oracle.Random{}
		if l.D > 1 {
			fewer = oracle.PowerOfD{D: l.D - 1, Replacement: l.Replacement}
		}
	}
	lines := []*queueLine{
		line(byClaim(fewer)),
		line(func(loads []float64) []*big.Rat {
			return r.lawOf(r.newPolicy(fleet), &policies.Snapshot{Servers: fleet, Loads: loads}).P
		}),
		line(byClaim(oracle.LeastRequest{})),
	}
	random := rand.New(rand.NewPCG(r.Seed, 0))
	for event := range events {
		arrival, u, rank := random.IntN(20) < 9, big.NewRat(random.Int64N(1<<20), 1<<20), random.IntN(n)
		for _, q := range lines {
			if arrival {
				q.arrive(u)
			} else {
				q.depart(rank)
			}
		}
		for k := 1; k < len(lines); k++ {
			more, less := 0.0, 0.0
			for longest := range n {
				more, less = more+lines[k-1].lengths[longest], less+lines[k].lengths[longest]
				if less > more {
					return Result{Verdict: Violated, Finding: WrongLaw,
						Expected: fmt.Sprintf("the %d longest queues to hold %v at most, as in %v", longest+1, more, lines[k-1].lengths),
						Observed: fmt.Sprintf("%v, in %v, after %d events", less, lines[k].lengths, event+1)}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("between %v and least-request, after each of %d coupled events", fewer, events)}
}
