package spec

import (
	"fmt"

	"github.com/picklaw/picklaw/oracle"
)

// eligibilityProperties say where the share of a server goes that is out.
var eligibilityProperties = []*Property{
	{
		Name: "eligibility/share", Level: Must,
		Sentence: "While some servers are not eligible, the others are picked as if they were the whole fleet.",
		Source:   "the neighbour inherits the share: OpenSIPS/opensips#387, valyala/fasthttp#643; an unhealthy one after all: mosn/mosn#1711",
		Applies:  func(c *Claims) bool { return c.Law != nil && !c.TiesOpen },
		Exact:    exactEligibleShare, Sampled: auditedEligibleShare, Statistical: true, Delta: 0.15,
		trial: trial{fleets: someOut},
	},
}

// exactEligibleShare shows every part of fleets of two to five servers to a
// policy that was told of all of them.
func exactEligibleShare(r *Run) Result {
	parts := 0
	for n := 2; n <= 5; n++ {
		fleet := fleetOf(n)
		if readsWeights(r.Claims.Law) {
			for i := range fleet {
				fleet[i].Weight = uint64(1 + 2*i)
			}
		}
		for mask := 1; mask < 1<<n; mask++ {
			part, _ := masked(fleet, mask)
			state := oracle.State{Loads: make([]float64, len(part)), Weights: weightsIn(part)}
			for i := range state.Loads {
				state.Loads[i] = float64((mask + i*i) % 3)
			}
			want, err := r.Claims.Law.Probabilities(state)
			if err != nil {
				panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, state, err))
			}
			if bad := differs(rationals(want), r.lawAt(r.newPolicy(fleet), part, state.Loads, 0),
				fmt.Sprintf("%s, of a fleet of %d", describe(part, state.Loads), n)); bad != nil {
				return *bad
			}
			parts++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("the claimed law on %d parts of fleets", parts)}
}
