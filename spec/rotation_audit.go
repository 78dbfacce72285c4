package spec

import (
	"fmt"
	"slices"
)

// turnsOf takes some picks of a black box, one after another, by index.
func (a *auditor) turnsOf(picks int) []int {
	turns := make([]int, picks)
	for k := range turns {
		turns[k] = a.probe(Request{})
	}
	return turns
}

// auditedWindow takes picks from fleets of many sizes, from idle ones and then
// again while requests are in flight: a rotation pays no heed to them.
func auditedWindow(r *Run) Result {
	samples := 0
	for _, n := range r.sizes(1, 2, 3, 5, 7, 8, 16, 17, 32, 33, 64, 65, r.drawnSize()) {
		a := r.open(Fleet{Servers: r.servers(n), Seed: r.Seed})
		for _, held := range []int{0, n + n/2} { // up to two at a server
			for range held {
				a.acquire(Request{})
			}
			turns := a.turnsOf(6 * n)
			samples += len(turns)
			if bad := window(turns, n, fmt.Sprintf("%d servers, %d in flight", n, held)); bad != nil {
				return *bad
			}
		}
		a.drain()
	}
	return Result{Verdict: Holds, Observed: "every window of " + r.fleetsTried("1 to 65 servers"), Samples: samples}
}

// auditedEligibleWindow takes picks while every non-empty part of fleets of two
// to four servers, and some of a larger one, is all that is eligible, and again
// when the others are back.
func auditedEligibleWindow(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	samples, parts := 0, 0
	for _, n := range []int{2, 3, 4, 9} {
		whole := fleetOf(n)
		a := r.open(Fleet{Servers: whole, Seed: r.Seed + uint64(n)})
		step := 1
		if n > 4 {
			step = 61 // a prime, so that all servers take turns
		}
		for mask := 1; mask < 1<<n; mask += step {
			some := slices.Clone(whole)
			var eligible []int
			for i := range some {
				if mask&(1<<i) == 0 {
					some[i].Weight = 0
				} else {
					eligible = append(eligible, i)
				}
			}
			a = a.change(some)
			turns := a.turnsOf(4*len(eligible) + mask%n)
			for k, i := range turns {
				turns[k] = slices.Index(eligible, i) // picks of others are a fault already
			}
			what := fmt.Sprintf("%d of %d servers eligible", len(eligible), n)
			if bad := window(turns, len(eligible), what); bad != nil {
				return *bad
			}
			a = a.change(whole)
			back := a.turnsOf(2*n + mask%3)
			if bad := window(back, n, what+", then all again"); bad != nil {
				return *bad
			}
			samples += len(turns) + len(back)
			parts++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("every window of %d parts of fleets, and of the whole after each", parts), Samples: samples}
}

// auditedManyIDs lets ids straddle the ends of the integer types, up to what
// every language can hold, and, where there is an update, hundreds of servers
// come and go, since a balancer may number them itself.
func auditedManyIDs(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	const n, replaced = 5, 300 // more than 8 bits count
	samples, seen := 0, "ids around 2^7, 2^8, 2^15, 2^16, 2^31, 2^32, 2^52"
	for _, bits := range []int{7, 8, 15, 16, 31, 32, 52} {
		fleet := fleetOf(n)
		for i := range fleet {
			fleet[i].ID = ServerID(1<<bits + i - 2)
		}
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
		turns := a.turnsOf(20)
		samples += len(turns)
		if bad := window(turns, n, fmt.Sprintf("ids from %d", fleet[0].ID)); bad != nil {
			return *bad
		}
	}
	all := fleetOf(n + replaced)
	a := r.open(Fleet{Servers: all[:n], Seed: r.Seed})
	if _, ok := a.picker.(Updater); ok {
		for k := 1; k <= replaced; k++ {
			a = a.change(all[k : k+n])
			turns := a.turnsOf(2*n + k%n)
			samples += len(turns)
			if bad := window(turns, n, fmt.Sprintf("after %d servers have been replaced", k)); bad != nil {
				return *bad
			}
		}
		seen += fmt.Sprintf("; while %d servers are replaced", replaced)
	}
	return Result{Verdict: Holds, Observed: seen, Samples: samples}
}
