package policies

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaseExperiment is the published lease experiment (L1): one request at a time,
// each under a timeout, over four servers of which h3 is stuck for the first 200
// requests and well for the next 800. A careless caller releases its lease when
// it gets an answer, but not when the time is up.
func leaseExperiment(t *testing.T, careless bool) (stuck, after, inFlight int) {
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, LeastRequest{}, Endpoints("h0", "h1", "h2", "h3"))
		for i := range 1000 {
			lease := acquire(t, b)
			isStuck := lease.Server().Name == "h3" && i < 200
			if lease.Server().Name == "h3" {
				if isStuck {
					stuck++
				} else {
					after++
				}
			}
			ctx, cancel := context.WithTimeout(background, s)
			answered := make(chan struct{})
			if !isStuck {
				time.AfterFunc(s/10, func() { close(answered) })
			}
			select {
			case <-answered:
				require.NoError(t, lease.Release(Outcome{}))
			case <-ctx.Done():
				if !careless {
					require.NoError(t, lease.Release(Outcome{Failed: true}))
				}
			}
			cancel()
		}
		inFlight = b.Open()
	})
	return stuck, after, inFlight
}

// All counts are 0 at every pick, so each goes to h3 with probability 1/4 exactly,
// whatever happened before. Hoeffding: |count - n/4| exceeds sqrt(n·ln(2e12)/2)
// with probability below 1e-12.
func TestAStuckServerGetsItsShareAgain(t *testing.T) {
	stuck, after, inFlight := leaseExperiment(t, false)
	t.Logf("h3 was picked %d times while stuck, %d times after; %d in flight at the end", stuck, after, inFlight)
	assert.InDelta(t, 50, stuck, math.Sqrt(200*math.Log(2e12)/2))
	assert.InDelta(t, 200, after, math.Sqrt(800*math.Log(2e12)/2))
	assert.Zero(t, inFlight)
}

// A lease that is never released counts for ever: the experiment can tell.
func TestALeakedLeaseKeepsAServerOut(t *testing.T) {
	stuck, after, inFlight := leaseExperiment(t, true)
	assert.Equal(t, []int{1, 0, 1}, []int{stuck, after, inFlight})
}
