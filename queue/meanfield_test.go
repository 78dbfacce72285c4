package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// The mean-field limit of power of d (Vvedenskaya, Dobrushin and Karpelevich
// 1996; Mitzenmacher 1996): for n to infinity the share of servers with k jobs
// or more is rho^((d^k-1)/(d-1)). It is no bound at a finite n, so it is printed
// beside the simulation with its gap, and nothing is judged by it.
func TestPowerOfDBesideItsLimit(t *testing.T) {
	const rho, n = 0.9, 100
	for _, d := range []int{2, 3} {
		tail := func(k int) float64 { return math.Pow(rho, (math.Pow(float64(d), float64(k))-1)/float64(d-1)) }
		jobs := 0.0
		for k := 1; tail(k) > 0; k++ {
			jobs += tail(k)
		}
		w := World{Servers: n, Rho: rho, Warmup: 200, Horizon: 3000, ProbeEvery: 100}
		got, err := Simulate(w, func() policies.Policy { return policies.PowerOfD{D: d} }, 1)
		require.NoError(t, err)
		t.Logf("power of %d at n=%d, rho=%v: mean time %.4f, limit %.4f, gap %+.4f", d, n, rho, got.Mean, jobs/rho, got.Mean-jobs/rho)
		for k := 1; k < len(got.Tails); k++ {
			t.Logf("  P(N >= %d): %.5f, limit %.5f, gap %+.5f", k, got.Tails[k], tail(k), got.Tails[k]-tail(k))
		}
	}
}
