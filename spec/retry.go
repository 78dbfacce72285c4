package spec

import (
	"context"
	"fmt"
	"slices"
)

// retryProperties bind whoever honours the servers that a request has tried.
var retryProperties = []*Property{
	{
		Name: "retry/plan", Level: Must,
		Sentence: "A request that fails everywhere visits each eligible server exactly once and is then refused, whatever other requests do in between.",
		Source:   "the same server listed twice: apache/cassandra-nodejs-driver#78; the failed one again: kubernetes/ingress-nginx#6632",
		Applies:  func(c *Claims) bool { return c.Retries }, Sampled: auditedPlans,
	},
	{
		Name: "retry/untried", Level: Must,
		Sentence: "Servers that one request has tried are open to all others.",
		Source:   "an exclusion that outlives its request",
		Applies:  func(c *Claims) bool { return c.Retries }, Sampled: auditedUntried,
	},
}

// auditedPlans keeps several requests open at a time, which take turns in drawn
// order, over fleets with and without a server of weight 0.
func auditedPlans(r *Run) Result {
	plans := 0
	for n := 1; n <= 6; n++ {
		fleet := fleetOf(n)
		if n > 3 {
			fleet[1].Weight = 0
		}
		eligible := slices.DeleteFunc(ids(fleet), func(id ServerID) bool { return n > 3 && id == fleet[1].ID })
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed + uint64(n)})
		const open = 3
		tried := make([][]ServerID, open)
		for step := 0; step < 2*open*(n+1); step++ {
			which := (step*step + step/2) % open
			q := Request{Key: key(which), Tried: tried[which]}
			i, l, err := a.tryPick(context.Background(), q)
			switch all := len(tried[which]) == len(eligible); {
			case all && err == nil:
				return Result{Verdict: Violated, Finding: Ineligible, Expected: "a refusal, since every server has been tried",
					Observed: fmt.Sprintf("%s, tried before: %v of %v", fleet[i].Name, tried[which], eligible)}
			case all:
				slices.Sort(tried[which])
				if !slices.Equal(tried[which], eligible) {
					panic(fmt.Sprintf("spec: %v are no plan over %v", tried[which], eligible))
				}
				tried[which] = nil
				plans++
				continue
			case err != nil:
				return Result{Verdict: Violated, Finding: Refused, Expected: fmt.Sprintf("one of %v", eligible),
					Observed: fmt.Sprintf("refused after %v: %v", tried[which], err)}
			}
			a.end(l, Outcome{Failed: true})
			if slices.Contains(tried[which], fleet[i].ID) {
				return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("none of %v", tried[which]),
					Observed: fmt.Sprintf("%s again", fleet[i].Name)}
			}
			tried[which] = append(slices.Clone(tried[which]), fleet[i].ID)
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d plans, three at a time", plans), Samples: plans}
}

// auditedUntried has one request after another that has tried all servers but
// one: each must get that one, which the requests before it had tried.
func auditedUntried(r *Run) Result {
	const n, rounds = 4, 5
	fleet := fleetOf(n)
	a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
	for k := range rounds {
		for j := range fleet {
			i, l := a.pick(context.Background(), Request{Key: key(k), Tried: ids(without(fleet, j))})
			a.end(l, Outcome{Failed: k%2 == 0})
			if i != j {
				return Result{Verdict: Violated, Finding: Ineligible, Expected: fleet[j].Name + ", the only one untried", Observed: fleet[i].Name}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d requests, each with one server left", n*rounds), Samples: n * rounds}
}
