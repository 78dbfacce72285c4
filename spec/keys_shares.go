package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// auditedShares draws keys and compares what each server gets with its weight.
//
// Keys are drawn independently, so by Hoeffding an observed share is more than x
// above the true one with probability exp(-2 t x²) at most; alpha is divided
// among all servers of all fleets.
func auditedShares(r *Run) Result {
	random := rand.New(rand.NewPCG(r.Seed, 0))
	fleets := r.auditedKeyFleets()
	if r.fixed == nil {
		fleets = fleets[1:]
	}
	if r.Claims.Weighted && r.fixed == nil {
		fleets = append(fleets, weightedKeyFleet())
	}
	servers := 0
	for _, f := range fleets {
		servers += len(f)
	}
	const draws = 20000
	slack := math.Sqrt(math.Log(float64(servers)/r.Alpha) / (2 * draws))
	worst, samples := 0.0, 0
	for _, fleet := range fleets {
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed})
		tally, total := make([]int, len(fleet)), uint64(0)
		for range draws {
			tally[a.probe(Request{Key: fmt.Sprintf("%016x", random.Uint64())})]++
		}
		samples += draws
		for _, s := range fleet {
			total += s.Weight
		}
		for i, s := range fleet {
			share, fair := float64(tally[i])/draws, float64(s.Weight)/float64(total)
			if share-slack > r.Claims.SharesWithin*fair {
				return Result{Verdict: Violated, Finding: WrongLaw, Samples: samples,
					Expected: fmt.Sprintf("at most %v times its fair share, %.3f, of the keys for every server", r.Claims.SharesWithin, fair),
					Observed: fmt.Sprintf("%.3f for %s of %d servers, %.1f times as much", share, s.Name, len(fleet), share/fair),
					Evidence: fmt.Sprintf("%d drawn keys; the true share is less than %.3f with probability %.2g at most", draws, share-slack, r.Alpha/float64(servers))}
			}
			worst = max(worst, share/fair)
		}
	}
	return Result{Verdict: Holds, Samples: samples,
		Observed: fmt.Sprintf("never more than %.2f times the fair share of drawn keys", worst)}
}

// weightedKeyFleet is a fleet of unequal weights.
func weightedKeyFleet() []Server {
	fleet := fleetOf(5)
	for i := range fleet {
		fleet[i].Weight = uint64(1 + i)
	}
	return fleet
}
