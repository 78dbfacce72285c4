package spec

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// continuityProperties say what must not change when something else does.
var continuityProperties = []*Property{
	{
		Name: "continuity/idle-update", Level: Must,
		Sentence: "An update to the same fleet changes nothing.",
		Source:   "every update a restart: kubernetes/ingress-nginx#4448, envoyproxy/envoy#10064",
		Applies:  isRule, Exact: exactIdleUpdate,
	},
	{
		Name: "continuity/visitor", Level: Must,
		Sentence: "A server that joins and leaves without a request leaves no trace.",
		Source:   "continuity; stale keys of a server that is gone: zeromicro/go-zero#5595",
		Applies:  isRule, Exact: exactVisitor,
	},
	{
		Name: "continuity/clone", Level: Must,
		Sentence: "A copy of a policy picks as the original does, and neither changes the other.",
		Source:   "the contract of policies.Stateful; a cache that outlives its weights: cloudwego/kitex#1393",
		Applies:  isRule, Exact: exactCloneLives,
	},
}

// isRule holds for whatever is not one of the suite's own parts.
func isRule(c *Claims) bool { return !c.own() }

const lives, moments = 6, 40

// twoLives lets two policies live through the same moments, one of them with
// something in between, and compares their picks.
func (r *Run) twoLives(between func(p policies.Policy, fleet []Server) policies.Policy, why string) Result {
	for k := range uint64(lives) {
		plain, other := r.Subject.Policy(), r.Subject.Policy()
		var fleet []Server
		for at, m := range life(r.Seed+k, moments) {
			if at%3 == 1 {
				r.try("Update", func() { other = between(other, fleet) })
			}
			if m.fleet != nil {
				fleet = m.fleet
			}
			var want, got string
			plain, want = r.live(plain, m)
			other, got = r.live(other, m)
			if want != got {
				return parted(at, want, got, why)
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d lives of %d picks", lives, moments)}
}

func exactIdleUpdate(r *Run) Result {
	return r.twoLives(func(p policies.Policy, fleet []Server) policies.Policy {
		return join(p, fleet)
	}, "with updates that change nothing")
}

func exactVisitor(r *Run) Result {
	return r.twoLives(func(p policies.Policy, fleet []Server) policies.Policy {
		visitor := Server{ID: 1000, Name: "visitor", Weight: 3}
		return join(join(p, append(slices.Clone(fleet), visitor)), fleet)
	}, "after a visitor came and went")
}

// exactCloneLives picks with a copy before every pick of the original.
func exactCloneLives(r *Run) Result {
	for k := range uint64(lives) {
		p := r.Subject.Policy()
		if _, remembers := p.(policies.Stateful); !remembers {
			return Result{Verdict: Holds, Observed: "it says that it has no memory; that is what the laws are computed from"}
		}
		for at, m := range life(r.Seed+k, moments) {
			if m.fleet != nil {
				r.try("Update", func() { p = join(p, m.fleet) })
				m.fleet = nil
			}
			twin, before := r.copyOf(p), stateOf(p)
			twin, copied := r.live(twin, m)
			if after := stateOf(p); after != before {
				return Result{Verdict: Violated, Finding: Impure, Expected: "state " + before, Observed: "state " + after + " after a pick of its copy"}
			}
			var own string
			if p, own = r.live(p, m); own != copied {
				return parted(at, copied, own, "where its copy had the same coins")
			}
			if a, b := stateOf(p), stateOf(twin); a != b {
				return Result{Verdict: Violated, Finding: Impure, Expected: "state " + b, Observed: "state " + a + " after the same moments as its copy"}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d lives of %d picks", lives, moments)}
}
