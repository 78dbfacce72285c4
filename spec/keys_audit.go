package spec

import (
	"fmt"
	"slices"
)

// auditedKeyFleets are fewer than keyFleets, since a black box is slower.
func (r *Run) auditedKeyFleets() [][]Server {
	if r.fixed != nil {
		return [][]Server{r.fixed}
	}
	return [][]Server{fleetOf(1), fleetOf(2), fleetOf(3), fleetOf(5), fleetOf(8)}
}

// ownersNow asks a black box for the server of every key, and releases at once.
func (a *auditor) ownersNow() []string {
	all := make([]string, keyCount)
	for k := range all {
		all[k] = a.fleet[a.probe(Request{Key: fmt.Sprintf("key-%d", k)})].Name
	}
	return all
}

// change brings the subject to another fleet: by an update where it has one,
// else as a user would, by building it anew.
func (a *auditor) change(fleet []Server) *auditor {
	u, ok := a.picker.(Updater)
	if !ok {
		return a.run.open(Fleet{Servers: fleet, Seed: a.run.Seed})
	}
	a.drain()
	if err := a.run.refit(u, fleet); err != nil {
		panic(&fault{Refused, fmt.Sprintf("it refused an update to %d servers: %v", len(fleet), err)})
	}
	a.fleet, a.leases = fleet, make([][]lease, len(fleet))
	return a
}

func without(fleet []Server, j int) []Server { return slices.Delete(slices.Clone(fleet), j, j+1) }

// auditedStableKeys asks again in another order, while requests are in flight.
func auditedStableKeys(r *Run) Result {
	samples, step := 0, 7
	if r.fixed != nil {
		step = 31 // whoever has a fleet of its own may not hold many requests at once
	}
	for _, fleet := range r.auditedKeyFleets() {
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
		before := a.ownersNow()
		for k := keyCount - 1; k >= 0; k -= step {
			key := fmt.Sprintf("key-%d", k)
			i := a.acquire(Request{Key: key})
			if again := fleet[i].Name; again != before[k] {
				return keyMoved(key, before[k], again, "asked again under load")
			}
			samples++
		}
		a.drain()
		samples += keyCount
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over %s", keyCount, r.fleetsTried("1 to 8 servers")), Samples: samples}
}

func auditedSpread(r *Run) Result {
	samples := 0
	for _, fleet := range r.auditedKeyFleets() {
		owned := make(map[string]int)
		for _, name := range r.open(Fleet{Servers: fleet, Seed: r.Seed}).ownersNow() {
			owned[name]++
		}
		for _, s := range fleet {
			if owned[s.Name] == 0 {
				return Result{Verdict: Violated, Finding: NeverFills, Expected: "keys for every server",
					Observed: fmt.Sprintf("none of %d keys for %s of %d servers", keyCount, s.Name, len(fleet))}
			}
		}
		samples += keyCount
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over %s", keyCount, r.fleetsTried("1 to 8 servers")), Samples: samples}
}

// auditedJoin lets each server of a fleet be the one that joins.
func auditedJoin(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	moved, samples := 0, 0
	for _, fleet := range r.auditedKeyFleets()[1:] {
		for j, joining := range fleet {
			a := r.open(Fleet{Servers: without(fleet, j), Seed: r.Seed})
			before := a.ownersNow()
			after := a.change(fleet).ownersNow()
			samples += 2 * keyCount
			took := 0
			for k := range before {
				switch after[k] {
				case before[k]:
				case joining.Name:
					took++
				default:
					return keyMoved(fmt.Sprintf("key-%d", k), before[k], after[k], joining.Name+" joined")
				}
			}
			if took == 0 {
				return Result{Verdict: Violated, Finding: NeverFills, Expected: "keys for the newcomer",
					Observed: fmt.Sprintf("%s joined %d servers and took none of %d keys", joining.Name, len(fleet)-1, keyCount)}
			}
			moved += took
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys moved, all to the newcomer", moved), Samples: samples}
}

// auditedLeave takes every server of a fleet away, first as one of weight 0 and
// then for good.
func auditedLeave(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	moved, samples := 0, 0
	for _, fleet := range r.auditedKeyFleets()[1:] {
		for j, leaving := range fleet {
			a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
			before := a.ownersNow()
			away := slices.Clone(fleet)
			away[j].Weight = 0
			for _, step := range []struct {
				fleet []Server
				what  string
			}{{away, "was not eligible"}, {without(fleet, j), "left"}} {
				a = a.change(step.fleet)
				after := a.ownersNow()
				samples += keyCount
				for k := range before {
					if before[k] == leaving.Name {
						moved++
						continue
					}
					if after[k] != before[k] {
						return keyMoved(fmt.Sprintf("key-%d", k), before[k], after[k], leaving.Name+" "+step.what)
					}
				}
			}
			samples += keyCount
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys moved, all of the server that left", moved), Samples: samples}
}

// auditedFreshMapping walks through fleets by joins, leaves and changes of
// weight, and compares each mapping with that of an instance built fresh.
func auditedFreshMapping(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	all := fleetOf(7)
	heavy := slices.Clone(all)
	heavy[2].Weight, heavy[5].Weight = 3, 2
	walk := [][]Server{all[:3], all[:6], all[2:6], heavy[2:], all[1:], all[:1], heavy, all[:3]}
	a := r.open(Fleet{Servers: all[:1], Seed: r.Seed})
	if _, ok := a.picker.(Updater); !ok {
		return Result{Verdict: NotClaimed, Observed: "it has no update: every fleet is built fresh"}
	}
	for step, fleet := range walk {
		a = a.change(fleet)
		reached := a.ownersNow()
		fresh := r.open(Fleet{Servers: fleet, Seed: r.Seed}).ownersNow()
		for k := range reached {
			if reached[k] != fresh[k] {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("key-%d at %s, as in a fresh structure", k, fresh[k]),
					Observed: fmt.Sprintf("key-%d at %s after update %d", k, reached[k], step+1)}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys through %d updates", keyCount, len(walk)),
		Samples: 2 * len(walk) * keyCount}
}

// auditedAgreement builds a second instance that meets the same servers in
// another order, and with another seed.
func auditedAgreement(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	samples := 0
	for _, fleet := range r.auditedKeyFleets()[1:] {
		other := relisted(fleet)
		one := r.open(Fleet{Servers: fleet, Seed: r.Seed}).ownersNow()
		two := r.open(Fleet{Servers: other, Seed: r.Seed + 1}).ownersNow()
		samples += 2 * keyCount
		for k := range one {
			if one[k] != two[k] {
				return disagreement(k, one[k], two[k], len(fleet))
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over 2 to 8 servers", keyCount), Samples: samples}
}

// relisted is the same fleet as another client may list it: ids go up while
// names go down.
func relisted(fleet []Server) []Server {
	other := slices.Clone(fleet)
	slices.Reverse(other)
	for i := range other {
		other[i].ID = fleet[i].ID
	}
	return other
}

func disagreement(k int, one, two string, servers int) Result {
	return Result{Verdict: Violated, Finding: WrongLaw,
		Expected: fmt.Sprintf("key-%d at %s from both clients", k, one),
		Observed: fmt.Sprintf("key-%d at %s from a client that lists the %d servers the other way round", k, two, servers)}
}

// exactAgreement is auditedAgreement for a bare rule.
func exactAgreement(r *Run) Result {
	for _, fleet := range keyFleets() {
		other := relisted(fleet)
		one, two := r.owners(r.newPolicy(fleet), fleet), r.owners(r.newPolicy(other), other)
		for k := range one {
			if one[k] != two[k] {
				return disagreement(k, one[k], two[k], len(fleet))
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over 1 to 9 servers", keyCount)}
}
