package policies

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestA58Weight(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		report  LoadReport
		penalty float64
		want    float64
	}{
		{LoadReport{QPS: 100, Utilization: 0.5}, 1, 200},
		{LoadReport{QPS: 100, EPS: 50, Utilization: 0.5}, 1, 100},
		{LoadReport{QPS: 100, EPS: 25, Utilization: 0.25}, 3, 100},
		{LoadReport{QPS: 100, EPS: 50, Utilization: 0.5}, 0, 200},
		{LoadReport{QPS: 0, Utilization: 0.5}, 1, 0},
		{LoadReport{QPS: 100}, 1, 0},
		{LoadReport{QPS: nan, Utilization: 1}, 1, 0},
		{LoadReport{QPS: 100, Utilization: nan}, 1, 0},
		{LoadReport{QPS: inf, Utilization: 1}, 1, 0},
		{LoadReport{QPS: inf, Utilization: inf}, 1, 0},
		{LoadReport{QPS: 1e308, Utilization: 1e-9}, 1, 0},
		{LoadReport{QPS: -3, Utilization: 1}, 1, 0},
		{LoadReport{QPS: -0.5, Utilization: 1}, 1, 0},
		// Where one of the two is not positive, the other does not matter.
		{LoadReport{QPS: 100, EPS: 50, Utilization: 0.5}, -0.5, 200},
		{LoadReport{QPS: 100, EPS: -50, Utilization: 0.5}, 1, 200},
		{LoadReport{QPS: 100, EPS: 0, Utilization: 0.5}, inf, 200},
		{LoadReport{QPS: 100, EPS: inf, Utilization: 0.5}, 0, 200},
	} {
		assert.Equal(t, c.want, c.report.Weight(c.penalty), "%+v with penalty %g", c.report, c.penalty)
	}
}

func TestWholeWeights(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    []uint64
	}{
		{nil, []uint64{}},
		{[]float64{2, 1}, []uint64{65535, 32768}}, // 32767.5 rounds away from zero
		{[]float64{0.3, 0.1}, []uint64{65535, 21845}},
		{[]float64{1, 1e-9}, []uint64{65535, 1}},
		{[]float64{3, 0, 1}, []uint64{65535, 43690, 21845}}, // unknown: the mean
		{[]float64{0, 0}, []uint64{1, 1}},
		{[]float64{1e-300, 0}, []uint64{65535, 65535}},
		{[]float64{math.MaxFloat64, math.MaxFloat64, 0}, []uint64{65535, 65535, 65535}},
	} {
		got, err := WholeWeights(c.weights)
		assert.NoError(t, err)
		assert.Equal(t, c.want, got, "%v", c.weights)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := WholeWeights([]float64{1, bad})
		assert.ErrorContains(t, err, "policies: weight 1 is ")
	}
}
