package queue

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

// capricious prefers servers by an arbitrary function of all loads and of its own
// last pick.
type capricious struct{ seed, last uint64 }

func (w *capricious) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	h := w.seed + w.last
	for i := range v.Len() {
		load, _ := v.Load(i)
		h = (h ^ uint64(load)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	weights := make([]uint64, v.Len())
	for i := range weights {
		weights[i] = 1 + h>>(8*i)&15
	}
	i := c.Weighted(weights)
	w.last = uint64(i)
	return i
}
func (w *capricious) Clone() policies.Policy { twin := *w; return &twin }
func (w *capricious) State() string          { return fmt.Sprint(w.last) }

// differ fails unless every measure of a and b is within the bounds of both: the
// truth is within each.
func differ(t assert.TestingT, a, b *Solution) {
	within := func(what string, x, y, bound float64) {
		assert.LessOrEqual(t, math.Abs(x-y), bound, "%s: %v and %v", what, x, y)
	}
	x, y := a.Bounds, b.Bounds
	within("mean time", a.MeanTime, b.MeanTime, x.MeanTime+y.MeanTime)
	within("mean jobs", a.MeanJobs, b.MeanJobs, x.MeanJobs+y.MeanJobs)
	within("idle picks", a.IdlePick, b.IdlePick, x.IdlePick+y.IdlePick)
	within("loss", a.Loss, b.Loss, x.Loss+y.Loss)
	within("boundary", a.Boundary, b.Boundary, x.Boundary+y.Boundary)
	for i := range a.Shares {
		within("share", a.Shares[i], b.Shares[i], x.Shares[i]+y.Shares[i])
		within("jobs", a.Jobs[i], b.Jobs[i], x.Jobs[i]+y.Jobs[i])
		for k := range a.Tails {
			within("tail", a.Tails[k], b.Tails[k], x.Tails[k]+y.Tails[k])
			within("tail of one", a.TailsOf[i][k], b.TailsOf[i][k], x.TailsOf[i][k]+y.TailsOf[i][k])
		}
	}
}

// Whatever is done to the law, the bounds cover it, and they do not cover much
// more: those of one state moved are at most the time to forget times as wide.
func TestBoundsCoverEveryError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "servers")
		c := Chain{Policy: &capricious{seed: rapid.Uint64().Draw(t, "seed")}, Servers: n, Buffer: rapid.IntRange(1, 5).Draw(t, "buffer"),
			Rho: rapid.Float64Range(0.1, 2).Draw(t, "rho"), Tolerance: 1e-10}
		for range n {
			c.Speeds = append(c.Speeds, float64(rapid.IntRange(1, 4).Draw(t, "speed")))
		}
		good, err := Solve(c)
		require.NoError(t, err)
		require.NotNil(t, good.Bounds)
		assert.LessOrEqual(t, good.Bounds.MeanJobs/good.MeanJobs, 1e-10)

		m, err := c.model()
		require.NoError(t, err)
		bad, err := m.solve(c.Buffer)
		require.NoError(t, err)
		size := math.Pow(10, -rapid.Float64Range(3, 12).Draw(t, "digits"))
		for x := range bad.chain.p {
			bad.chain.p[x] *= 1 + size*rapid.Float64Range(-1, 1).Draw(t, "factor")
		}
		bad.chain.normalize()
		bad = bad.chain.solution(m)
		if bad.Bounds = bad.chain.certify(m, bad); bad.Bounds != nil { // else the error is beyond all use
			differ(t, good, bad)
		}
		if size < 1e-6 {
			require.NotNil(t, bad.Bounds)
			assert.Less(t, bad.Bounds.MeanJobs, 1e5*size)
		}
	})
}

// The closed form of M/M/1/B and of independent servers, where the bounds matter
// most: deep buffers and rare events.
func TestBoundsHoldInClosedForm(t *testing.T) {
	for _, c := range []Chain{
		{Servers: 1, Rho: 0.5, Buffer: 40}, {Servers: 1, Rho: 0.99, Buffer: 500}, {Servers: 1, Rho: 3, Buffer: 20},
		{Servers: 2, Rho: 0.9, Buffer: 60}, {Servers: 3, Rho: 0.7, Buffer: 20},
	} {
		c.Policy = policies.Random{}
		s, err := Solve(c)
		require.NoError(t, err)
		b := s.Bounds
		require.NotNil(t, b)
		law, sum, mean := make([]float64, c.Buffer+1), 0.0, 0.0
		for k := range law {
			law[k] = math.Pow(c.Rho, float64(k))
			sum += law[k]
			mean += float64(k) * law[k]
		}
		// The closed form itself rounds: powers by up to 2k·u, sums of B terms.
		form := float64(8*c.Buffer) * 0x1p-53
		mean, loss := mean/sum, law[c.Buffer]/sum
		assert.LessOrEqual(t, math.Abs(s.MeanJobs-mean), b.MeanJobs+form*mean, "%+v", c)
		assert.LessOrEqual(t, math.Abs(s.Loss-loss), b.Loss+form*loss, "%+v", c)
		assert.LessOrEqual(t, b.Loss, 1e-4*loss, "a rare event has a bound of its own size")
		stay := mean / c.Rho / (1 - loss)
		assert.LessOrEqual(t, math.Abs(s.MeanTime-stay), b.MeanTime+4*form*stay/(1-loss), "%+v", c)
		assert.LessOrEqual(t, s.Error, 1e-8, "%+v", c)
	}
}

// No number is claimed where none can be derived.
func TestBoundsOnlyWhereTheyAreDerived(t *testing.T) {
	solve := func(c Chain) *Solution {
		s, err := Solve(c)
		require.NoError(t, err)
		return s
	}
	assert.Nil(t, solve(Chain{Policy: policies.PowerOfD{D: 2}, Servers: 2, Rho: 0.5}).Bounds, "without a buffer")
	whole := Chain{Policy: policies.PowerOfD{D: 2}, Servers: 2, Rho: 0.5, Buffer: 9, Form: Sorted}
	assert.NotNil(t, solve(whole).Bounds, "sorted, and every state examined")
	whole.Servers, whole.Buffer = 4, 20
	sampled := solve(whole)
	assert.Less(t, sampled.Commuting, 1.0)
	assert.Nil(t, sampled.Bounds)

	// Rates that the iteration cannot bring together, though it thinks it has.
	for _, fast := range []float64{1e6, 1e9, 1e12} {
		_, err := Solve(Chain{Policy: policies.LeastRequest{}, Servers: 2, Rho: 0.5, Buffer: 20, Speeds: []float64{fast, 1}})
		assert.ErrorContains(t, err, "no convergence", "%v", fast)
	}
}

// The majorant covers the whole residual, with what rounding may add to it, at
// every state but the one that it is held at.
func TestMajorantCoversTheResidual(t *testing.T) {
	for _, c := range []Chain{
		{Policy: policies.Random{}, Servers: 2, Rho: 0.9, Buffer: 20, Form: Full},
		{Policy: policies.PowerOfD{D: 2}, Servers: 3, Rho: 0.7, Buffer: 6, Form: Full},
		{Policy: &capricious{seed: 3}, Servers: 3, Rho: 0.8, Buffer: 5, Form: Full},
		{Policy: policies.LeastRequest{}, Servers: 4, Rho: 0.95, Buffer: 8},
	} {
		s, err := Solve(c)
		require.NoError(t, err)
		chain := s.chain
		y := chain.majorant()
		require.NotNil(t, y)
		slack, held := chain.slack(), 0
		source := make([]float64, len(y))
		for x, p := range chain.p {
			in, out := chain.flow(x), p*chain.out[x]
			source[x] = math.Abs(in-out) + slack*(in+out)
			if p > chain.p[held] {
				held = x
			}
		}
		assert.Zero(t, y[held])
		chain.p = y
		for x := range y {
			if x != held {
				in, out := chain.flow(x), y[x]*chain.out[x]
				// That y covers it after slack·(in+out) more is what rounding may hide here.
				assert.GreaterOrEqual(t, out-in, source[x], "%+v, state %d", c, x)
			}
		}
	}
}
