package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// remapProperties hold schemes against the part of the keys that they move.
var remapProperties = []*Property{
	{
		Name: "keys/remap", Level: Must,
		Sentence: "When a server joins, a key moves with the probability that the scheme has over random hashes: 1/(n+1) at the least, n/(n+1) for hash mod N.",
		Source:   "Karger et al. 1997; Thaler and Ravishankar 1998; oracle.Remap",
		Applies:  func(c *Claims) bool { return c.Remaps != "" },
		Exact:    exactRemap, Statistical: true, Delta: 0.2,
	},
	{
		Name: "keys/weights", Level: Must,
		Sentence: "Over random hashes, a server owns a key with probability weight/sum, to within a hundredth.",
		Source:   "a table of weights 1 and 10 that is split 1:1: facebookincubator/katran#35; names that run into numbers: uber-node/ringpop-node#241",
		Applies:  func(c *Claims) bool { return sparesKeys(c) && c.Weighted },
		Exact:    exactKeyWeights, Statistical: true, Delta: 0.2,
	},
}

// exactRemap names a new fleet for every trial and asks for one key before and
// after a join. A hash is as good as random, so trials are independent and the
// number of keys that moved is binomial, exactly.
func exactRemap(r *Run) Result {
	const n = 3
	trials := r.trials(r.Alpha)
	expected := oracle.Remap{Scheme: r.Claims.Remaps, N: n}.Join()
	random := rand.New(rand.NewPCG(r.Seed, 0))
	moved := 0
	for range trials {
		fleet := renamed(fleetOf(n+1), random)
		joining := random.IntN(n + 1)
		rest := without(fleet, joining)
		q := Request{Key: fmt.Sprintf("%x", random.Uint64())}
		p := r.newPolicy(rest)
		before := rest[r.owner(p, q, rest)].Name
		if fleet[r.owner(policies.Join(p, fleet), q, fleet)].Name != before {
			moved++
		}
	}
	probability, _ := expected.Float64()
	p, err := oracle.BinomialTest(moved, trials, probability)
	if err != nil {
		panic(err)
	}
	result := Result{Verdict: Holds, Samples: trials,
		Expected: fmt.Sprintf("%s of the keys", expected.RatString()),
		Observed: fmt.Sprintf("%d of %d keys moved when one server joined %d", moved, trials, n),
		Evidence: fmt.Sprintf("p = %.2g, and %.2g convicts", p, r.Alpha)}
	if p < r.Alpha {
		result.Verdict, result.Finding = Violated, WrongLaw
	}
	return result
}

// trials is how many of them tell a probability that is Delta off, by Hoeffding:
// m trials with 2·m·Delta² of (√ln(2/alpha) + √ln(1/beta))².
func (r *Run) trials(alpha float64) int {
	spread := math.Sqrt(math.Log(2/alpha)) + math.Sqrt(math.Log(1/r.Beta))
	return int(math.Ceil(spread * spread / (2 * r.Property.Delta * r.Property.Delta)))
}

// renamed gives a fleet names that nobody has seen before. Each is the beginning
// of the next, which makes points of two servers one where names and numbers are
// joined without anything in between.
func renamed(fleet []Server, random *rand.Rand) []Server {
	name := fmt.Sprintf("%x", random.Uint64())
	for i := range fleet {
		fleet[i].Name = name
		name += "1"
	}
	return fleet
}

// owner is the index of the server of a key.
func (r *Run) owner(p policies.Policy, q Request, members []Server) (i int) {
	r.try("Pick", func() { i = p.Pick(q, idle(members), policies.NewCoins(r.Seed)) })
	if i < 0 || i >= len(members) {
		panic(&fault{OutOfRange, fmt.Sprintf("%s over %d servers went to index %d", q.Key, len(members), i)})
	}
	return i
}

// exactKeyWeights asks for one key of each of many fleets that differ in nothing
// but their names, as exactRemap does. One of them has weight 0, and is not eligible.
func exactKeyWeights(r *Run) Result {
	const within = 0.01
	weights := []uint64{3, 1, 0}
	sum, alpha := 4.0, r.Alpha/float64(len(weights))
	trials := r.trials(alpha)
	random := rand.New(rand.NewPCG(r.Seed, 0))
	owned := make([]int, len(weights))
	for range trials {
		fleet := renamed(weigh(weights...), random)
		eligible := without(fleet, 2)
		i := r.owner(r.newPolicy(fleet), Request{Key: fmt.Sprintf("%x", random.Uint64())}, eligible)
		owned[slices.Index(ids(fleet), eligible[i].ID)]++
	}
	for i, w := range weights {
		share, observed := float64(w)/sum, float64(owned[i])/float64(trials)
		nearest := min(max(observed, share-within), share+within, 1)
		p, err := oracle.BinomialTest(owned[i], trials, nearest)
		if err != nil {
			panic(err)
		}
		if w > 0 && p < alpha {
			return Result{Verdict: Violated, Finding: WrongLaw, Samples: trials, Expected: fmt.Sprintf("%.3f of the keys for weight %d of %v", share, w, weights),
				Observed: fmt.Sprintf("%v of %d keys", owned, trials), Evidence: fmt.Sprintf("p = %.2g, and %.2g convicts", p, alpha)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%v of %d keys for weights %v", owned, trials, weights), Samples: trials}
}
