package spec

import (
	"context"
	"fmt"
	"slices"
)

// How far may a rotation be off its quota? Two kinds are known.
//
// One keeps credits: a pick adds weight/sum to each and takes 1 from the picked
// one, which is the largest. They add up to 0, so the largest is positive before
// it pays and none is ever below -1; hence none is above n-1, and over any number
// of picks the count is off by less than n.
//
// The other follows clocks: over a stretch T of virtual time a server of weight w
// ticks T·w times, give or take 1, and all of them T·sum times, give or take n;
// so a count is off by at most n+1 over any number of picks.
//
// While weights change with every pick the second bound doubles: the time between
// two picks is not 1/sum exactly, and the error is at most n for each unit by
// which a share w/sum rises or falls. A share that only grows rises by 1 at most.
//
// While some servers are not eligible, the credits of the others need not add up
// to 0, but to more than -m for m of them; then the largest is above -1 and none
// ever below -2, none above 3n, and a count is off by less than 3n+2.
func quotaBound(n int) int   { return n + 1 }
func rampBound(n int) int    { return 2*n + 1 }
func absenceBound(n int) int { return 3*n + 2 }

func exactHugeWeights(r *Run) Result {
	const picks = 400
	for _, weights := range hugeWeightings {
		fleet := weigh(weights...)
		for seed := range uint64(3) {
			p, l := r.newPolicy(fleet), newLedger(quotaBound(len(fleet)))
			for range 20 {
				if bad := l.take(r, p, fleet, r.Seed+seed, picks/20, "from the start"); bad != nil {
					return *bad
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d picks at %d fleets", picks, len(hugeWeightings))}
}

// exactWeightedEligible hides every proper part of a fleet for a while, several
// times in a row, so that what a server hides away would add up.
func exactWeightedEligible(r *Run) Result {
	parts := 0
	for _, weights := range [][]uint64{{100, 1}, {5, 1, 1}, {1, 2, 3, 10}} {
		fleet := weigh(weights...)
		sum := int(total(fleet).Int64())
		for mask := 1; mask < 1<<len(fleet)-1; mask++ {
			part, _ := masked(fleet, mask)
			p := r.newPolicy(fleet)
			for round := range 3 {
				seed := r.Seed + uint64(mask+round)
				for _, eligible := range [][]Server{part, fleet} {
					doing := fmt.Sprintf("round %d, %d of %d servers eligible", round+1, len(eligible), len(fleet))
					if bad := newLedger(absenceBound(len(fleet))).take(r, p, eligible, seed, 60+3*sum+round, doing); bad != nil {
						return *bad
					}
				}
			}
			parts++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d parts of 3 fleets", parts)}
}

// changes of weights: down, up, to equal and from equal ones, to nothing and
// back, with and without a common divisor.
var changes = [][][]uint64{
	{{3, 1}, {1, 1}, {1, 3}},
	{{1, 1, 1}, {5, 1, 1}, {1, 1, 1}, {1, 1, 5}},
	{{128, 128, 10}, {1, 1, 1}, {128, 128, 10}},
	{{0, 100}, {100, 0}, {50, 50}, {0, 100}},
	{{10, 20, 30, 5}, {10, 0, 30, 5}, {10, 20, 30, 5}, {100, 200, 300, 50}},
}

func exactWeightsUpdate(r *Run) Result {
	for _, walk := range changes {
		absent := slices.ContainsFunc(walk, func(weights []uint64) bool { return slices.Contains(weights, 0) })
		for before := range 8 {
			p := r.newPolicy(weigh(walk[0]...))
			for step, weights := range walk {
				fleet := weigh(weights...)
				p = join(p, fleet)
				eligible := slices.DeleteFunc(slices.Clone(fleet), func(s Server) bool { return s.Weight == 0 })
				doing := fmt.Sprintf("after update %d of the weights", step)
				if !r.Claims.Rotates {
					if bad := differs(rationals(shares(eligible)), r.lawAt(p, eligible, make([]float64, len(eligible)), 0), doing); bad != nil {
						return *bad
					}
					continue
				}
				bound, picks := quotaBound(len(fleet)), before
				if absent {
					bound = absenceBound(len(fleet))
				}
				if step > 0 {
					picks = 80 + 8*int(total(eligible).Int64())
				}
				if bad := newLedger(bound).take(r, p, eligible, r.Seed+uint64(before), picks, doing); bad != nil {
					return *bad
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d walks through weights", len(changes))}
}

// exactRamp lets the weight of a newcomer grow from 1 to that of the others,
// and updates the fleet before every pick.
func exactRamp(r *Run) Result {
	const picks = 1500
	fleet := weigh(1000, 1000, 1)
	for seed := range uint64(4) {
		p, l := r.newPolicy(fleet[:2]), newLedger(rampBound(len(fleet)))
		r.turns(p, idle(fleet[:2]), r.Seed+seed, 5)
		for k := range picks {
			fleet[2].Weight = uint64(1 + k*999/(picks-1))
			p = join(p, fleet)
			if bad := l.take(r, p, fleet, r.Seed+seed, 1, fmt.Sprintf("pick %d of a ramp", k+1)); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d weights in a row", picks)}
}

// auditedZeroWeights drains servers of a black box, from the start and while
// requests are in flight; a pick of one of them is a fault wherever it happens.
func auditedZeroWeights(r *Run) Result {
	const picks = 200
	mixed := weigh(2, 0, 3, 0, 1)
	a := r.open(Fleet{Servers: mixed, Seed: r.Seed})
	for k := range picks {
		a.probe(Request{Key: key(k)})
	}
	refused := "when built"
	var p Picker
	r.try("building the subject", func() {
		var err error
		if p, err = r.build(Fleet{Servers: weigh(0, 0, 0), Seed: r.Seed}); err != nil {
			p = nil
		}
	})
	if p != nil {
		refused = "at every pick"
		for k := range picks {
			var err error
			r.try("Pick", func() { _, _, err = p.Pick(context.Background(), Request{Key: key(k)}) })
			if err == nil {
				return Result{Verdict: Violated, Finding: Ineligible, Expected: "every request refused while all weights are 0",
					Observed: fmt.Sprintf("request %d was not", k+1)}
			}
		}
	}
	u, ok := a.picker.(Updater)
	if !ok {
		return Result{Verdict: Holds, Observed: "nothing for weight 0; all 0 is refused " + refused, Samples: picks}
	}
	for _, weights := range [][]uint64{{1, 1, 1, 1, 1}, {0, 1, 0, 1, 0}, {2, 0, 3, 0, 1}} {
		for k := range 20 {
			a.acquire(Request{Key: key(k)})
		}
		fleet := weigh(weights...)
		if err := r.refit(u, fleet); err != nil {
			panic(&fault{Refused, fmt.Sprintf("it refused the weights %v: %v", weights, err)})
		}
		a.fleet = fleet
		a.drain() // of servers that have no weight any more, too
		for k := range picks {
			a.probe(Request{Key: key(k)})
		}
	}
	return Result{Verdict: Holds, Observed: "nothing for weight 0, through updates too; all 0 is refused " + refused, Samples: 4 * picks}
}
