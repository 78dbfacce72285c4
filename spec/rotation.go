package spec

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// rotationProperties bind whoever claims to pick in turn.
var rotationProperties = []*Property{
	{
		Name: "round-robin/window", Level: Must,
		Sentence: "Of any n picks in a row, every one of n servers gets exactly one.",
		Source:   "definition; a skewed rotation: apache/dubbo#14",
		Applies:  claimsLaw("round-robin"),
		Exact:    exactWindow, Sampled: auditedWindow,
	},
	{
		Name: "round-robin/eligible", Level: Must,
		Sentence: "While some servers are not eligible, the others share the picks equally, window by window.",
		Source:   "the neighbour inherits the share: OpenSIPS/opensips#387; none found: mosn/mosn#2209",
		Applies:  claimsLaw("round-robin"),
		Exact:    exactEligibleWindow, Sampled: auditedEligibleWindow,
	},
	{
		Name: "round-robin/update", Level: Must,
		Sentence: "After a change of the fleet the rotation goes on behind its last pick.",
		Source:   "continuity; a restart at slot 0 hits one server from every client: apple/servicetalk#3021",
		Applies:  claimsLaw("round-robin"),
		Exact:    exactRotationUpdate, Sampled: auditedRotationUpdate,
	},
	{
		Name: "round-robin/large-ids", Level: Must,
		Sentence: "The rotation does not depend on how many servers there have ever been.",
		Source:   "numeric; a narrow cursor: Netflix/ribbon#259",
		Applies:  claimsLaw("round-robin"),
		Exact:    exactLargeIDs, Sampled: auditedManyIDs,
	},
}

// turns runs a policy for some picks over a view and returns them by index.
func (r *Run) turns(p policies.Policy, v policies.View, seed uint64, picks int) []int {
	turns, coins := make([]int, picks), policies.NewCoins(seed)
	r.try("Pick", func() {
		for k := range turns {
			turns[k] = p.Pick(Request{}, v, coins)
			if turns[k] < 0 || turns[k] >= v.Len() {
				panic(&fault{OutOfRange, fmt.Sprintf("pick %d over %d servers was index %d", k+1, v.Len(), turns[k])})
			}
		}
	})
	return turns
}

// brokenWindow is the first window of n picks in which some server is missing,
// or -1.
func brokenWindow(turns []int, n int) int {
	for k := 0; k+n <= len(turns); k++ {
		seen := make([]bool, n)
		for _, i := range turns[k : k+n] {
			seen[i] = true
		}
		if slices.Contains(seen, false) {
			return k
		}
	}
	return -1
}

// window judges a sequence of picks over n servers.
func window(turns []int, n int, what string) *Result {
	k := brokenWindow(turns, n)
	if k < 0 {
		return nil
	}
	return &Result{
		Verdict: Violated, Finding: BrokenSequence,
		Expected: fmt.Sprintf("each of %d servers once in %d picks", n, n),
		Observed: fmt.Sprintf("%s: picks %d to %d were servers %v", what, k+1, k+n, turns[k:k+n]),
		Samples:  len(turns),
	}
}

func exactWindow(r *Run) Result {
	for n := 1; n <= 9; n++ {
		fleet := fleetOf(n)
		view := &policies.Snapshot{Servers: fleet, Loads: make([]float64, n)}
		for seed := range uint64(2 * n) { // several phases
			turns := r.turns(r.newPolicy(fleet), view, r.Seed+seed, 4*n)
			if bad := window(turns, n, fmt.Sprintf("%d servers", n)); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: "every window of 1 to 9 servers"}
}

// exactEligibleWindow shows a policy that knows the whole fleet only some of
// it, for every non-empty subset of up to five servers.
func exactEligibleWindow(r *Run) Result {
	subsets := 0
	for n := 2; n <= 5; n++ {
		fleet := fleetOf(n)
		for mask := 1; mask < 1<<n; mask++ {
			var eligible []Server
			for i, s := range fleet {
				if mask&(1<<i) != 0 {
					eligible = append(eligible, s)
				}
			}
			p := r.newPolicy(fleet)
			all := &policies.Snapshot{Servers: fleet, Loads: make([]float64, n)}
			r.turns(p, all, r.Seed+uint64(mask), n) // get going on the whole fleet
			some := &policies.Snapshot{Servers: eligible, Loads: make([]float64, len(eligible))}
			turns := r.turns(p, some, r.Seed, 4*len(eligible))
			if bad := window(turns, len(eligible), fmt.Sprintf("%d of %d servers eligible", len(eligible), n)); bad != nil {
				return *bad
			}
			subsets++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("every window of %d subsets", subsets)}
}

// exactRotationUpdate adds a server at the end, or removes each server in turn,
// after each number of picks.
func exactRotationUpdate(r *Run) Result {
	for n := 2; n <= 7; n++ {
		fleet := fleetOf(n + 1)
		for picks := 1; picks <= 2*n; picks++ {
			for change := range n + 1 { // n adds the last server, less removes one
				before, after := fleet[:n], fleet
				if change < n {
					after = slices.Delete(slices.Clone(fleet[:n]), change, change+1)
				}
				p := r.newPolicy(before)
				turns := r.turns(p, &policies.Snapshot{Servers: before}, r.Seed, picks)
				last := before[turns[picks-1]].ID
				p = join(p, after)
				next := after[r.turns(p, &policies.Snapshot{Servers: after}, r.Seed, 1)[0]].ID
				if want := successor(after, last); next != want {
					return Result{
						Verdict: Violated, Finding: BrokenSequence,
						Expected: fmt.Sprintf("server %d", want),
						Observed: fmt.Sprintf("after server %d and a change from servers %v to %v came server %d",
							last, ids(before), ids(after), next),
					}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: "every join and leave of 2 to 7 servers"}
}

// successor is the id that follows last in cyclic order.
func successor(fleet []Server, last ServerID) ServerID {
	for _, s := range fleet {
		if s.ID > last {
			return s.ID
		}
	}
	return fleet[0].ID
}

func ids(fleet []Server) []ServerID {
	all := make([]ServerID, len(fleet))
	for i, s := range fleet {
		all[i] = s.ID
	}
	return all
}

// exactLargeIDs lets ids straddle the ends of the integer types.
func exactLargeIDs(r *Run) Result {
	for _, bits := range []int{7, 8, 15, 16, 31, 32, 53} {
		fleet := policies.Fleet(5)
		for i := range fleet {
			fleet[i].ID = ServerID(1<<bits + i - 2)
		}
		turns := r.turns(r.newPolicy(fleet), &policies.Snapshot{Servers: fleet}, r.Seed, 20)
		if bad := window(turns, 5, fmt.Sprintf("ids from %d", fleet[0].ID)); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "ids around 2^7, 2^8, 2^15, 2^16, 2^31, 2^32, 2^53"}
}
