package oracle

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// In the fixed point the flow up, rho·(s_(k-1)^d - s_k^d), equals the flow down,
// s_k - s_(k+1), at every level.
func TestMeanFieldIsTheFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := MeanField{D: rapid.IntRange(1, 20).Draw(t, "d"), Rho: rapid.Float64Range(0, 0.999).Draw(t, "rho")}
		power := func(k int) float64 { return math.Pow(m.Tail(k), float64(m.D)) }
		for k := 1; k < 30; k++ {
			// Each s is a power with an exponent E of relative error k·u, so of
			// relative error (k+1)·E·|ln rho|·u plus 2u; x·e^-x < 1, so its absolute
			// error is below (k+3)·u, and d times that for its d-th power.
			bound := float64(4*(k+4)*m.D) * 0x1p-53
			assert.InDelta(t, m.Rho*(power(k-1)-power(k)), m.Tail(k)-m.Tail(k+1), bound, "level %d", k)
		}
	})
}

func TestMeanFieldWithOneChoiceIsMM1(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.9} {
		f, q := MeanField{1, rho}, MM1{rho}
		assert.Equal(t, q.MeanTimeInSystem(), f.MeanTimeInSystem())
		assert.Equal(t, q.Tail(5), f.Tail(5))
		assert.Equal(t, q.TimeQuantile(0.99), f.TimeQuantile(0.99))
		assert.InDelta(t, 1-rho, f.IdlePick(), 0x1p-52) // two functions good to an ulp of at most 1
	}
}

// Published: mean 10.000, 2.614, 2.028 at rho 0.9 for one, two and three
// choices, and the tails of one and two.
func TestMeanFieldPublishedTables(t *testing.T) {
	for d, want := range map[int]string{1: "10.000", 2: "2.614", 3: "2.028"} {
		assert.Equal(t, want, fmt.Sprintf("%.3f", MeanField{d, 0.9}.MeanTimeInSystem()))
	}
	for k, want := range map[int][2]string{
		1: {"0.9000", "0.9000"}, 2: {"0.8100", "0.7290"}, 3: {"0.7290", "0.4783"}, 4: {"0.6561", "0.2059"},
		5: {"0.5905", "0.0382"}, 6: {"0.5314", "0.0013"}, 7: {"0.4783", "0.0000"}, 8: {"0.4305", "0.0000"},
	} {
		got := [2]string{fmt.Sprintf("%.4f", MeanField{1, 0.9}.Tail(k)), fmt.Sprintf("%.4f", MeanField{2, 0.9}.Tail(k))}
		assert.Equal(t, want, got, "k = %d", k)
	}
}

// The mean is the integral of the tail of the time in system, here by the
// trapezoid rule, which is at most h²/8 times the total variation of the slope
// off. The density is a mixture of Erlang densities, each at most 1 and rising
// and falling once, so its total variation is at most 2.
func TestMeanFieldMeanIsTheIntegralOfItsTail(t *testing.T) {
	for _, m := range []MeanField{{2, 0.5}, {2, 0.95}, {3, 0.9}, {7, 0.99}} {
		const h, end = 0.01, 80.0
		sum := 0.5
		for i := 1; i < int(end/h); i++ {
			sum += m.TimeTail(float64(i) * h)
		}
		assert.InDelta(t, m.MeanTimeInSystem(), sum*h, h*h/8*2+1e-12, "%+v", m)
		// Little's law, against the tails.
		jobs := 0.0
		for k := 1; k <= 60; k++ {
			jobs += m.Tail(k)
		}
		assert.InDelta(t, jobs, m.MeanJobs(), 60*0x1p-50)
		for _, q := range percentiles {
			assert.InDelta(t, 1-q.p, m.TimeTail(m.TimeQuantile(q.p)), 0x1p-45)
		}
	}
}

func TestMeanFieldTakesAnyNumberOfChoices(t *testing.T) {
	m := MeanField{1_000_000, 0.999}
	assert.InDelta(t, 1, m.MeanTimeInSystem(), 1e-12) // rho^d < 1e-434
	assert.Equal(t, 1.0, MeanField{2, 0}.MeanTimeInSystem())
	assert.Equal(t, 1.0, MeanField{2, 0}.IdlePick())
}
