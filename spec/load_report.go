package spec

import (
	"fmt"
	"math"
	"math/big"

	"github.com/picklaw/picklaw/policies"
)

// reportProperties bind the weights that are computed from what servers say of
// themselves.
var reportProperties = []*Property{
	{
		Name: "load-report/weight", Level: Must,
		Sentence: "The weight of a report is qps/(utilization + eps/qps·penalty), and unknown when the report is of no use.",
		Source:   "gRFC A58, 2023",
		Applies:  isPart("weights"), Exact: exactReportWeight,
	},
	{
		Name: "load-report/whole-weights", Level: Must,
		Sentence: "Whole weights keep the ratios of the given ones, none that is positive becomes 0, and an unknown one is the mean of the others.",
		Source:   "all weights 0 beyond 100 endpoints: openservicemesh/osm#4092; small ones cut to 0: maximhq/bifrost#5473; gRFC A58 on missing reports",
		Applies:  isPart("weights"), Exact: exactWholeWeights,
	},
	{
		Name: "load-report/refused", Level: Must,
		Sentence: "Weights that are negative, infinite or no numbers are refused.",
		Source:   "numeric; NaN wins or loses every comparison",
		Applies:  isPart("weights"), Exact: exactRefusedWeights,
	},
}

// exactReportWeight computes the formula in rational numbers. The code rounds
// five times at most, each by 2^-53 of the value, none of them cancelling: all
// terms are positive.
func exactReportWeight(r *Run) Result {
	values := []float64{0, 0.001, 0.3, 1, 7.5, 1e4}
	reports := 0
	for _, qps := range values {
		for _, eps := range values {
			for _, utilization := range values {
				for _, penalty := range values {
					reports++
					report := policies.LoadReport{QPS: qps, EPS: eps, Utilization: utilization}
					var got float64
					r.try("Weight", func() { got = report.Weight(penalty) })
					want := 0.0
					if qps > 0 && utilization > 0 {
						rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
						cost := new(big.Rat).Quo(rat(eps), rat(qps))
						cost.Add(rat(utilization), cost.Mul(cost, rat(penalty)))
						want, _ = new(big.Rat).Quo(rat(qps), cost).Float64()
					}
					if math.Abs(got-want) > want*5*0x1p-52 {
						return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprint(want),
							Observed: fmt.Sprintf("%v for %+v and a penalty of %v", got, report, penalty)}
					}
				}
			}
		}
	}
	for _, bad := range []policies.LoadReport{
		{QPS: math.NaN(), Utilization: 1}, {QPS: 1, Utilization: math.NaN()}, {QPS: math.Inf(1), Utilization: 1}, {QPS: -1, Utilization: 1},
		{QPS: 1, Utilization: -1}, {QPS: 1e308, Utilization: 1e-308}, {QPS: 1, EPS: math.NaN(), Utilization: 1},
	} {
		var got float64
		r.try("Weight", func() { got = bad.Weight(1) })
		if !(got >= 0) || math.IsInf(got, 1) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "a finite weight, or 0", Observed: fmt.Sprintf("%v for %+v", got, bad)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("as the formula in rational numbers, for %d reports", reports)}
}

// exactWholeWeights holds the ratios to half a unit of 65535, the largest. Three
// roundings before, of 2^-53 each, are below 1e-10 units.
func exactWholeWeights(r *Run) Result {
	const half = 0.5 + 1e-10
	equal := make([]float64, 321)
	for i := range equal {
		equal[i] = 1.0 / 321
	}
	for _, weights := range [][]float64{
		{1}, {1, 1, 1}, {0.5, 0.25, 0.25}, {1e-9, 1, 3}, {100, 1, 1e-6}, {5, 7, 2, 0}, {1e300, 5e299, 1}, {0, 2, 4}, {0, 0, 0}, {0, 1e308, 1e308}, equal,
	} {
		var whole []uint64
		var err error
		r.try("WholeWeights", func() { whole, err = policies.WholeWeights(weights) })
		if err != nil || len(whole) != len(weights) {
			return Result{Verdict: Violated, Finding: Refused, Expected: "a whole weight for each", Observed: fmt.Sprintf("%v, %v for %v", whole, err, weights)}
		}
		largest, sum, known := 0.0, new(big.Rat), int64(0)
		for _, w := range weights {
			largest = max(largest, w)
			if w > 0 {
				sum.Add(sum, new(big.Rat).SetFloat64(w))
				known++
			}
		}
		for i, w := range weights {
			want := 1.0 // nothing is known
			if known > 0 {
				value := new(big.Rat).SetFloat64(w)
				if w == 0 {
					value.Quo(sum, big.NewRat(known, 1))
				}
				want, _ = value.Mul(value, big.NewRat(65535, 1)).Quo(value, new(big.Rat).SetFloat64(largest)).Float64()
			}
			if low, high := max(1, want-half), max(1, want+half); float64(whole[i]) < low || float64(whole[i]) > high {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%.2f, rounded, but at least 1", want),
					Observed: fmt.Sprintf("%d for weight %v, number %d of %d", whole[i], w, i, len(weights))}
			}
		}
	}
	return Result{Verdict: Holds, Observed: "for 11 lists of weights"}
}

func exactRefusedWeights(r *Run) Result {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for place := range 3 {
			weights := []float64{1, 2, 3}
			weights[place] = bad
			var err error
			r.try("WholeWeights", func() { _, err = policies.WholeWeights(weights) })
			if err == nil {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an error", Observed: fmt.Sprintf("none for %v", weights)}
			}
		}
	}
	return Result{Verdict: Holds, Observed: "whatever its place"}
}
