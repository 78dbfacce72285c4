package spec

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// ruleProperties bind every policy, whatever its law.
var ruleProperties = []*Property{
	{
		Name: "totality/small-fleets", Level: Must,
		Sentence: "Without servers there is no pick, with one server it is picked; neither panics nor hangs.",
		Source:   "tower-rs/tower#17; Netflix/ribbon#338; envoyproxy/envoy#31724",
		Applies:  func(c *Claims) bool { return !c.own() },
		Exact:    exactSmallFleets, Sampled: auditedSmallFleets,
	},
	{
		Name: "order/relabelling", Level: Must,
		Sentence: "Which server is listed first makes no difference: relabel the servers, and the law relabels with them.",
		Source:   "Caddy v2.11.9 random_choose sends all idle traffic of a pair to one of them",
		Applies: func(c *Claims) bool {
			return c.Law != nil && !c.TiesOpen && !strings.Contains(c.Law.String(), "lowest-index") && !rotates(c.Law)
		},
		Exact: exactRelabelling, Sampled: auditedRelabelling, Statistical: true, Delta: 0.15,
		trial: trial{fleets: strangelyNamed},
	},
	{
		Name: "cost/load-reads", Level: Should,
		Sentence: "A policy that compares d servers reads at most d loads.",
		Source:   "a full scan posing as power of two: sozu-proxy/sozu#1411",
		Applies:  func(c *Claims) bool { return c.ReadsAtMost > 0 },
		Exact:    exactLoadReads,
	},
}

// rotates tells whether a law has an order of its own.
func rotates(l oracle.Law) bool {
	switch l.(type) {
	case oracle.RoundRobin, oracle.SmoothWeighted, oracle.WeightedRoundRobin:
		return true
	}
	return false
}

// certain is probability 1.
var certain = big.NewRat(1, 1)

func exactSmallFleets(r *Run) Result {
	empty := &policies.Snapshot{}
	picks := r.enumerate(r.newPolicy(nil), empty)
	if picks.None.Cmp(certain) != 0 {
		return Result{Verdict: Violated, Finding: OutOfRange, Observed: "no servers, and yet a pick"}
	}
	single := viewOf(equalServers([]float64{7}))
	picks = r.enumerate(r.newPolicy(single.Servers), single)
	if picks.P[0].Cmp(certain) != 0 {
		return Result{Verdict: Violated, Finding: Refused, Expected: "the only server, always",
			Observed: "the only server with probability " + picks.P[0].RatString()}
	}
	return Result{Verdict: Holds, Observed: "no pick of none, the only one of one"}
}

func auditedSmallFleets(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	a := r.open(Fleet{Servers: fleetOf(1), Seed: r.Seed})
	for range 10 {
		a.acquire(Request{})
	}
	a.drain()
	empty := "refused when built"
	r.try("a fleet without servers", func() {
		p, err := r.build(Fleet{Seed: r.Seed})
		if err != nil {
			return
		}
		r.keep(p)
		empty = "refused at the pick"
		if id, _, err := p.Pick(context.Background(), Request{}); err == nil {
			panic(&fault{UnknownServer, fmt.Sprintf("without any server it picked server %d", id)})
		}
	})
	return Result{Verdict: Holds, Observed: "the only one of one; none of none, " + empty, Samples: 10}
}

// exactRelabelling hands loads around among the servers, in every way for up to
// four of them.
func exactRelabelling(r *Run) Result {
	states := statesOf(r.Claims.Law, r.Seed)
	for k, s := range states {
		if len(s.Loads) == 4 && k%6 > 0 || r.asymmetry(s) == nil { // 24 orders of so many states tell no more
			continue
		}
		s = shrink(s, func(s oracle.State) bool { return r.asymmetry(s) != nil })
		return Result{Verdict: Violated, Finding: WrongLaw,
			Observed:  r.asymmetry(s).String(),
			Diagnosis: &Diagnosis{State: describe(viewOf(s).Servers, s.Loads)}}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d states", len(states))}
}

func (r *Run) asymmetry(s oracle.State) (found *queue.Asymmetry) {
	view := viewOf(s)
	r.try("Pick", func() {
		var err error
		if found, err = queue.Commutes(r.newPolicy(view.Servers), Request{}, view, queue.MaxLeaves(mostLeaves)); err != nil {
			panic(faultOf(err))
		}
	})
	return found
}

func exactLoadReads(r *Run) Result {
	most := r.Claims.ReadsAtMost
	for _, loads := range loadVectors(r.Seed) {
		view := viewOf(equalServers(loads))
		picks := r.enumerate(r.newPolicy(view.Servers), view)
		if picks.MaxReads > most {
			return Result{
				Verdict: Violated, Finding: TooManyReads,
				Expected:  fmt.Sprintf("at most %d loads read", most),
				Observed:  fmt.Sprintf("%d loads read", picks.MaxReads),
				Diagnosis: &Diagnosis{State: describe(view.Servers, loads)},
			}
		}
	}
	return Result{Verdict: Holds, Expected: fmt.Sprintf("at most %d loads read", most), Observed: fmt.Sprintf("never more than %d", most)}
}
