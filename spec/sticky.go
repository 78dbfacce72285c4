package spec

import (
	"fmt"
	"math/big"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// stickyProperties bind whoever sends a client back to its server.
var stickyProperties = []*Property{
	{
		Name: "sticky/cookie", Level: Must,
		Sentence: "A request whose cookie names an eligible server goes there, whatever the loads.",
		Source:   "definition",
		Applies:  sticks, Exact: exactCookie, Sampled: auditedCookie,
	},
	{
		Name: "sticky/fallback", Level: Must,
		Sentence: "A cookie that names no eligible server is as good as none: the request is picked by the law.",
		Source:   "a cookie that is trusted without a look: traefik/traefik#1299",
		Applies:  func(c *Claims) bool { return c.Sticks && c.Law != nil },
		Exact:    exactCookieFallback, Sampled: auditedCookieFallback, Statistical: true, Delta: 0.1,
		trial: trial{request: Request{Cookie: "nobody"}},
	},
}

func sticks(c *Claims) bool { return c.Sticks }

// sticky is the law for a request with a cookie.
func (r *Run) sticky(p policies.Policy, cookie string, v *policies.Snapshot) *queue.Picks {
	return r.enumerateRequest(p, Request{Cookie: cookie}, v)
}

func exactCookie(r *Run) Result {
	looks := 0
	for n := 1; n <= 4; n++ {
		fleet := fleetOf(n)
		p := r.newPolicy(fleet)
		for mask := 1; mask < 1<<n; mask++ {
			part, _ := masked(fleet, mask)
			for i, s := range part {
				view := idle(part)
				view.Loads[i] = float64(1000 * (mask % 2))
				looks++
				if picks := r.sticky(p, s.Name, view); picks.P[i].Cmp(certain) != 0 {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: s.Name + ", as the cookie says",
						Observed: "picks " + rationals(picks.P), Diagnosis: &Diagnosis{State: describe(part, view.Loads)}}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("for %d cookies", looks)}
}

// exactCookieFallback has cookies of servers that are not eligible, that have
// left, that another one has taken the place of, and of none at all.
func exactCookieFallback(r *Run) Result {
	fleet := fleetOf(5)
	p := join(r.newPolicy(fleet), fleet[1:]) // s0 has left
	view := idle(fleet[2:])                  // s1 is not eligible
	view.Loads = []float64{2, 0, 1}
	want, err := r.Claims.Law.Probabilities(oracle.State{Loads: view.Loads})
	if err != nil {
		panic(fmt.Sprintf("spec: law %v: %v", r.Claims.Law, err))
	}
	for _, cookie := range []string{"", fleet[0].Name, fleet[1].Name, "nobody", "0", "s"} {
		if bad := differs(rationals(want), rationals(r.sticky(p, cookie, view).P), fmt.Sprintf("cookie %q", cookie)); bad != nil {
			return *bad
		}
	}
	back := join(p, fleet)
	if picks := r.sticky(back, fleet[0].Name, idle(fleet)); picks.P[0].Cmp(big.NewRat(1, 1)) != 0 {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: fleet[0].Name + ", which is back", Observed: "picks " + rationals(picks.P)}
	}
	return Result{Verdict: Holds, Observed: "the claimed law for cookies of nobody, of servers that left, and of ineligible ones"}
}

// auditedCookieFallback has the cookie of nobody.
func auditedCookieFallback(r *Run) Result {
	return after("a cookie that names nobody", sampledPickLaw(r))
}

func auditedCookie(r *Run) Result {
	const rounds = 50
	fleet := fleetOf(4)
	a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
	for k := range rounds {
		for i, s := range fleet {
			if got := a.acquire(Request{Cookie: s.Name, Key: key(k)}); got != i {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: s.Name + ", as the cookie says", Observed: fleet[got].Name}
			}
		}
	}
	a.drain()
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d requests with cookies", rounds*len(fleet)), Samples: rounds * len(fleet)}
}
