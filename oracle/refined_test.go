package oracle

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// In exact chains of growing size, n·(E s_k - m_k) tends to V_k. Four sizes give
// it by extrapolation to 1/n = 0 with a cubic. Exact values have no noise, so the
// error is that of a cut expansion; it is held to the largest change that leaving
// out one size makes. The expansion is one in d(d-1)/(2n), so three choices need
// larger fleets than two; their queues are shorter, so that fewer levels do.
func TestRefinedMeanFieldAgainstExactChains(t *testing.T) {
	rho := 0.3
	chains := map[int]struct {
		sizes []int
		top   int
	}{2: {[]int{5, 7, 9, 12}, 6}, 3: {[]int{7, 11, 16, 24}, 4}}
	if testing.Short() {
		delete(chains, 3)
	}
	for _, replacement := range []bool{true, false} {
		for d, chain := range chains {
			r := RefinedMeanField{D: d, N: 100, Rho: rho, Replacement: replacement}
			v, err := r.Correction()
			require.NoError(t, err)
			var h, scaled []float64
			for _, n := range chain.sizes {
				jobs := 0.0
				for _, s := range sortedChain(n, d, chain.top, rho, replacement) {
					jobs += s
				}
				h = append(h, 1/float64(n))
				scaled = append(scaled, float64(n)*(jobs-MeanField{d, rho}.MeanJobs()))
			}
			cubic, changes := extrapolate(h, scaled), 0.0
			for i := range h {
				without := func(x []float64) []float64 { return slices.Delete(slices.Clone(x), i, i+1) }
				changes = max(changes, math.Abs(cubic-extrapolate(without(h), without(scaled))))
			}
			want := 0.0
			for _, x := range v {
				want += x
			}
			t.Logf("d=%d replacement=%v: V %.6f, extrapolated %.6f held to %.6f, n·gap %.5f", d, replacement, want, cubic, changes, scaled)
			assert.InDelta(t, cubic, want, changes, "d=%d replacement=%v", d, replacement)
		}
	}
}

// extrapolate evaluates the polynomial through the points at 0.
func extrapolate(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		w := 1.0
		for j := range x {
			if i != j {
				w *= x[j] / (x[j] - x[i])
			}
		}
		sum += w * y[i]
	}
	return sum
}

// Printed beside the public figures of rmf_tool, which follow the law with
// replacement: the estimate has no bound, so its gap is shown, not judged. What
// is judged is that it closes most of the gap of the limit.
func TestRefinedMeanFieldBesidePublicFigures(t *testing.T) {
	for n, public := range map[int]float64{10: 2.8003, 100: 2.3931} {
		a := ask(t, fmt.Sprintf("refined d=2 n=%d rho=0.9 replacement=true", n))
		jobs, _ := number(t, a, "mean_jobs_per_server")
		limit, _ := number(t, a, "mean_jobs_in_the_limit")
		t.Logf("n=%d: limit %.4f (gap %.4f), refined %.4f (gap %.4f), simulated %.4f", n, limit, limit-public, jobs, jobs-public, public)
		assert.Less(t, math.Abs(jobs-public), math.Abs(limit-public)/2)
	}
}

func TestRefinedMeanFieldKeepsTheUtilization(t *testing.T) {
	for _, r := range []RefinedMeanField{{2, 10, 0.9, true}, {2, 10, 0.9, false}, {5, 20, 0.8, true}, {3, 3, 0.5, false}} {
		v, err := r.Correction()
		require.NoError(t, err)
		// In any stable fleet E s_1 = rho, so V_1 = 0. The systems have at most 10
		// levels and entries below 10; their conditions are below 1e4.
		assert.InDelta(t, 0, v[0], 1e-9, "%+v", r)
	}
	for _, r := range []RefinedMeanField{{1, 10, 0.9, true}, {1, 10, 0.9, false}, {2, 10, 0, true}} {
		tails, err := r.Tails()
		require.NoError(t, err)
		assert.Empty(t, tails, "nothing to correct")
	}
}

// The correction of a huge fleet is below 1e-8, and so is all that follows from
// it.
func TestRefinedMeanFieldTendsToTheLimit(t *testing.T) {
	for _, question := range []string{"d=2 rho=0.9", "d=5 rho=0.7"} {
		refined, limit := ask(t, "refined n=2000000000 "+question), ask(t, "meanfield "+question)
		for _, name := range []string{"mean_time_in_system", "mean_jobs_per_server", "idle_pick_probability"} {
			a, _ := number(t, refined, name)
			b, _ := number(t, limit, name)
			assert.InDelta(t, b, a, 1e-8, "%s at %s", name, question)
		}
	}
}

func TestLyapunovSolvesItsEquation(t *testing.T) {
	r := RefinedMeanField{D: 2, N: 10, Rho: 0.9}
	s := r.levels()
	a, q := r.jacobian(s), jumps(s)
	w, err := lyapunov(a, q)
	require.NoError(t, err)
	var left, right mat.Dense
	left.Mul(a, w)
	right.Mul(w, a.T())
	left.Add(&left, &right)
	for i := range q {
		for j := range q {
			want := 0.0
			if i == j {
				want = -q[i]
			}
			// Backward stable elimination of 55 unknowns with entries below 4.
			assert.InDelta(t, want, left.At(i, j), 55*55*8*0x1p-52)
		}
	}
}

func TestRefinedMeanFieldRefusesFleetsThatAreTooSmall(t *testing.T) {
	_, err := tryAsk("refined d=2 n=10 rho=0.99 replacement=true")
	assert.ErrorContains(t, err, "number of servers n is 10, which is too small")
	_, err = tryAsk("refined d=3 n=2 rho=0.5")
	assert.ErrorContains(t, err, "number of choices d is 3, want 1 to 2")
	_, err = tryAsk("refined d=3 n=5 rho=0.5 replacement=yes")
	assert.ErrorContains(t, err, `replacement is "yes", want true or false`)
}
