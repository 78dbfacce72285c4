package oracle

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// The law of a queue after a time is exp(t·G) for its generator G; its average is
// the block above the corner of the exponential of [G I; 0 0]·t (Van Loan 1978).
func TestTransientAgainstMatrixExponential(t *testing.T) {
	const n = 12
	for _, c := range []struct {
		start    int
		arrivals float64
		t        float64
	}{{0, 0, 1}, {0, 1.8, 0.3}, {3, 0.4, 5}, {11, 2.7, 20}} {
		g := mat.NewDense(2*n, 2*n, nil)
		for j := range n {
			if j+1 < n {
				g.Set(j, j+1, c.arrivals*c.t)
				g.Set(j, j, g.At(j, j)-c.arrivals*c.t)
			}
			if j > 0 {
				g.Set(j, j-1, c.t)
				g.Set(j, j, g.At(j, j)-c.t)
			}
			g.Set(j, n+j, 1)
		}
		var e mat.Dense
		e.Exp(g)
		end, mean, _ := transient(c.start, n, c.arrivals, c.t)
		for j := range n {
			// The exponential squares about log2(norm) <= 8 times a matrix of norm
			// at most 2·80, each with a relative error of 2n·u: below 1e-11.
			assert.InDelta(t, e.At(c.start, j), end[j], 1e-11, "%+v end %d", c, j)
			assert.InDelta(t, e.At(c.start, n+j), mean[j], 1e-11, "%+v mean %d", c, j)
		}
	}
}

// With one choice every server is M/M/1, whose geometric law any period leaves as
// it is; with it, all that is computed from the board.
func TestStaleBoardLeavesMM1AsItIs(t *testing.T) {
	b, m := StaleBoard{1, 0.6, 3}, MM1{0.6}
	board := make([]float64, 80) // 0.6^80 < 1e-17
	for j := range board {
		board[j] = m.Tail(j) - m.Tail(j+1)
	}
	law := b.period(board)
	for j, p := range board {
		assert.InDelta(t, p, law.Board[j], 1e-14)
		assert.InDelta(t, p, law.Jobs[j], 1e-14)
		assert.InDelta(t, p, law.Found[j], 1e-14, "PASTA")
	}
	stale, mm1 := ask(t, "stale d=1 rho=0.6 t=3"), ask(t, "mm1 rho=0.6")
	for _, name := range []string{"mean_time_in_system", "p99"} {
		x, _ := number(t, stale, name)
		y, bound := number(t, mm1, name)
		assert.InDelta(t, y, x, 2*bound)
	}
}

// In the periodic regime jobs come and go at the same rate, so Little's law ties
// the jobs over time to those that arrivals find; the server is busy rho of the
// time, and every job goes somewhere.
func TestStaleBoardIdentities(t *testing.T) {
	for _, b := range []StaleBoard{{2, 0.9, 0.5}, {2, 0.9, 5}, {3, 0.7, 2}, {10, 0.5, 10}, {2, 0.95, 1}} {
		law, err := b.Solve()
		require.NoError(t, err)
		jobs, stay, found := 0.0, 0.0, 0.0
		for j := range law.Jobs {
			jobs += float64(j) * law.Jobs[j]
			stay += float64(j+1) * law.Found[j]
			found += law.Found[j]
		}
		// What the last period changed, at most 1e-12·levels in the number of jobs
		// per T, and what the last level and rounding lose, 1e-13 and 1e-15 a
		// level, times at most 100 levels each.
		bound := (1e-12/b.T + 1e-12) * 100
		assert.InDelta(t, 1, found, bound, "%+v", b)
		assert.InDelta(t, b.Rho, 1-law.Jobs[0], bound, "%+v", b)
		assert.InDelta(t, jobs, b.Rho*stay, bound*100, "%+v", b)
	}
}

// The same limit as a system of differential equations for servers with board i
// and j jobs, from an empty start through many periods with Runge-Kutta steps.
func TestStaleBoardAgainstItsDifferentialEquations(t *testing.T) {
	const levels, h, periods = 24, 1. / 64, 120
	b := StaleBoard{D: 2, Rho: 0.7, T: 1}
	var x [levels][levels]float64 // [board][jobs]
	x[0][0] = 1
	jobs := 0.0
	for period := range periods {
		var rate [levels]float64
		above := 0.0
		for i := levels - 1; i >= 0; i-- {
			share := 0.0
			for _, p := range x[i] {
				share += p
			}
			atLeast := above + share
			if share > 1e-30 {
				rate[i] = b.Rho * (atLeast*atLeast - above*above) / share
			}
			above = atLeast
		}
		slope := func(i int, y [levels]float64) (dy [levels]float64) {
			for j := range levels {
				if j+1 < levels {
					dy[j+1] += rate[i] * y[j]
					dy[j] -= rate[i] * y[j]
				}
				if j > 0 {
					dy[j-1] += y[j]
					dy[j] -= y[j]
				}
			}
			return dy
		}
		plus := func(y, dy [levels]float64, h float64) [levels]float64 {
			for j := range y {
				y[j] += h * dy[j]
			}
			return y
		}
		average := 0.0
		for step := range int(b.T / h) {
			for i := range levels {
				k1 := slope(i, x[i])
				k2 := slope(i, plus(x[i], k1, h/2))
				k3 := slope(i, plus(x[i], k2, h/2))
				k4 := slope(i, plus(x[i], k3, h))
				for j := range levels {
					weight := 1.0 // Simpson's rule over the steps of a period
					if step > 0 {
						weight = 2 + 2*float64(step%2)
					}
					average += weight * float64(j) * x[i][j] * h / 3
					x[i][j] += h / 6 * (k1[j] + 2*k2[j] + 2*k3[j] + k4[j])
				}
			}
		}
		for i := range levels {
			for j := range levels {
				average += float64(j) * x[i][j] * h / 3
			}
		}
		jobs = average / b.T
		if period < periods-1 {
			var board [levels]float64
			for i := range levels {
				for j := range levels {
					board[j] += x[i][j]
				}
			}
			x = [levels][levels]float64{}
			for j, p := range board {
				x[j][j] = p
			}
		}
	}
	law, err := b.Solve()
	require.NoError(t, err)
	// Runge-Kutta and Simpson err by (rate·h)^4 with rates below 2·1.4+2: 3e-5 at
	// most, times the derivative bounds 1/120 and 1/180: below 1e-6.
	assert.InDelta(t, jobs, meanOfTails(tailsOf(law.Jobs)), 1e-6)
}

// As T goes to 0 the board is fresh. A line through two small T gives the mean at
// 0 up to the curvature, which is taken to be no larger than the slope.
func TestStaleBoardTendsToFresh(t *testing.T) {
	mean := func(refresh float64) float64 {
		law, err := StaleBoard{2, 0.8, refresh}.Solve()
		require.NoError(t, err)
		return meanOfTails(tailsOf(law.Jobs)) / 0.8
	}
	const h = 0.02
	near, far := mean(h), mean(2*h)
	slope := (far - near) / h
	t.Logf("fresh %.6f, extrapolated %.6f, at T=%v %.6f", MeanField{2, 0.8}.MeanTimeInSystem(), 2*near-far, h, near)
	assert.InDelta(t, MeanField{2, 0.8}.MeanTimeInSystem(), 2*near-far, slope*h*h)
}

// Printed beside the published table: 100 servers, two choices, rho 0.9. A limit
// has no bound at n = 100; what is judged is the order in T.
func TestStaleBoardBesidePublishedTable(t *testing.T) {
	previous := MeanField{2, 0.9}.MeanTimeInSystem()
	for _, row := range []struct {
		t         float64
		mean, p99 string
	}{{0.1, "2.69", "9.0"}, {0.5, "2.82", "9.4"}, {1, "2.99", "9.9"}, {2, "3.27", "10.8"}, {5, "4.04", "13.3"}, {10, "5.12", "17.3"}, {20, "7.12", "25.0"}} {
		a := ask(t, fmt.Sprintf("stale d=2 rho=0.9 t=%v", row.t))
		mean, _ := number(t, a, "mean_time_in_system")
		p99, _ := number(t, a, "p99")
		t.Logf("T=%v: limit %.3f and %.2f, published %s and %s at n=100", row.t, mean, p99, row.mean, row.p99)
		assert.Greater(t, mean, previous, "older news is worse news")
		previous = mean
	}
}

func TestStaleBoardRefusesWhatItCannotSolve(t *testing.T) {
	_, err := tryAsk("stale d=2 rho=0.995 t=1")
	assert.ErrorContains(t, err, "utilization rho is 0.995, want at least 0 and at most 0.99")
	_, err = tryAsk("stale d=10 rho=0.5 t=51")
	assert.ErrorContains(t, err, "time between refreshes t is 51, want 0.01 to 50 with 10 choices")
	for _, b := range []StaleBoard{{100, 0.99, 5}, {2, 0.99, 250}} { // the whole of staleSteps would take seconds
		_, err = b.solve(1 << 24)
		assert.ErrorContains(t, err, "more than the 1.7e+07 steps allowed", "%+v", b)
		assert.ErrorContains(t, err, "a lower rho, or a t closer to 1 take less", "%+v", b)
	}
	_, err = StaleBoard{2, 0.9, 1}.solve(1 << 24)
	assert.NoError(t, err, "two orders of magnitude more than it needs")
	assert.True(t, hopeless(geometric(0.999), 1000, 1), "27600 periods of 1 step")
	assert.False(t, hopeless(geometric(0.999), 30000, 1))
	assert.False(t, hopeless(geometric(1.001), 1000, 1), "no trend to judge by")
	assert.Equal(t, 1.0, ask(t, "stale d=3 rho=0 t=1").Values[0].Value)
	assert.False(t, math.IsNaN(StaleBoard{3, 0.5, 1}.arrivals(0, 0)))
}

// geometric is a list of 30 changes of the board that shrink by a factor.
func geometric(q float64) []float64 {
	changes := []float64{1}
	for len(changes) < 30 {
		changes = append(changes, changes[len(changes)-1]*q)
	}
	return changes
}
