package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Under FIFO everything that came until t has been served when a job that
// arrives at t starts: speed·(t + wait) = rate·t.
func TestDriftServesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Drift{rapid.Float64Range(1, 10).Draw(t, "rate"), rapid.Float64Range(0.01, 1).Draw(t, "speed")}
		x := rapid.Float64Range(0, 1e4).Draw(t, "t")
		assert.InDelta(t, m.Rate*x, m.Speed*(x+m.Delay(x)), rounding(m.Rate*x, 12))
		assert.Zero(t, Drift{m.Speed, m.Rate}.Growth(), "a server that keeps up")
	})
}

// Published: a server of speed 0.2 that gets arrivals of rate 0.7 until time
// 2000; the longest queue of three runs held 1019 jobs.
func TestDriftPublishedPeak(t *testing.T) {
	m := Drift{0.7, 0.2}
	// The queue differs from the limit by two independent Poisson counts of means
	// 1400 and 400, short of the idle time at the start, which is small. By
	// Bernstein's inequality a deviation of 350 has probability below
	// 2·exp(-350²/(2·(1800+350/3))) < 2e-14, so its maximum over the run, by
	// Doob's inequality for the exponential martingale, as well.
	assert.InDelta(t, 1019, m.Jobs(2000), 350)
	assert.InDelta(t, 1000, m.Jobs(2000), rounding(1000, 2))
	assert.InDelta(t, 2500*2, m.Delay(2000), rounding(5000, 3))
	_, err := tryAsk("drift rho=0.7 speed=0")
	assert.ErrorContains(t, err, "speed is 0, want a finite number above 0")
	assert.True(t, math.IsInf(MM1{math.Nextafter(1, 0)}.TimeQuantile(1), 1))
}
