package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// Once the queues have been as long as they get, a request allocates nothing.
func TestNoAllocationPerJob(t *testing.T) {
	const settling, measured, runs = 10_000, 500, 4
	laws := map[string]func() policies.Policy{
		"random":        func() policies.Policy { return policies.Random{} },
		"power-of-d:2":  func() policies.Policy { return policies.PowerOfD{D: 2} },
		"least-request": func() policies.Policy { return policies.LeastRequest{} },
		"peak-ewma:2": func() policies.Policy {
			return &policies.PeakEWMA{D: 2, Tau: 10 * time.Second, Prior: time.Second}
		},
	}
	for name, w := range map[string]World{
		"fresh":        {},
		"work":         {Metric: WorkLeft},
		"shared-stale": {View: SharedStale, Refresh: 1},
		"stale":        {View: Stale, Refresh: 1, Dispatchers: 4},
		"local":        {View: Local, Dispatchers: 4},
		"slots":        {Slots: 2},
		"quantiles":    {Quantiles: true},
		"probes":       {ProbeEvery: 10},
		"lost":         {Capacity: 2},
		"python":       {RNG: Python},
	} {
		for law, newPolicy := range laws {
			w.Servers, w.Rho, w.Jobs = 10, 0.5, settling+(runs+2)*measured
			s, err := newSimulation(w, newPolicy, 1)
			require.NoError(t, err)
			require.True(t, s.steps(settling))
			allocations := testing.AllocsPerRun(runs, func() { s.steps(measured) })
			assert.Zero(t, allocations, "%s under %s: allocations for %d requests", law, name, measured)
		}
	}
}

// The tick world allocates for lists that grow and for the selection of
// quantiles, and not for calls: ten thousand more calls take less than a hundred
// allocations.
func TestNoAllocationPerCall(t *testing.T) {
	f := PublishedTicks()
	f.RNG = PCG
	measure := func(ticks int) (allocations float64, calls int) {
		w := f.World()
		w.Ticks = ticks
		allocations = testing.AllocsPerRun(1, func() {
			out, err := w.Simulate(&policies.EWMA{Alpha: 0.2, Prior: time.Second, Priors: f.Priors()}, 1)
			require.NoError(t, err)
			calls = out.Requests
		})
		return allocations, calls
	}
	few, someCalls := measure(10_000)
	more, manyCalls := measure(45_000)
	require.Greater(t, manyCalls-someCalls, 10_000)
	assert.Less(t, more-few, 100.0)
}
