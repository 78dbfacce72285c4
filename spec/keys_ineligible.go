package spec

import (
	"fmt"
)

// exactIneligible shows a policy that knows a whole fleet every non-empty part
// of it.
func exactIneligible(r *Run) Result {
	parts := 0
	for n := 2; n <= 4; n++ {
		fleet := fleetOf(n)
		p := r.newPolicy(fleet)
		before := r.owners(p, fleet)
		for mask := 1; mask < 1<<n-1; mask++ {
			eligible, stays := masked(fleet, mask)
			for k, now := range r.owners(p, eligible) {
				if stays[before[k]] && now != before[k] {
					return keyMoved(key(k), before[k], now, fmt.Sprintf("%d of %d servers were not eligible", n-len(eligible), n))
				}
			}
			parts++
		}
		for k, now := range r.owners(p, fleet) {
			if now != before[k] {
				return keyMoved(key(k), before[k], now, "all servers were eligible again")
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over %d parts of fleets of 2 to 4 servers", keyCount, parts)}
}

// masked is the part of a fleet whose bits are set, with its names.
func masked(fleet []Server, mask int) (part []Server, named map[string]bool) {
	named = make(map[string]bool)
	for i, s := range fleet {
		if mask&(1<<i) != 0 {
			part = append(part, s)
			named[s.Name] = true
		}
	}
	return part, named
}

// exactInheritance takes away each server of a fleet in turn. With n servers and
// hashes that are as good as random, an heir gets nothing of m keys with
// probability (1-1/(n-1))^m; for the 2000 keys over 5 servers that is e^-115, so
// it is no accident.
func exactInheritance(r *Run) Result {
	fleet := fleetOf(5)
	p := r.newPolicy(fleet)
	before := r.owners(p, fleet)
	for j, away := range fleet {
		inherited := make(map[string]int)
		rest := without(fleet, j)
		for k, now := range r.owners(p, rest) {
			if before[k] == away.Name {
				inherited[now]++
			}
		}
		for _, heir := range rest {
			if inherited[heir.Name] == 0 {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("some keys of %s with each of %d others", away.Name, len(rest)),
					Observed: fmt.Sprintf("%v, none with %s", inherited, heir.Name)}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("each of %d heirs got some of the keys of each of %d servers", len(fleet)-1, len(fleet))}
}
