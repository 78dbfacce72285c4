package spec

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// weightedProperties bind whoever claims that shares follow weights. Those that
// route by key have properties of their own.
var weightedProperties = []*Property{
	{
		Name: "weighted/first-pick", Level: Must,
		Sentence: "The first pick of a fresh balancer is at a server with probability weight/sum, whatever the weights.",
		Source:   "the heavy served first: envoyproxy/envoy#10064, openresty/lua-resty-balancer#47; a sum that wraps: grpc/grpc-go#9357",
		Applies:  sharesByWeight, Exact: exactWeightedFirst,
	},
	{
		Name: "weighted/rebuilds", Level: Must,
		Sentence: "However often a balancer is rebuilt, shares follow the weights: each of the first picks of a fresh one does.",
		Source:   "weights that only count in the long run: envoyproxy/envoy#10064, #31378",
		Applies:  sharesByWeight, Exact: exactRebuilds,
	},
	{
		Name: "weighted/window", Level: Must,
		Sentence: "Any sum/gcd picks in a row hold exactly weight/gcd of every server.",
		Source:   "Sysoev 2012; a level raised on every call: apache/dubbo#14",
		Applies:  rotatesByWeight, Exact: exactWeightedWindow, Sampled: auditedWeightedWindow,
	},
	{
		Name: "weighted/huge", Level: Must,
		Sentence: "Weights up to the largest that a fleet may have are counted exactly and in bounded time.",
		Source:   "numeric; envoyproxy/envoy#19526; grpc/grpc-go#9357",
		Applies:  rotatesByWeight, Exact: exactHugeWeights, Sampled: auditedHugeWeights,
	},
	{
		Name: "weighted/eligible", Level: Must,
		Sentence: "While some servers are not eligible the others share by their weights, and when they are back everything is as before.",
		Source:   "no pick found: mosn/mosn#1867; a weight forgotten: traefik/traefik#2986",
		Applies:  rotatesByWeight, Exact: exactWeightedEligible, Sampled: auditedWeightedEligible,
	},
	{
		Name: "weighted/update", Level: Must,
		Sentence: "From a change of the weights on, shares follow the new ones.",
		Source:   "the old ones stay in force: weibocom/nginx-upsync-module#28, cloudwego/kitex#1393, envoyproxy/envoy#14360",
		Applies:  sharesByWeight, Exact: exactWeightsUpdate,
		Sampled: auditedWeightsUpdate, Statistical: true, Delta: 0.1, trial: trial{fleets: reweighted},
	},
	{
		Name: "weighted/ramp", Level: Must,
		Sentence: "A server whose weight grows with every pick gets what its weights add up to, and not more.",
		Source:   "credit forgiven at each change: apache/dubbo#15762; a deadline from long ago: envoyproxy/envoy#19526",
		Applies:  rotatesByWeight, Exact: exactRamp, Sampled: auditedRamp,
	},
	{
		Name: "weighted/zero", Level: Must,
		Sentence: "A server of weight 0 gets nothing while others have weights; when none has, every request is refused.",
		Source:   "one request in each cycle: traefik/traefik#1294; now and then: traefik/traefik#4527; a division by 0: haproxy/haproxy#126",
		Applies:  sharesByWeight, Sampled: auditedZeroWeights,
	},
}

func sharesByWeight(c *Claims) bool { return c.Weighted && !hashesKeys(c) }

func rotatesByWeight(c *Claims) bool { return c.Rotates }

// weigh is a fleet of these weights.
func weigh(weights ...uint64) []Server {
	fleet := fleetOf(len(weights))
	for i, w := range weights {
		fleet[i].Weight = w
	}
	return fleet
}

// idle is a view of servers without load.
func idle(fleet []Server) *policies.Snapshot {
	return &policies.Snapshot{Servers: fleet, Loads: make([]float64, len(fleet))}
}

// someWeightings are unequal, with and without common divisors.
var someWeightings = [][]uint64{
	{1}, {3, 1}, {1, 1, 1}, {5, 1, 1}, {1, 2, 3, 10}, {10, 128, 128}, {6, 9, 12}, {1, 60}, {7, 3, 2, 1, 1},
}

// hugeWeightings straddle the widths of integers, one by one and in their sum.
var hugeWeightings = [][]uint64{
	{1 << 31, 1 << 31}, {policies.MaxWeight, 1}, {policies.MaxWeight, policies.MaxWeight, policies.MaxWeight},
	{policies.MaxWeight, policies.MaxWeight / 2, 1}, {1, policies.MaxWeight - 1, 3 << 20}, {3 << 20, 5 << 20},
}

func total(fleet []Server) *big.Int {
	sum := new(big.Int)
	for _, s := range fleet {
		sum.Add(sum, new(big.Int).SetUint64(s.Weight))
	}
	return sum
}

// shares are weight/sum.
func shares(fleet []Server) []*big.Rat {
	all := make([]*big.Rat, len(fleet))
	for i, s := range fleet {
		all[i] = new(big.Rat).SetFrac(new(big.Int).SetUint64(s.Weight), total(fleet))
	}
	return all
}

func weightsIn(fleet []Server) []uint64 {
	weights := make([]uint64, len(fleet))
	for i, s := range fleet {
		weights[i] = s.Weight
	}
	return weights
}

func exactWeightedFirst(r *Run) Result {
	judged := 0
	for _, weights := range slices.Concat(someWeightings, hugeWeightings) {
		fleet := weigh(weights...)
		picks, err := r.tryEnumerate(r.newPolicy(fleet), Request{}, idle(fleet), queue.MaxLeaves(1<<12))
		if tooMany(err) {
			continue // a phase drawn from billions; weighted/huge counts what follows
		}
		if err != nil {
			panic(faultOf(err))
		}
		if bad := differs(rationals(shares(fleet)), rationals(picks.P), fmt.Sprintf("first pick, weights %v", weights)); bad != nil {
			return *bad
		}
		judged++
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("weight/sum at %d fleets", judged)}
}

// exactRebuilds follows a fresh policy through its first picks, over every
// outcome of its coins: the law of each of them is that of a pick at a random
// moment, so k picks after each of many rebuilds add up to k·weight/sum.
func exactRebuilds(r *Run) Result {
	const first = 6
	for _, weights := range someWeightings {
		fleet := weigh(weights...)
		view := idle(fleet)
		states := belief{{r.newPolicy(fleet), big.NewRat(1, 1)}}
		for k := range first {
			next := make([]belief, len(fleet))
			law, err := r.mixture(states, view, next)
			if err != nil {
				panic(faultOf(err))
			}
			if bad := differs(rationals(shares(fleet)), rationals(law.P),
				fmt.Sprintf("pick %d after a rebuild, weights %v", k+1, weights)); bad != nil {
				return *bad
			}
			if after := slices.Concat(next...); len(after) > 0 {
				states = after
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("weight/sum at each of the first %d picks, at %d fleets", first, len(someWeightings))}
}

func exactWeightedWindow(r *Run) Result {
	for _, weights := range someWeightings {
		fleet := weigh(weights...)
		for seed := range uint64(5) { // several phases
			turns := r.turns(r.newPolicy(fleet), idle(fleet), r.Seed+seed, 3*cycleOf(fleet)+1)
			if bad := weightedWindow(turns, fleet); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("every window of %d fleets", len(someWeightings))}
}

// divisorOf is the greatest common divisor of the weights.
func divisorOf(fleet []Server) uint64 {
	divisor := new(big.Int)
	for _, s := range fleet {
		divisor.GCD(nil, nil, divisor, new(big.Int).SetUint64(s.Weight))
	}
	return divisor.Uint64()
}

// cycleOf is sum/gcd.
func cycleOf(fleet []Server) int {
	cycle := 0
	for _, s := range fleet {
		cycle += int(s.Weight / divisorOf(fleet))
	}
	return cycle
}

// weightedWindow judges a sequence of picks that rotates by weight.
func weightedWindow(turns []int, fleet []Server) *Result {
	divisor, cycle := divisorOf(fleet), cycleOf(fleet)
	counts := make([]int, len(fleet))
	for k, i := range turns {
		counts[i]++
		if k >= cycle {
			counts[turns[k-cycle]]--
		}
		if k < cycle-1 {
			continue
		}
		for i, s := range fleet {
			if want := int(s.Weight / divisor); counts[i] != want {
				return &Result{Verdict: Violated, Finding: BrokenSequence, Samples: len(turns),
					Expected: fmt.Sprintf("%d of %s in %d picks", want, s.Name, cycle),
					Observed: fmt.Sprintf("%d in picks %d to %d, weights %v", counts[i], k-cycle+2, k+1, weightsIn(fleet))}
			}
		}
	}
	return nil
}

// A ledger holds picks against the sum of the shares that were due. That sum is
// rounded: over m picks, m additions of at most 2^-53·m each. For the thousands
// of picks taken here that is below 1e-8, which slack covers.
type ledger struct {
	due    map[ServerID]float64
	picked map[ServerID]float64
	bound  int // by how many picks a server may be off
}

const slack = 1e-8

func newLedger(bound int) *ledger {
	return &ledger{make(map[ServerID]float64), make(map[ServerID]float64), bound}
}

// take makes some picks among the eligible servers and returns what is wrong.
func (l *ledger) take(r *Run, p policies.Policy, eligible []Server, seed uint64, picks int, doing string) *Result {
	return l.enter(r.turns(p, idle(eligible), seed, picks), eligible, doing)
}

// enter enters picks among the eligible servers, and returns what is wrong.
func (l *ledger) enter(turns []int, eligible []Server, doing string) *Result {
	sum := 0.0
	for _, s := range eligible {
		sum += float64(s.Weight)
	}
	for _, i := range turns {
		for _, s := range eligible {
			l.due[s.ID] += float64(s.Weight) / sum
		}
		l.picked[eligible[i].ID]++
	}
	for _, s := range eligible {
		if math.Abs(l.due[s.ID]-l.picked[s.ID]) > float64(l.bound)+slack {
			return &Result{Verdict: Violated, Finding: BrokenSequence,
				Expected: fmt.Sprintf("%.1f picks of %s, give or take %d", l.due[s.ID], s.Name, l.bound),
				Observed: fmt.Sprintf("%.0f: %s, weights %v", l.picked[s.ID], doing, weightsIn(eligible))}
		}
	}
	return nil
}
