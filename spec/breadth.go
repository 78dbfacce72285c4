package spec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/picklaw/picklaw/oracle"
)

// breadthProperties hold a black box to its law where the closest look, at a few
// states of two small fleets, does not reach. They ask whether the law is still
// the claimed one there, and are content with less precision.
var breadthProperties = []*Property{
	{
		Name: "law/fleet-sizes", Level: Must,
		Sentence: "The picks follow the claimed law in fleets of every size: at powers of two, next to them, and at sizes drawn from the seed.",
		Source:   "a ring of one size that fits no other: envoyproxy/envoy#31724; a mask for a modulus, all weights 0 beyond 100 endpoints: openservicemesh/osm#4092",
		Applies:  claimsAnyLaw, Sampled: auditedSizes, Statistical: true, Delta: 0.2,
		trial: trial{fleets: manySizes, states: mixedStates},
	},
	{
		Name: "law/deep-loads", Level: Must,
		Sentence: "The picks follow the claimed law however many requests are in flight, and however unequally.",
		Source:   "counters that saturate or wrap: maximhq/bifrost#5473, grpc/grpc-go#9357",
		Applies:  claimsAnyLaw, Sampled: sampledPickLaw, Statistical: true, Delta: 0.1,
		trial: trial{fleets: deepFleets, states: deepStates},
	},
	{
		Name: "law/long-use", Level: Must,
		Sentence: "After thousands of requests, ended in every way, the picks follow the claimed law as on the first day.",
		Source:   "counts that drift: h2o/h2o#1750; an exponent that grows with every error: envoyproxy/envoy#14235",
		Applies:  claimsAnyLaw, Sampled: auditedLongUse, Statistical: true, Delta: 0.1,
		trial: trial{fleets: oneFleet},
	},
}

func claimsAnyLaw(c *Claims) bool { return c.Law != nil }

// manySizes are, besides one of weights that neither 7 nor 8 bits hold, fleets of two servers, of powers of two and what is next to them,
// where masks and remainders go wrong, and of one size that is drawn.
func manySizes(r *Run) [][]Server {
	sizes := []int{2, 8, 16, 17, 32, 33, 64, 65, r.drawnSize()}
	if rotates(r.Claims.Law) && readsWeights(r.Claims.Law) { // a long cycle of many servers is slow to follow
		sizes = []int{2, 8, 16, 17, 33, r.drawnSize()}
	}
	var fleets [][]Server
	for _, n := range sizes {
		if n >= r.choices() { // a law that compares more servers than there are is another law
			fleets = append(fleets, r.weighed(fleetOf(n), upTo3))
		}
	}
	if readsWeights(r.Claims.Law) && !rotates(r.Claims.Law) && r.holds == 0 && r.choices() <= 4 {
		// A rotation has weighted/huge. A heavy server holds hundreds of requests
		// before the light one has any.
		fleets = append(fleets, weigh(10, 128, 300, 1000))
	}
	return fleets
}

// mixedStates are two states that are soon reached in a large fleet: idle, and a
// mixture of four loads whose last server is idle.
func mixedStates(_ *Run, fleet []Server) []oracle.State {
	return statesWith(fleet,
		func(int) int { return 0 },
		func(i int) int { return (len(fleet) - 1 - i) * 3 % 4 })
}

func auditedSizes(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	result := sampledPickLaw(r)
	if result.Verdict == Holds {
		result.Observed += fmt.Sprintf("; the size of %d is drawn", r.drawnSize())
	}
	return result
}

// deepFleets are small: every server is filled up to the largest load.
func deepFleets(r *Run) [][]Server {
	d := r.choices()
	return [][]Server{r.weighed(fleetOf(max(5, d+1)), upTo3), r.weighed(fleetOf(max(3, d+1)), upTo3)}
}

// deepStates have large gaps; no gap at all; loads around the ends of 7, 8 and 9
// bits; and, in the smaller fleet, a single overloaded server, and loads of which
// the eighth or tenth bit is the last that differs.
func deepStates(r *Run, fleet []Server) []oracle.State {
	patterns := [][]int{{8, 0, 100, 7, 9}, {12}, {257, 128, 256, 127, 255}}
	switch {
	case r.fixed != nil:
		patterns = [][]int{{8, 0, 16, 7, 9}, {12}} // whoever has a fleet of its own may not hold many requests at once
	case len(fleet) == len(deepFleets(r)[1]):
		patterns = [][]int{{1000, 3, 3}, {1023, 1024, 1025}}
	}
	var loads []func(int) int
	for _, p := range patterns {
		loads = append(loads, func(i int) int { return r.held(p[i%len(p)]) })
	}
	return statesWith(fleet, loads...)
}

// held is a load that the subject's transport can hold.
func (r *Run) held(load int) int {
	if r.holds > 0 {
		return min(load, r.holds)
	}
	return load
}

// oneFleet is a fleet in which laws of few choices differ.
func oneFleet(r *Run) [][]Server {
	return [][]Server{r.weighed(fleetOf(max(5, r.choices()+1)), upTo3)}
}

// longUse is how many requests are a long use: more than a counter of 12 bits
// counts. The closest look takes many more, but all of them succeed at once.
const longUse = 5000

func auditedLongUse(r *Run) Result {
	if !r.Claims.CountsInFlight && r.fixed == nil {
		r.open(Fleet{Servers: oneFleet(r)[0], Seed: r.Seed}).abuse(longUse)
	}
	result := r.judgeLaw(func(a *auditor, _ int) { a.use(longUse) }, nil)
	return after(fmt.Sprintf("%d requests, all of them ended", longUse), result)
}

// use makes some requests, of which up to three a server are in flight at a time,
// and ends them in any order: in every way where it makes no difference to the
// claim, else all with success.
func (a *auditor) use(requests int) {
	random := rand.New(rand.NewPCG(a.run.Seed, 2))
	ways := []string{"end"}
	if a.run.Claims.CountsInFlight {
		ways = append(ways, "fail", "cancel")
	}
	open := 0
	for made := 0; made < requests || open > 0; {
		if made < requests && open < 3*len(a.fleet) && random.IntN(2) == 0 {
			a.acquire(a.run.Property.trial.request)
			made++
			open++
		} else if open > 0 {
			s := step{ways[random.IntN(len(ways))], random.IntN(1 << 20)}
			a.release(a.nth(s.which), s.outcome())
			open--
		}
	}
}

// abuse makes requests and ends them in every way. It is for a subject that claims
// nothing about outcomes, and so may refuse requests or prefer servers once some
// have failed: what it must not do is to panic, to hang, to name a stranger or to
// refuse the end of a request.
func (a *auditor) abuse(requests int) {
	random := rand.New(rand.NewPCG(a.run.Seed, 3))
	ways := []string{"end", "fail", "cancel"}
	for range requests {
		_, l, err := a.tryPick(context.Background(), a.run.Property.trial.request)
		if err == nil {
			a.end(l, step{ways[random.IntN(len(ways))], random.IntN(1 << 20)}.outcome())
		}
	}
}

// strangelyNamed are fleets whose names are not in the order of the servers, by
// neither letters nor length, and whose ids are far apart; then the other way round.
func strangelyNamed(r *Run) [][]Server {
	one := fleetOf(max(5, r.choices()+1))
	for i := range one {
		one[i].ID = ServerID(1<<(3*i) + i)
		one[i].Name = fmt.Sprintf("s%d", (37*i+9)%101)
	}
	other := slices.Clone(one)
	for i := range other {
		other[i].Name = one[len(one)-1-i].Name
	}
	return [][]Server{r.weighed(one, upTo3), r.weighed(other, upTo3)}
}

func auditedRelabelling(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	return after("names and ids were handed around", sampledPickLaw(r))
}

// someOut are fleets in which one server, or most of them, are not eligible.
func someOut(r *Run) [][]Server {
	d := r.choices()
	few, most := r.weighed(fleetOf(max(5, d+2)), upTo3), r.weighed(fleetOf(2*d+5), upTo3)
	few[1].Weight = 0
	for i := 0; i < len(most); i += 2 {
		most[i].Weight = 0
	}
	return [][]Server{few, most}
}

// auditedEligibleShare judges the law among those that are eligible: in a fleet
// that is built with some who are not, and, where there is an update and the law
// has no memory of it, also after all have been eligible for a while. Whoever has
// neither an update nor weights has no way to hear of it.
func auditedEligibleShare(r *Run) Result {
	switch {
	case r.fixed != nil:
		return needsFleets
	case !readsWeights(r.Claims.Law) && !r.Claims.Weighted && !r.updates():
		return Result{Verdict: NotClaimed, Observed: "it has no Update, and no weight that could be 0"}
	}
	result := r.judgeLaw(func(a *auditor, _ int) {
		if _, ok := a.picker.(Updater); !ok || rotates(r.Claims.Law) {
			return
		}
		some := a.fleet
		all := slices.Clone(some)
		for i := range all {
			all[i].Weight = max(all[i].Weight, 1)
		}
		for _, fleet := range [][]Server{some, all, some} {
			a.change(fleet)
			for range 2 * len(fleet) {
				a.probe(Request{})
			}
		}
	}, nil)
	return after("others became ineligible", result)
}
