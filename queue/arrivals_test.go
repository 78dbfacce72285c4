package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

func TestParseArrivals(t *testing.T) {
	for text, want := range map[string]Arrivals{"poisson": Poisson{}, "even": Evenly{}} {
		got, err := ParseArrivals(text)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseArrivals("bursty")
	assert.EqualError(t, err, `queue: unknown arrivals "bursty", want poisson or even`)
}

// Requests of work 1 that come every 1/(0.5·4) = 0.5 to four servers in turn
// never wait: D/D/1 below capacity.
func TestEvenArrivalsInTurnNeverWait(t *testing.T) {
	w := World{Servers: 4, Rho: 0.5, Arrivals: Evenly{}, Work: Constant{}, Horizon: 100, Quantiles: true}
	got, err := Simulate(w, func() policies.Policy { return new(policies.RoundRobin) }, 1)
	require.NoError(t, err)
	assert.Equal(t, 200, got.Jobs)
	for _, time := range got.Times {
		assert.Equal(t, 1.0, time)
	}
	assert.Equal(t, 1, got.Peak)
}

// The gaps of Poisson arrivals are exponential.
func TestPoissonGaps(t *testing.T) {
	const rate = 3
	m := exponentialSum.sampleSize(rate, 1.05*rate)
	next := Poisson{}.clock(rate, NewPCG(1, t.Name()))
	last := 0.0
	for range m {
		last, _ = next()
	}
	exponentialSum.check(t, "gaps", m, rate, last)
}
