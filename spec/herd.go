package spec

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
)

// herdProperties keep independent balancers from acting as one.
var herdProperties = []*Property{
	{
		Name: "herd/own-state", Level: Must,
		Sentence: "What another balancer does makes no difference: each goes on from its own last pick.",
		Source:   "one cursor for all pools: spring-cloud/spring-cloud-commons#1013",
		Applies:  isRule, Exact: exactOwnState,
	},
	{
		Name: "herd/first-pick", Level: Must,
		Sentence: "Fresh balancers do not agree on a server: their first picks are spread as the law says.",
		Source:   "hundreds of first requests at one server: openresty/lua-resty-balancer#26, traefik/traefik#9037; one seed for all: zeromicro/go-zero#732",
		Applies:  func(c *Claims) bool { return c.Independent && c.Law != nil && !c.TiesOpen },
		Sampled:  auditedFirstPicks, Statistical: true, Delta: 0.2,
	},
}

// exactOwnState compares the picks of a policy with those of a twin that shares
// the program with another one.
func exactOwnState(r *Run) Result {
	for k := range uint64(lives) {
		alone, among, other := r.Subject.Policy(), r.Subject.Policy(), r.Subject.Policy()
		mine, others := life(r.Seed+k, moments), life(r.Seed+k+1000, moments)
		var picks []string
		for _, m := range mine {
			var pick string
			alone, pick = r.live(alone, m)
			picks = append(picks, pick)
		}
		for at, m := range mine {
			var pick string
			other, _ = r.live(other, others[at])
			if among, pick = r.live(among, m); pick != picks[at] {
				return parted(at, picks[at], pick, "while another balancer picks in between")
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d lives of %d picks", lives, moments)}
}

// auditedFirstPicks builds one instance after another, each with a seed of its
// own, over an idle fleet, and takes the first pick of each. They are
// independent, so the multinomial evidence holds for their counts; their number
// is what the evidence needs to tell the claimed law from any other that is
// Delta away.
func auditedFirstPicks(r *Run) Result {
	fleet := fleetOf(5)
	state := oracle.State{Loads: make([]float64, len(fleet))}
	if readsWeights(r.Claims.Law) {
		for i := range fleet {
			fleet[i].Weight = uint64(1 + i)
		}
		state.Weights = weightsIn(fleet)
	}
	p, err := r.Claims.Law.Probabilities(state)
	if err != nil {
		panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, state, err))
	}
	law := make([]float64, len(p))
	for i, x := range p {
		law[i], _ = x.Float64()
	}
	instances := firstPicksFor(len(fleet), r.Property.Delta, r.Alpha, r.Beta)
	counts := make([]int, len(fleet))
	for k := range instances {
		counts[r.open(Fleet{Servers: fleet, Seed: oracle.Stream(r.Seed, fmt.Sprint("instance ", k))}).probe(Request{})]++
	}
	nats, err := oracle.MultinomialNats(counts, law)
	if err != nil {
		panic(err)
	}
	result := Result{Verdict: Holds, Samples: instances,
		Expected: "first picks as " + rationals(p), Observed: fmt.Sprintf("%v first picks of %d instances", counts, instances),
		Evidence: fmt.Sprintf("%.1f nats, %.1f would convict", nats, math.Log(1/r.Alpha))}
	if nats >= math.Log(1/r.Alpha) {
		result.Verdict, result.Finding = Violated, WrongLaw
	}
	return result
}

// firstPicksFor is how many independent draws of k outcomes convict, except with
// probability beta, any law that is delta away from the claimed one.
//
// The evidence of n draws is at least n·KL(frequencies||claim) less the price of
// mixing all laws, (k-1)/2·ln n + ln k (Krichevsky and Trofimov 1981). By Pinsker
// KL is at least 2·TV², and the frequencies are further than x from the truth with
// probability 2^k·exp(-2nx²) at most (Hoeffding, over all sets of outcomes).
func firstPicksFor(k int, delta, alpha, beta float64) int {
	for n := 100; ; n += 100 {
		x := math.Sqrt((float64(k)*math.Ln2 - math.Log(beta)) / (2 * float64(n)))
		price := float64(k-1)/2*math.Log(float64(n)) + math.Log(float64(k))
		if x < delta && 2*float64(n)*(delta-x)*(delta-x) >= price-math.Log(alpha) {
			return n
		}
	}
}
