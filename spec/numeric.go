package spec

import (
	"fmt"
	"math"
	"time"

	"github.com/picklaw/picklaw/oracle"
)

// numericProperties look where numbers end.
var numericProperties = []*Property{
	{
		Name: "numeric/latencies", Level: Must,
		Sentence: "Servers that answered alike are told apart by nothing but their loads, however extreme the latencies and the dates.",
		Source:   "a division by nothing: BerriAI/litellm#39970; NaN wins or loses every comparison; underflow to 0",
		Applies:  learns, Exact: exactExtremeLatencies,
	},
	{
		Name: "numeric/loads", Level: Must,
		Sentence: "Loads of any size are compared as they are: one request more is more.",
		Source:   "a load cut to 8, 16 or 32 bits; work left is not a whole number",
		Applies: func(c *Claims) bool {
			return c.Law != nil && !c.TiesOpen && !c.Learns && !rotates(c.Law) && !readsWeights(c.Law)
		}, Exact: exactLargeLoads,
	},
}

func exactExtremeLatencies(r *Run) Result {
	const longest = time.Duration(math.MaxInt64)
	fleet := fleetOf(3)
	points := 0
	for _, latencies := range [][]time.Duration{{0}, {-1}, {longest}, {-longest}, {1}, {longest, 0, longest}, {0, longest, 1}} {
		for _, step := range []time.Duration{0, 1, time.Hour, longest / 4} {
			for _, failed := range []bool{false, true} {
				l := r.newLearner(fleet)
				at := time.Duration(0)
				for _, latency := range latencies {
					at += step
					for _, s := range fleet {
						r.observe(l, s, at, latency, failed)
					}
				}
				for _, loads := range [][]float64{{0, 0, 0}, {1, 0, 2}, {4, 4, 3}, {1 << 40, 1<<40 - 1, 1 << 40}} {
					points++
					state := fmt.Sprintf("%s, latencies %v, %v apart", describe(fleet, loads), latencies, step)
					if bad := differs(r.lawAt(r.newPolicy(fleet), fleet, loads, at), r.lawAt(l, fleet, loads, at), state); bad != nil {
						return *bad
					}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d points", points)}
}

// exactLargeLoads puts loads around the ends of the integer types, and between
// whole numbers.
func exactLargeLoads(r *Run) Result {
	var states [][]float64
	for _, bits := range []int{7, 8, 15, 16, 24, 31, 32, 50} {
		edge := math.Ldexp(1, bits)
		states = append(states, []float64{edge, edge - 1, edge + 1, edge - 1}, []float64{edge + 1, edge, 0, edge})
	}
	states = append(states, []float64{0.25, 0.5, 0.75, 0.5}, []float64{1e-9, 0, 2e-9, 1e-9}, []float64{1e300, 1e299, 1e300, 5})
	for _, loads := range states {
		want, err := r.Claims.Law.Probabilities(oracle.State{Loads: loads})
		if err != nil {
			panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, loads, err))
		}
		fleet := fleetOf(len(loads))
		if bad := differs(rationals(want), r.lawAt(r.newPolicy(fleet), fleet, loads, 0), describe(fleet, loads)); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("the claimed law at %d states", len(states))}
}
