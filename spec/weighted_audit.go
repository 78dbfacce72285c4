package spec

import (
	"fmt"
	"slices"
)

// What follows asks a black box for what weighted.go and weighted_change.go ask a
// bare rule for, within the same bounds. Servers that are not eligible have a
// weight of 0 meanwhile, which takes an update.

var withoutUpdate = Result{Verdict: NotClaimed, Observed: "it has no Update"}

// updates tells whether the subject has an Update.
func (r *Run) updates() bool {
	_, ok := r.open(Fleet{Servers: fleetOf(2), Seed: r.Seed}).picker.(Updater)
	return ok
}

// turnsAmong takes picks and returns them by index among the eligible servers.
func (a *auditor) turnsAmong(eligible []Server, picks int) []int {
	turns := a.turnsOf(picks)
	for k, i := range turns {
		turns[k] = slices.IndexFunc(eligible, func(s Server) bool { return s.ID == a.fleet[i].ID })
	}
	return turns
}

func withWeight(fleet []Server) []Server {
	return slices.DeleteFunc(slices.Clone(fleet), func(s Server) bool { return s.Weight == 0 })
}

func auditedWeightedWindow(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	samples := 0
	for _, weights := range someWeightings {
		fleet := weigh(weights...)
		for seed := range uint64(3) { // several phases
			turns := r.open(Fleet{Servers: fleet, Seed: r.Seed + seed}).turnsOf(3*cycleOf(fleet) + 1)
			samples += len(turns)
			if bad := weightedWindow(turns, fleet); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("every window of %d fleets", len(someWeightings)), Samples: samples}
}

func auditedHugeWeights(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	const picks = 400
	for _, weights := range hugeWeightings {
		fleet := weigh(weights...)
		a, l := r.open(Fleet{Servers: fleet, Seed: r.Seed}), newLedger(quotaBound(len(fleet)))
		for range 20 {
			if bad := l.enter(a.turnsOf(picks/20), fleet, "from the start"); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d picks at %d fleets", picks, len(hugeWeightings)), Samples: picks * len(hugeWeightings)}
}

// auditedWeightedEligible takes the weight of every proper part of a fleet away
// for a while, several times in a row.
func auditedWeightedEligible(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	if !r.updates() {
		return withoutUpdate
	}
	samples, parts := 0, 0
	for _, weights := range [][]uint64{{100, 1}, {5, 1, 1}, {1, 2, 3, 10}} {
		whole := weigh(weights...)
		sum := int(total(whole).Int64())
		for mask := 1; mask < 1<<len(whole)-1; mask++ {
			some := slices.Clone(whole)
			for i := range some {
				if mask&(1<<i) == 0 {
					some[i].Weight = 0
				}
			}
			a := r.open(Fleet{Servers: whole, Seed: r.Seed + uint64(mask)})
			for round := range 3 {
				for _, fleet := range [][]Server{some, whole} {
					a = a.change(fleet)
					eligible := withWeight(fleet)
					turns := a.turnsAmong(eligible, 60+3*sum+round)
					samples += len(turns)
					doing := fmt.Sprintf("round %d, %d of %d servers eligible", round+1, len(eligible), len(whole))
					if bad := newLedger(absenceBound(len(whole))).enter(turns, eligible, doing); bad != nil {
						return *bad
					}
				}
			}
			parts++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d parts of 3 fleets", parts), Samples: samples}
}

// reweighted is the fleet that a walk through weights ends at.
func reweighted(*Run) [][]Server { return [][]Server{weigh(4, 1, 2, 1)} }

// auditedWeightsUpdate walks through weights. A rotation keeps its quota under
// each of them; of another balancer the law is judged at the end of a walk.
func auditedWeightsUpdate(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	if !r.updates() {
		return withoutUpdate
	}
	if !r.Claims.Rotates {
		if r.Claims.Law == nil || !readsWeights(r.Claims.Law) || rotates(r.Claims.Law) {
			return Result{Verdict: NotClaimed, Observed: "it claims neither a rotation nor a law that reads weights"}
		}
		result := r.judgeLaw(func(a *auditor, _ int) {
			last := a.fleet
			for _, fleet := range [][]Server{weigh(1, 1, 1, 1), weigh(1, 9, 1, 1), weigh(4, 0, 2, 1), weigh(1, 4, 1, 2), last} {
				a.change(fleet)
				for range 20 {
					a.probe(Request{})
				}
			}
			a.history = nil // under other weights
		}, nil)
		return after("its weights were others", result)
	}
	samples := 0
	for _, walk := range changes {
		absent := slices.ContainsFunc(walk, func(weights []uint64) bool { return slices.Contains(weights, 0) })
		for before := range 8 {
			a := r.open(Fleet{Servers: weigh(walk[0]...), Seed: r.Seed + uint64(before)})
			for step, weights := range walk {
				fleet := weigh(weights...)
				bound, picks := quotaBound(len(fleet)), before
				if absent {
					bound = absenceBound(len(fleet))
				}
				eligible := withWeight(fleet)
				if step > 0 {
					picks = 80 + 8*int(total(eligible).Int64())
					a = a.change(fleet)
				}
				turns := a.turnsAmong(eligible, picks)
				samples += len(turns)
				if bad := newLedger(bound).enter(turns, eligible, fmt.Sprintf("after update %d of the weights", step)); bad != nil {
					return *bad
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d walks through weights", len(changes)), Samples: samples}
}

// auditedRamp lets the weight of a newcomer grow, with an update before every
// pick.
func auditedRamp(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	if !r.updates() {
		return withoutUpdate
	}
	const picks = 1500
	fleet := weigh(1000, 1000, 1)
	a, l := r.open(Fleet{Servers: fleet[:2], Seed: r.Seed}), newLedger(rampBound(len(fleet)))
	a.turnsOf(5)
	for k := range picks {
		fleet = slices.Clone(fleet)
		fleet[2].Weight = uint64(1 + k*999/(picks-1))
		a = a.change(fleet)
		if bad := l.enter(a.turnsOf(1), fleet, fmt.Sprintf("pick %d of a ramp", k+1)); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d weights in a row", picks), Samples: picks}
}
