package spec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/picklaw/picklaw/policies"
)

// envoyProperties bind schedules that loads slow down.
var envoyProperties = []*Property{
	{
		Name: "envoy-weighted/first-pick", Level: Must,
		Sentence: "The first pick is at a server in proportion to weight/(in flight + 1)^bias.",
		Source:   "Envoy documentation, weighted least request; the heavy served first: envoyproxy/envoy#10064",
		Applies:  slowsByLoad, Exact: exactEnvoyFirst,
	},
	{
		Name: "envoy-weighted/schedule", Level: Must,
		Sentence: "From then on a server is due (in flight + 1)^bias/weight after its last pick, half of that after it joined, and whoever is due first is picked.",
		Source:   "the same; a deadline that nobody computes anew: envoyproxy/envoy#19526; weights that change without effect: envoyproxy/envoy#14360",
		Applies:  slowsByLoad, Exact: exactEnvoySchedule,
	},
}

func slowsByLoad(c *Claims) bool { return c.SlowsByLoad != nil }

// period is the time between two picks of a server, rounded once or twice: an
// error of 2^-51 of it at most.
func (r *Run) period(load float64, weight uint64) *big.Rat {
	slow := new(big.Rat).SetFloat64(math.Pow(load+1, *r.Claims.SlowsByLoad))
	return slow.Quo(slow, new(big.Rat).SetInt(new(big.Int).SetUint64(weight)))
}

// exactEnvoyFirst compares with effective weights, which a coin of whole numbers
// can only approach: with 2^16 parts for the weight of 1 that is slowed least,
// every part of the n is off by 1/2 at most, and a probability by (n+1)/2 of
// 2^16.
func exactEnvoyFirst(r *Run) Result {
	states := 0
	for k, loads := range loadVectors(r.Seed) {
		if k%3 != 0 {
			continue
		}
		fleet := fleetOf(len(loads))
		for i, w := range someWeights.Example(int(r.Seed>>1) + k)[:len(loads)] {
			fleet[i].Weight = w
		}
		want, sum := make([]*big.Rat, len(loads)), new(big.Rat)
		for i, s := range fleet {
			want[i] = new(big.Rat).Inv(r.period(loads[i], s.Weight))
			sum.Add(sum, want[i])
		}
		picks := r.lawOf(r.newPolicy(fleet), &policies.Snapshot{Servers: fleet, Loads: loads})
		bound := big.NewRat(int64(len(loads)+1), 2<<16)
		for i := range want {
			want[i].Quo(want[i], sum)
			if off := new(big.Rat).Sub(want[i], picks.P[i]); off.Abs(off).Cmp(bound) > 0 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "picks " + rationals(want), Observed: "picks " + rationals(picks.P),
					Evidence: "further apart than " + bound.RatString(), Diagnosis: &Diagnosis{State: describe(fleet, loads)}}
			}
		}
		states++
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d states, to the resolution of the coin", states)}
}

// exactEnvoySchedule keeps deadlines beside the policy, in rational numbers and
// on an absolute clock, while loads change with every pick, servers come and go,
// and some are not eligible now and then. The policy keeps them relative, in
// floating point: each pick rounds a deadline by 2^-53 of it, so after m picks it
// is off by m·2^-51 of the longest period with room to spare. Whoever is picked
// must be due first, give or take that.
func exactEnvoySchedule(r *Run) Result {
	const picks = 400
	random := rand.New(rand.NewPCG(r.Seed, 0))
	for range 6 {
		all := fleetOf(6)
		for i := range all {
			all[i].Weight = uint64(1 + random.IntN(12))
		}
		longest := r.period(8, 1)
		slack := new(big.Rat).Mul(longest, big.NewRat(picks, 1<<51))
		p := r.Subject.Policy()
		now, due := new(big.Rat), make(map[ServerID]*big.Rat)
		var members []Server
		for k := range picks {
			if k%40 == 0 { // everybody but one, in turn
				members = without(all, random.IntN(len(all)))
				r.try("Update", func() { p = join(p, members) })
				for _, s := range all {
					if !containsID(members, s.ID) {
						delete(due, s.ID)
					}
				}
			}
			view := &policies.Snapshot{}
			for j, s := range members {
				if j == k%len(members) || random.IntN(5) > 0 {
					view.Servers = append(view.Servers, s)
					view.Loads = append(view.Loads, float64(random.IntN(9)))
				}
			}
			var first *big.Rat
			for i, s := range view.Servers {
				if due[s.ID] == nil {
					wait := r.period(view.Loads[i], s.Weight)
					due[s.ID] = wait.Add(now, wait.Quo(wait, big.NewRat(2, 1)))
				}
				if due[s.ID].Cmp(now) < 0 {
					due[s.ID] = now // overdue while it was not eligible
				}
				if first == nil || due[s.ID].Cmp(first) < 0 {
					first = due[s.ID]
				}
			}
			i := r.turns(p, view, r.Seed+uint64(k), 1)[0]
			picked := view.Servers[i]
			if late := new(big.Rat).Sub(due[picked.ID], first); k > 0 && late.Cmp(slack) > 0 {
				text := ""
				for j, s := range view.Servers {
					wait, _ := new(big.Rat).Sub(due[s.ID], now).Float64()
					text += fmt.Sprintf("; %s in %.6f, load %v, weight %d", s.Name, wait, view.Loads[j], s.Weight)
				}
				return Result{Verdict: Violated, Finding: BrokenSequence, Expected: "whoever is due first" + text,
					Observed: fmt.Sprintf("%s at pick %d", picked.Name, k+1)}
			}
			if k > 0 {
				now = due[picked.ID]
			}
			due[picked.ID] = new(big.Rat).Add(now, r.period(view.Loads[i], picked.Weight))
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("6 times %d picks", picks)}
}

func containsID(fleet []Server, id ServerID) bool {
	for _, s := range fleet {
		if s.ID == id {
			return true
		}
	}
	return false
}
