package queue_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

func solve(t testing.TB, c queue.Chain) *queue.Solution {
	t.Helper()
	s, err := queue.Solve(c)
	require.NoError(t, err)
	return s
}

// truncatedGeometric is the law of M/M/1/B: P(N = k) proportional to rho^k.
func truncatedGeometric(rho float64, buffer int) []float64 {
	law, sum := make([]float64, buffer+1), 0.0
	for k := range law {
		law[k] = math.Pow(rho, float64(k))
		sum += law[k]
	}
	for k := range law {
		law[k] /= sum
	}
	return law
}

// The bounds of the following tests: with a tolerance of 1e-12 the iteration
// stops when the mean is within an estimated 1e-13 of its limit, relatively.
// 1e-11 leaves a factor of 100 for the estimate and for the step from the mean
// to other measures; where there are hundreds of states or means of several
// jobs, it is 1e-10. Rounding in sums of so many terms stays below 1e-13.

// One server is M/M/1/B under every policy.
func TestSolveOneServer(t *testing.T) {
	for _, p := range []policies.Policy{
		policies.Random{}, policies.PowerOfD{D: 2}, policies.LeastRequest{}, &policies.RoundRobin{}, pick(lowest),
	} {
		for _, rho := range []float64{0.3, 0.9, 1, 2} {
			for _, speed := range []float64{1, 3} {
				s := solve(t, queue.Chain{Policy: p, Servers: 1, Speeds: []float64{speed}, Rho: rho, Buffer: 9, Tolerance: 1e-12})
				want := truncatedGeometric(rho, 9)
				mean, tail := 0.0, 0.0
				for k := 9; k >= 0; k-- {
					mean += float64(k) * want[k]
					tail += want[k]
					assert.InDelta(t, tail, s.Tails[k], 1e-11)
				}
				assert.InDelta(t, mean, s.MeanJobs, 1e-11*10)
				assert.InDelta(t, want[9], s.Loss, 1e-11)
				assert.InDelta(t, want[9]*rho*speed, s.Boundary, 1e-11*6)
				assert.InDelta(t, want[0], s.IdlePick, 1e-11)
				assert.InDelta(t, mean/(rho*speed*(1-want[9])), s.MeanTime, 1e-11*10/(rho*speed*(1-want[9]))*2)
				assert.InDelta(t, 1, s.Shares[0], 1e-11)
			}
		}
	}
}

// A buffer so long that its far end is beyond the least float: the law is still
// that of M/M/1/B, and nothing becomes NaN on the way. The bounds are those
// above, for means of 99 and 1 jobs.
func TestSolveDeepBuffer(t *testing.T) {
	for rho, buffer := range map[float64]int{0.99: 4000, 0.5: 3000, 2: 3000} {
		s := solve(t, queue.Chain{Policy: policies.Random{}, Servers: 1, Rho: rho, Buffer: buffer, Tolerance: 1e-12})
		mean := 0.0
		for k, p := range truncatedGeometric(math.Min(rho, 1/rho), buffer) { // reversed above 1
			if rho > 1 {
				k = buffer - k
			}
			mean += float64(k) * p
		}
		assert.InEpsilon(t, mean, s.MeanJobs, 1e-11)
	}
}

// Random routing splits the arrivals into independent Poisson processes, so the
// law is a product of M/M/1/B, whatever the speeds.
func TestSolveRandomIsAProduct(t *testing.T) {
	speeds := []float64{1, 2, 0.5}
	s := solve(t, queue.Chain{Policy: policies.Random{}, Servers: 3, Speeds: speeds, Rho: 0.8, Buffer: 8, Tolerance: 1e-12})
	assert.Equal(t, queue.Full, s.Form)
	each := 0.8 * 3.5 / 3 // arrivals at each server
	var law [3][]float64
	loss := 0.0
	for i, v := range speeds {
		law[i] = truncatedGeometric(each/v, 8)
		loss += law[i][8] / 3
		tail := 0.0
		for k := 8; k >= 0; k-- {
			tail += law[i][k]
			assert.InDelta(t, tail, s.TailsOf[i][k], 1e-10)
		}
		assert.InDelta(t, 1./3, s.Shares[i], 1e-12)
	}
	assert.InDelta(t, loss, s.Loss, 1e-10)
	states := 0
	s.Each(func(jobs []int, _ policies.Policy, p float64) bool {
		states++
		assert.InDelta(t, law[0][jobs[0]]*law[1][jobs[1]]*law[2][jobs[2]], p, 1e-10)
		return true
	})
	assert.Equal(t, 9*9*9, states)
}

// The full and the sorted form are two ways to the same numbers.
func TestSolveSortedIsFull(t *testing.T) {
	largest := 4
	if testing.Short() {
		largest = 3 // a tenth of the states
	}
	for _, p := range []policies.Policy{policies.PowerOfD{D: 2}, policies.PowerOfD{D: 2, Replacement: true}, policies.LeastRequest{}, policies.Random{}} {
		for n := 1; n <= largest; n++ {
			c := queue.Chain{Policy: p, Servers: n, Rho: 0.9, Buffer: 7, Tolerance: 1e-12}
			c.Form = queue.Full
			full := solve(t, c)
			c.Form = queue.Sorted
			sorted := solve(t, c)
			assert.Equal(t, queue.Sorted, sorted.Form)
			assert.Less(t, sorted.Residual, 1e-11)
			assert.InDelta(t, 1, sorted.Commuting, 1e-12, "so few vectors are all examined")
			assert.InDelta(t, full.MeanJobs, sorted.MeanJobs, 1e-10)
			assert.InDelta(t, full.MeanTime, sorted.MeanTime, 1e-10)
			assert.InDelta(t, full.IdlePick, sorted.IdlePick, 1e-10)
			assert.InDelta(t, full.Loss, sorted.Loss, 1e-10)
			assert.InDelta(t, full.Boundary, sorted.Boundary, 1e-10)
			assert.InDeltaSlice(t, full.Tails, sorted.Tails, 1e-10)
			assert.InDeltaSlice(t, full.Shares, sorted.Shares, 1e-10)
			assert.InDeltaSlice(t, full.Jobs, sorted.Jobs, 1e-10)
		}
	}
}

// A policy that prefers low indices shows in the full form and is not allowed in
// the sorted one.
func TestSolveShowsPreferences(t *testing.T) {
	c := queue.Chain{Policy: pick(lowest), Servers: 2, Rho: 0.5, Buffer: 12}
	s := solve(t, c)
	assert.Equal(t, queue.Full, s.Form)
	assert.Greater(t, s.Shares[0], s.Shares[1]+0.1)
	assert.Greater(t, s.Jobs[0], s.Jobs[1])
	c.Form = queue.Sorted
	_, err := queue.Solve(c)
	var broken *queue.NotSymmetric
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, []int{0, 0}, broken.Loads)
	assert.ErrorContains(t, err, "server 0 is picked with probability 1, but server 1, given its load and weight by the permutation [1 0], with 0")

	// A preference that only rare states show is found too, if the state is one
	// of those examined; here all are.
	c.Policy = pick(func(v policies.View, coins policies.Coins) int {
		a, _ := v.Load(0)
		b, _ := v.Load(1)
		if a == 9 && b == 9 {
			return 0
		}
		return policies.PowerOfD{D: 2}.Pick(policies.Request{}, v, coins)
	})
	_, err = queue.Solve(c)
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, []int{9, 9}, broken.Loads)

	for unequal, c := range map[string]queue.Chain{
		"speeds":  {Policy: policies.Random{}, Servers: 2, Speeds: []float64{1, 2}, Rho: 0.5, Buffer: 3, Form: queue.Sorted},
		"weights": {Policy: policies.Random{}, Servers: 2, Weights: []uint64{1, 2}, Rho: 0.5, Buffer: 3, Form: queue.Sorted},
	} {
		_, err = queue.Solve(c)
		require.ErrorAs(t, err, &broken)
		assert.Equal(t, unequal, broken.Unequal)
	}
	_, err = queue.Solve(queue.Chain{Policy: &policies.RoundRobin{}, Servers: 2, Rho: 0.5, Buffer: 3, Form: queue.Sorted})
	require.ErrorAs(t, err, &broken)
	assert.ErrorContains(t, err, "without memory")
}

// Round robin over two servers gives each of them Erlang-2 arrivals. Its
// unlimited E2/M/1 queue has sigma, the root of sigma = (L/(L+1-sigma))^2 with
// L the rate of a stage relative to that of the server, as the ratio of the
// number found on arrival: mean time in system 1/(1-sigma) (Kleinrock 1975,
// section 6.4). Here L = 2 rho, and the root below 1 solves a quadratic, as
// sigma = 1 is the other root.
func TestSolveRoundRobin(t *testing.T) {
	const rho = 0.5
	s := solve(t, queue.Chain{Policy: &policies.RoundRobin{}, Servers: 2, Rho: rho})
	const l = 2 * rho
	// sigma (l+1-sigma)^2 - l^2 = (sigma - 1)(sigma^2 - (2l+1) sigma + l^2)
	sigma := ((2*l + 1) - math.Sqrt((2*l+1)*(2*l+1)-4*l*l)) / 2
	// The solution estimates its own error; twice that allows for the estimate,
	// and once more for Little's step by the loss, which is of the same order.
	assert.InEpsilon(t, 1/(1-sigma), s.MeanTime, 3*s.Error)
	assert.Less(t, s.Error, 1e-8+1e-15)
	assert.Equal(t, 3, s.Memories, "fresh, and after each server")
	assert.InDelta(t, 0.5, s.Shares[0], 1e-12)
	s.Each(func(_ []int, p policies.Policy, probability float64) bool {
		assert.NotEqual(t, "fresh", p.(policies.Stateful).State(), "a rotation under way never comes back to the start")
		return true
	})
}

// The exact means of two servers at rho 0.9, to the published digits.
func TestSolveTwoServersUnlimited(t *testing.T) {
	for _, c := range []struct {
		policy policies.Policy
		rho    float64
		want   float64
		digits float64 // 0: as the solution says of itself, doubled since it is an estimate
	}{
		{policies.Random{}, 0.9, 9, 0}, // M/M/1: rho/(1-rho)
		{policies.PowerOfD{D: 2}, 0.9, 4.927, 0.0005},
		{policies.PowerOfD{D: 2, Replacement: true}, 0.9, 5.278, 0.0005},
		{policies.Random{}, 0.5, 1, 0},
	} {
		t.Run(fmt.Sprintf("%v at %v", c.policy, c.rho), func(t *testing.T) {
			if testing.Short() && c.want == 9 {
				t.Skip("the longest queues take half a second, and short mode has ten in all")
			}
			s := solve(t, queue.Chain{Policy: c.policy, Servers: 2, Rho: c.rho})
			if c.digits == 0 {
				c.digits = 2 * s.Error * c.want
			}
			assert.InDelta(t, c.want, s.MeanJobs, c.digits)
			assert.True(t, s.Unlimited)
			assert.Less(t, s.Error, 1e-8+1e-15)
			assert.Less(t, s.Loss, 1e-8)
			assert.InDelta(t, s.MeanJobs/c.rho, s.MeanTime, 1e-7, "Little, as next to nothing is lost")
			assert.InDelta(t, c.rho, s.Tails[1], 1e-8, "each server is busy a part rho of the time")
		})
	}
}

// A fleet that cannot be reached: the policy never picks, or picks one server.
func TestSolveUnreachableStates(t *testing.T) {
	s := solve(t, queue.Chain{Policy: pick(func(policies.View, policies.Coins) int { return policies.None }), Servers: 2, Rho: 0.5, Buffer: 3})
	assert.Equal(t, 1.0, s.Loss)
	assert.Zero(t, s.Boundary)
	assert.Zero(t, s.MeanJobs)
	assert.Equal(t, 1.0, s.Tails[0])

	s = solve(t, queue.Chain{Policy: &loyal{"1"}, Servers: 2, Rho: 0.25, Buffer: 5, Tolerance: 1e-12})
	want := truncatedGeometric(0.5, 5)
	assert.InDelta(t, 1-want[0], s.TailsOf[1][1], 1e-11)
	assert.Equal(t, 0.0, s.TailsOf[0][1], "exactly")
	assert.InDeltaSlice(t, []float64{0, 1}, s.Shares, 1e-12)
}

// A Member is told the fleet, through a clone that leaves the original alone. A
// ring with one key sends everything to one server.
func TestSolveJoinsTheFleet(t *testing.T) {
	ring := &policies.Ring{Points: 10}
	s := solve(t, queue.Chain{Policy: ring, Request: policies.Request{Key: "k"}, Servers: 3, Rho: 0.5, Buffer: 3})
	v := view(0, 0, 0)
	assert.Equal(t, policies.None, ring.Pick(policies.Request{Key: "k"}, v, nil), "the original has no fleet yet")
	owner := policies.Join(ring, v.Servers).Pick(policies.Request{Key: "k"}, v, nil)
	assert.Equal(t, 1.0, s.Shares[owner])
}

// Shares of a policy that goes by weight alone are the weights.
func TestSolveWeights(t *testing.T) {
	s := solve(t, queue.Chain{Policy: byWeight{}, Weights: []uint64{1, 3, 4}, Servers: 3, Rho: 0.5, Buffer: 6, Tolerance: 1e-12})
	assert.InDeltaSlice(t, []float64{0.125, 0.375, 0.5}, s.Shares, 1e-12)
	for i, part := range []float64{0.125, 0.375, 0.5} {
		law := truncatedGeometric(part*1.5, 6)
		assert.InDelta(t, 1-law[0], s.TailsOf[i][1], 1e-10)
	}
}

// whim prefers servers by an arbitrary function of all loads, of the index and
// of its own last pick, and sometimes picks none.
type whim struct {
	seed uint64
	last int
}

func (w *whim) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	h := w.seed + uint64(w.last)
	for i := range v.Len() {
		load, _ := v.Load(i)
		h = (h ^ uint64(load)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	weights := make([]uint64, v.Len()+1)
	for i := range weights {
		weights[i] = h >> (8 * i) & 15
	}
	weights[0]++
	if i := c.Weighted(weights); i < v.Len() {
		w.last = i
		return i
	}
	return policies.None
}
func (w *whim) Clone() policies.Policy { twin := *w; return &twin }
func (w *whim) State() string          { return fmt.Sprint(w.last) }

// Whatever a policy does, work that comes in goes out: the rate of accepted
// requests is that of the work done. The bound is the tolerance of the
// iteration, as above.
func TestSolveConservesWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "servers")
		speeds := make([]float64, n)
		for i := range speeds {
			speeds[i] = float64(rapid.IntRange(1, 4).Draw(t, "speed"))
		}
		c := queue.Chain{
			Policy: &whim{seed: rapid.Uint64().Draw(t, "seed")}, Servers: n, Speeds: speeds,
			Rho: rapid.Float64Range(0.1, 2).Draw(t, "rho"), Buffer: rapid.IntRange(1, 5).Draw(t, "buffer"), Tolerance: 1e-12,
		}
		s, err := queue.Solve(c)
		require.NoError(t, err)
		done, shares := 0.0, 0.0
		for i, v := range speeds {
			done += v * s.TailsOf[i][1]
			shares += s.Shares[i]
			assert.InDelta(t, 1, s.TailsOf[i][0], 1e-12)
			for k := range c.Buffer {
				assert.LessOrEqual(t, s.TailsOf[i][k+1], s.TailsOf[i][k])
			}
		}
		assert.InDelta(t, done, s.ArrivalRate*(1-s.Loss), 1e-10*s.ArrivalRate)
		assert.InDelta(t, s.Loss-s.Boundary/s.ArrivalRate, 1-shares, 1e-10, "what is picked to no server")
		assert.Less(t, s.Residual, 1e-10)
	})
}
