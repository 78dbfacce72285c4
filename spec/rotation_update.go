package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// auditedRotationUpdate walks through updates: the same fleet again, a newcomer
// at the end, or a server that leaves, which may be the last one picked. The order
// of the rotation is its own affair and is learnt from whole rounds, before the
// update and after it: those that stay keep it, and the round after the update
// begins behind the last pick.
func auditedRotationUpdate(r *Run) Result {
	if r.fixed != nil {
		return needsFleets
	}
	const steps = 40
	samples := 0
	for _, n := range []int{2, 3, 5, 8, 17} {
		random := rand.New(rand.NewPCG(r.Seed, uint64(n)))
		fleet, newcomers := fleetOf(n), fleetOf(n + steps)[n:]
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed + uint64(n)})
		if _, ok := a.picker.(Updater); !ok {
			return Result{Verdict: NotClaimed, Observed: "it has no Update"}
		}
		for range steps {
			turns := a.turnsOf(len(fleet) + random.IntN(2*len(fleet)))
			samples += len(turns)
			if bad := window(turns, len(fleet), fmt.Sprintf("servers %v", ids(fleet))); bad != nil {
				return *bad
			}
			round, before := idsAt(fleet, turns[len(turns)-len(fleet):]), fleet
			fleet = slices.Clone(fleet)
			switch change := random.IntN(3); {
			case change == 1:
				fleet, newcomers = append(fleet, newcomers[0]), newcomers[1:]
			case change == 2 && len(fleet) > 2:
				fleet = without(fleet, random.IntN(len(fleet)))
			}
			a = a.change(fleet)
			after := a.turnsOf(2 * len(fleet))
			samples += len(after)
			what := fmt.Sprintf("an update from servers %v to %v", ids(before), ids(fleet))
			if bad := goesOn(round, idsAt(fleet, after[:len(fleet)]), fleet, what); bad != nil {
				bad.Samples = samples
				return *bad
			}
			if bad := window(after, len(fleet), "after "+what); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("behind the last pick, through %d updates of each of 5 fleets", steps), Samples: samples}
}

// goesOn judges the first picks after an update, as many as there are servers, by
// the last round before it. A round that begins behind its last pick is the cycle
// from there on: leave those that are gone out of the old one and newcomers out of
// the new one, wherever they stand, and the two are the same. And whoever was
// picked last is the last of the new round, too, even of the newcomers.
func goesOn(round, picks []ServerID, fleet []Server, what string) *Result {
	last := round[len(round)-1]
	want := slices.DeleteFunc(slices.Clone(round), func(id ServerID) bool { return !containsID(fleet, id) })
	wrong := func(want ServerID, observed string) *Result {
		return &Result{Verdict: Violated, Finding: BrokenSequence, Expected: fmt.Sprintf("server %d", want),
			Observed: fmt.Sprintf("after server %d and %s %s", last, what, observed)}
	}
	next := 0
	for k, id := range picks {
		switch {
		case !slices.Contains(round, id):
			if k == len(picks)-1 && containsID(fleet, last) {
				return wrong(id, fmt.Sprintf("came server %d, and server %d, a newcomer, last", picks[0], id))
			}
		case next == len(want) || id != want[next]:
			return wrong(want[next%len(want)], fmt.Sprintf("came server %d, with pick %d", id, k+1))
		default:
			next++
		}
	}
	return nil
}

// idsAt are the ids of the servers at these places.
func idsAt(fleet []Server, places []int) []ServerID {
	all := make([]ServerID, len(places))
	for k, i := range places {
		all[k] = fleet[i].ID
	}
	return all
}
