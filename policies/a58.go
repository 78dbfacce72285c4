//go:build !mutants

package policies

import (
	"fmt"
	"math"
)

// A LoadReport is what a server says of itself.
type LoadReport struct {
	QPS         float64 // requests answered in a second
	EPS         float64 // of these, the ones that failed
	Utilization float64 // of its tightest resource, 1 when full
}

// Weight is the weight that gRPC's client side weighted round robin gives to a
// server (gRFC A58, 2023):
//
//	weight = qps / (utilization + eps/qps · penalty).
//
// With a penalty, errors count as utilization. It is 0, unknown, when the report
// is of no use: no requests or no utilization, or values whose quotient is
// not a finite number.
func (r LoadReport) Weight(penalty float64) float64 {
	if !(r.QPS > 0 && r.Utilization > 0) {
		return 0
	}
	utilization := r.Utilization
	if r.EPS > 0 && penalty > 0 {
		utilization += r.EPS / r.QPS * penalty
	}
	weight := r.QPS / utilization
	if math.IsInf(weight, 1) || math.IsNaN(weight) {
		return 0
	}
	return weight
}

// WholeWeights turns weights in any unit into those of a fleet, in the same
// ratios up to rounding: the largest becomes 65535, and no positive weight
// becomes 0. A weight of 0 is unknown and takes the mean of the known ones; if
// none is known, all are 1. It fails when a weight is negative, infinite or not
// a number.
func WholeWeights(weights []float64) ([]uint64, error) {
	largest, mean, known := 0.0, 0.0, 0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("policies: weight %d is %v, want a finite number that is not negative", i, w)
		}
		if w > 0 {
			known++
			mean += (w - mean) / float64(known) // a sum could overflow
			largest = max(largest, w)
		}
	}
	whole := make([]uint64, len(weights))
	for i, w := range weights {
		if w == 0 {
			w = mean
		}
		whole[i] = 1
		if known > 0 {
			whole[i] = max(1, uint64(math.Round(w/largest*65535)))
		}
	}
	return whole, nil
}
