package spec

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
)

// burstProperties say when a request starts to count.
var burstProperties = []*Property{
	{
		Name: "conservation/burst", Level: Must,
		Sentence: "Requests count from the pick on: in a burst in which none makes progress, the servers' requests never differ by more than one.",
		Source:   "counted when a connection stands, or a poll comes: envoyproxy/envoy#44989, elastic/elasticsearch#144937, vllm-project/router#177",
		Applies: func(c *Claims) bool {
			_, least := c.Law.(oracle.LeastRequest)
			return least && c.CountsInFlight && !c.Learns
		}, Sampled: auditedBurst,
	},
}

func auditedBurst(r *Run) Result {
	picks := 0
	for _, n := range []int{2, 3, 7, 16, 17, 33, 64, 65, r.drawnSize()} {
		a := r.open(Fleet{Servers: fleetOf(n), Seed: r.Seed + uint64(n)})
		deep := 5 * n
		if n <= 3 {
			deep = r.held(300) * n // past what 8 bits count
		}
		for range deep {
			a.acquire(Request{})
			picks++
			if held := a.inFlight(); slices.Max(held)-slices.Min(held) > 1 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "a difference of one at most", Observed: a.state(), Samples: picks}
			}
		}
		a.drain()
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d picks", picks), Samples: picks}
}
