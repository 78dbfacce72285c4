package spec

import (
	"fmt"
	"math"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// stateProperties hold a claimed law in states that small fleets with known
// loads do not reach.
var stateProperties = []*Property{
	{
		Name: "law/large-fleet", Level: Must,
		Sentence: "A law holds in fleets that no buffer of the code was made for.",
		Source:   "numeric; a fixed buffer, or a loop that was tried on ten servers",
		Applies:  func(c *Claims) bool { return c.Law != nil && !c.TiesOpen },
		Exact:    exactLargeFleet,
	},
	{
		Name: "law/unknown-loads", Level: Must,
		Sentence: "A server whose load is unknown loses to every server whose load is known, and ties with the others fairly.",
		Source:   "a failed query that counts as an idle server: vllm-project/router#174",
		Applies: func(c *Claims) bool {
			return c.Law != nil && !c.TiesOpen && (family(c.Law) == "least-request" || family(c.Law) == "power-of-d")
		},
		Exact: exactUnknownLoads,
	},
	{
		Name: "law/live-weights", Level: Must,
		Sentence: "A rule without memory that has picked before picks like a new one once the weights are others.",
		Source:   "weights cached until the list changes: cloudwego/kitex#1393; Netflix/ribbon#365",
		Applies: func(c *Claims) bool {
			return c.Law != nil && !c.Learns && !strings.Contains(family(c.Law), "round-robin") && family(c.Law) != "smooth-weighted"
		},
		Exact: exactLiveWeights,
	},
}

// exactLiveWeights compares a used rule with a new one, given the same coins.
func exactLiveWeights(r *Run) Result {
	before, after := fleetOf(4), fleetOf(4)
	for i := range before {
		before[i].Weight, after[i].Weight = uint64(1+i*i), uint64(20-5*i)
	}
	loads := []float64{2, 2, 3, 2}
	used := r.newPolicy(before)
	r.turns(used, &policies.Snapshot{Servers: before, Loads: loads}, r.Seed, 9)
	used = join(used, after)
	view := &policies.Snapshot{Servers: after, Loads: loads}
	got, want := r.turns(used, view, r.Seed, 200), r.turns(r.newPolicy(after), view, r.Seed, 200)
	for k := range want {
		if got[k] != want[k] {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("server %d, as a new rule picks", want[k]),
				Observed: fmt.Sprintf("server %d at pick %d after the weights had changed", got[k], k+1)}
		}
	}
	return Result{Verdict: Holds, Observed: "the same 200 picks"}
}

// exactLargeFleet looks at 67 servers: more than a word of bits, and a prime. A
// policy with too many outcomes there is judged on a smaller prime. The outcomes
// grow with the fleet, so that only the last one tried can have too many.
func exactLargeFleet(r *Run) Result {
	largest := 0
	for _, n := range []int{11, 13, 19, 37, 67} {
		view := viewOf(equalServers(make([]float64, n)))
		_, err := r.tryEnumerate(r.newPolicy(view.Servers), Request{}, view)
		if tooMany(err) {
			break
		}
		if largest = n; err != nil {
			break // it is reported at this size
		}
	}
	if largest == 0 {
		return Result{Verdict: Undecided, Observed: fmt.Sprintf("more than %d outcomes with 11 servers already", mostLeaves)}
	}
	return r.largeFleet(largest)
}

func (r *Run) largeFleet(n int) Result {
	idle, stairs := make([]float64, n), make([]float64, n)
	for i := range stairs {
		stairs[i] = float64(i * 5 % n / 2) // pairs of ties, in no order
	}
	for _, loads := range [][]float64{idle, stairs} {
		state := equalServers(loads)
		if readsWeights(r.Claims.Law) {
			for i := range loads {
				state.Weights = append(state.Weights, uint64(1+i%3))
			}
		}
		view := viewOf(state)
		want, err := r.Claims.Law.Probabilities(state)
		if err != nil {
			panic(fmt.Sprintf("spec: law %v of %d servers: %v", r.Claims.Law, n, err))
		}
		got := r.enumerate(r.newPolicy(view.Servers), view)
		if agree(want, got, loads, false) {
			continue
		}
		for i := range want {
			if want[i].Cmp(got.P[i]) != 0 {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("%s with probability %s", view.Servers[i].Name, want[i].RatString()),
					Observed: got.P[i].RatString(), Diagnosis: &Diagnosis{State: describe(view.Servers, loads)}}
			}
		}
		return Result{Verdict: Violated, Finding: WrongLaw, Observed: "no pick with probability " + got.None.RatString()}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at 2 states of %d servers", n)}
}

// exactUnknownLoads hides some of the loads, and expects the law of loads that
// are larger than any other.
func exactUnknownLoads(r *Run) Result {
	const larger = 1e9
	states := 0
	for _, loads := range allLoads(4, 2) {
		for hidden := 1; hidden < 1<<len(loads); hidden++ {
			shown, meant := make([]float64, len(loads)), make([]float64, len(loads))
			for i, load := range loads {
				shown[i], meant[i] = load, load
				if hidden&(1<<i) != 0 {
					shown[i], meant[i] = math.NaN(), larger
				}
			}
			fleet := fleetOf(len(loads))
			want, err := r.Claims.Law.Probabilities(oracle.State{Loads: meant})
			if err != nil {
				panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, meant, err))
			}
			state := strings.ReplaceAll(describe(fleet, shown), "NaN", "?")
			if bad := differs(rationals(want), r.lawAt(r.newPolicy(fleet), fleet, shown, 0), state); bad != nil {
				return *bad
			}
			states++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d states", states)}
}

// copyOf is an independent copy of a policy that remembers something.
func (r *Run) copyOf(p policies.Policy) policies.Policy {
	s, ok := p.(policies.Stateful)
	if !ok {
		panic(&fault{Impure, "it learns, and has no Clone and no State"})
	}
	var twin policies.Policy
	r.try("Clone", func() { twin = s.Clone() })
	return twin
}
