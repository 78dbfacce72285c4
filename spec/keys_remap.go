package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

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
		Exact:    exactRemap, Statistical: true, Delta: 0.05,
	},
	{
		Name: "keys/weights", Level: Must,
		Sentence: "Over random hashes, a server owns a key with probability weight/sum: exactly on a ring and by rendezvous, to within 2n places in a Maglev table, to within a hundredth otherwise.",
		Source:   "a table of weights 1 and 10 that is split 1:1: facebookincubator/katran#35; names that run into numbers: uber-node/ringpop-node#241",
		Applies:  func(c *Claims) bool { return sparesKeys(c) && c.Weighted },
		Exact:    exactKeyWeights, Statistical: true, Delta: 0.03,
	},
}

// keyTrials are so many fleets with new names, each asked for so many new keys.
// A hash is as good as random, so fleets are independent, and the keys of one
// fleet given its names.
type keyTrials struct {
	fleets, keys int
	proxy        float64 // variance proxy of the part of the keys of one fleet
}

// trialsOf plans trials of fleets of these weights that tell a part that is
// delta off.
//
// A share X of the scheme has a variance proxy s over the names, and the part Y
// of k keys 1/4k around X (Hoeffding 1963). Together E exp(t (Y - E X)) is
// E[exp(t (X - E X)) E[exp(t (Y - X)) | X]] <= exp(t² (s + 1/4k)/2), so Y has the
// proxy s + 1/4k, and the mean of m of them is x or more off with probability
// 2·exp(-m x²/2(s + 1/4k)) at most. An error of alpha here and of beta there add up
// to m·delta² = 2 (s + 1/4k) (√ln(2/alpha) + √ln(1/beta))². Of a scheme that
// nothing is known of, a key a fleet is asked for, whose proxy is 1/4.
func (r *Run) trialsOf(weights []uint64, alpha, delta float64) keyTrials {
	t := keyTrials{keys: 1, proxy: 0.25}
	if s := r.Claims.Shares; s.Scheme == "" {
		delta = blurred
	} else {
		spread := s.Proxy(weights)
		t.keys = 1000
		if spread > 0 { // as many as make both parts equal
			t.keys = int(math.Ceil(1 / (4 * spread)))
		}
		t.proxy = spread + 1/(4*float64(t.keys))
	}
	width := math.Sqrt(math.Log(2/alpha)) + math.Sqrt(math.Log(1/r.Beta))
	t.fleets = int(math.Ceil(2 * t.proxy * width * width / (delta * delta)))
	return t
}

// blurred is the smallest wrongness that trials of one key each must not miss.
const blurred = 0.2

// radius is how far off the mean is with probability alpha at most.
func (t keyTrials) radius(alpha float64) float64 {
	return math.Sqrt(2 * t.proxy * math.Log(2/alpha) / float64(t.fleets))
}

// total is the number of keys.
func (t keyTrials) total() int { return t.fleets * t.keys }

// newKeys draws keys that nobody has seen before.
func newKeys(random *rand.Rand, n int) []string {
	keys := make([]string, n)
	for k := range keys {
		keys[k] = strconv.FormatUint(random.Uint64(), 16)
	}
	return keys
}

// ownersOf are the indices of the servers of some keys.
func (r *Run) ownersOf(p policies.Policy, keys []string, members []Server) []int {
	view, coins, all := idle(members), policies.NewCoins(r.Seed), make([]int, len(keys))
	r.try("Pick", func() {
		for k, key := range keys {
			if all[k] = p.Pick(Request{Key: key}, view, coins); all[k] < 0 || all[k] >= len(members) {
				panic(&fault{OutOfRange, fmt.Sprintf("%s over %d servers went to index %d", key, len(members), all[k])})
			}
		}
	})
	return all
}

// exactRemap asks for the same keys before and after a join.
func exactRemap(r *Run) Result {
	const n = 3
	t := r.trialsOf([]uint64{1, 1, 1, 1}, r.Alpha, r.Property.Delta)
	expected := oracle.Remap{Scheme: r.Claims.Remaps, N: n}.Join()
	random := rand.New(rand.NewPCG(r.Seed, 0))
	moved := 0
	for range t.fleets {
		fleet, keys := renamed(fleetOf(n+1), random), newKeys(random, t.keys)
		joining := random.IntN(n + 1)
		rest := without(fleet, joining)
		p := r.newPolicy(rest)
		before := r.ownersOf(p, keys, rest)
		for k, i := range r.ownersOf(join(p, fleet), keys, fleet) {
			if fleet[i].Name != rest[before[k]].Name {
				moved++
			}
		}
	}
	share, _ := expected.Float64()
	return t.judge(moved, share, 0, r.Alpha, fmt.Sprintf("of the keys move when one server joins %d", n))
}

// judge holds a number of keys against an expected part of all, which is known
// up to a bias.
func (t keyTrials) judge(keys int, share, bias, alpha float64, what string) Result {
	observed := float64(keys) / float64(t.total())
	result := Result{Verdict: Holds, Samples: t.total(),
		Expected: fmt.Sprintf("%.4f, give or take %.4f, %s", share, bias, what),
		Observed: fmt.Sprintf("%.4f, %d of %d keys of %d fleets", observed, keys, t.total(), t.fleets),
		Evidence: fmt.Sprintf("more than %.4f away convicts, a false alarm with probability %.2g at most", bias+t.radius(alpha), alpha)}
	if math.Abs(observed-share) > bias+t.radius(alpha) {
		result.Verdict, result.Finding = Violated, WrongLaw
	}
	return result
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

// exactKeyWeights has a server of weight 0, which is not eligible.
func exactKeyWeights(r *Run) Result {
	return r.judgeKeyWeights([]uint64{3, 1, 0}, 0)
}

// judgeKeyWeights holds the shares of servers of some weights against
// weight/sum.
func (r *Run) judgeKeyWeights(weights []uint64, stream uint64) Result {
	sum, alpha, bias := uint64(0), r.Alpha/float64(len(weights)), blurredBias
	for _, w := range weights {
		sum += w
	}
	if s := r.Claims.Shares; s.Scheme != "" {
		bias = s.Bias(weights)
	}
	t := r.trialsOf(weights, alpha, r.Property.Delta)
	random := rand.New(rand.NewPCG(r.Seed, stream))
	owned := make([]int, len(weights))
	for range t.fleets {
		fleet := renamed(weigh(weights...), random)
		eligible := slices.DeleteFunc(slices.Clone(fleet), func(s Server) bool { return s.Weight == 0 })
		for _, i := range r.ownersOf(r.newPolicy(fleet), newKeys(random, t.keys), eligible) {
			owned[slices.IndexFunc(fleet, func(s Server) bool { return s.ID == eligible[i].ID })]++
		}
	}
	for i, w := range weights {
		result := t.judge(owned[i], float64(w)/float64(sum), bias, alpha, fmt.Sprintf("of the keys for weight %d of %v", w, weights))
		if result.Verdict != Holds && w > 0 {
			return result
		}
	}
	return Result{Verdict: Holds, Samples: t.total(), Observed: fmt.Sprintf("%v of %d keys for weights %v, within %.4f", owned, t.total(), weights, bias+t.radius(alpha))}
}

// blurredBias is what the mean share of a scheme that nothing is known of may be
// off.
const blurredBias = 0.01
