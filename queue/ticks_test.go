package queue

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

// poissonSum: the sum of m Poisson numbers is Poisson, P(S <= s) = Q(s+1, m·mean)
// with the regularized upper incomplete gamma function.
var poissonSum = sumLaw{
	atMost: func(m int, mean, s float64) float64 {
		return mathext.GammaIncRegComp(math.Floor(s)+1, float64(m)*mean)
	},
	atLeast: func(m int, mean, s float64) float64 {
		if s <= 0 {
			return 1
		}
		return mathext.GammaIncReg(math.Ceil(s), float64(m)*mean)
	},
	mean: func(mean float64) float64 { return mean },
}

func TestTickArrivalsArePoisson(t *testing.T) {
	const rate = 0.32
	m := max(poissonSum.sampleSize(rate, 1.05*rate), bernoulliSum.sampleSize(math.Exp(-rate), 1.05*math.Exp(-rate)))
	for _, rng := range []RNG{PCG, Python} {
		s, _ := rng.streams(1)
		sum, none := 0, 0
		for range m {
			n := poisson(s, rate)
			sum += n
			if n == 0 {
				none++
			}
		}
		poissonSum.check(t, "calls", m, rate, float64(sum))
		bernoulliSum.check(t, "ticks without a call", m, math.Exp(-rate), float64(none))
	}
}

// A jittered duration rounds to more than 12 ticks when the lognormal exceeds
// 12.5, and fails with its rate.
func TestTickCalls(t *testing.T) {
	const cv, errors = 0.5, 0.3
	b := Backend{Ticks: 10, ErrorTicks: 10, ErrorRate: errors}
	sigma := math.Sqrt(math.Log(1 + cv*cv))
	above := math.Erfc((math.Log(12.5/10)+sigma*sigma/2)/sigma/math.Sqrt2) / 2
	m := max(bernoulliSum.sampleSize(above, 1.05*above), bernoulliSum.sampleSize(errors, 1.05*errors))
	s, long, failures := NewPCG(1, t.Name()), 0, 0
	for range m {
		duration, failed := b.call(s, cv)
		if duration > 12 {
			long++
		}
		if failed {
			failures++
		}
		if duration < 1 || duration != math.Trunc(duration) {
			t.Fatalf("a call takes %v ticks", duration)
		}
	}
	bernoulliSum.check(t, "calls of more than 12 ticks", m, above, float64(long))
	bernoulliSum.check(t, "failed calls", m, errors, float64(failures))
}

// Twin worlds: the same latencies with the verdicts flipped. A policy that does
// not read verdicts cannot tell them apart, so it routes every call alike and
// learns the same; only the goodput differs.
func TestTwinWorldsWithFlippedVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := publishedTicks(rapid.SampledFrom([]string{"round-robin", "least-conn", "peak-ewma"}).Draw(t, "policy"), rapid.IntRange(0, 3).Draw(t, "d"))
		r.n = rapid.IntRange(2, 6).Draw(t, "n")
		r.slow, r.fast = rapid.IntRange(1, 20).Draw(t, "slow"), rapid.IntRange(1, 20).Draw(t, "fast")
		r.slots = rapid.IntRange(1, 3).Draw(t, "slots")
		w, fast, prior := r.world()
		w.Ticks = 300
		w.CV = rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "cv")
		broken, err := w.Simulate(r.newPolicy(prior), 1)
		require.NoError(t, err)
		w.Backends[fast] = Backend{Ticks: r.fast}
		healthy, err := w.Simulate(r.newPolicy(prior), 1)
		require.NoError(t, err)

		assert.Equal(t, healthy.Requests, healthy.Goodput)
		assert.Equal(t, broken.Requests-broken.Sent[fast], broken.Goodput)
		broken.Goodput, broken.OkP99 = healthy.Goodput, healthy.OkP99
		assert.Equal(t, healthy, broken)
	})
}

// A policy that reads verdicts does tell them apart.
func TestOverSuccessReadsVerdicts(t *testing.T) {
	r := publishedTicks("ewma-over-success", 0)
	w, fast, prior := r.world()
	broken, err := w.Simulate(r.newPolicy(prior), 1)
	require.NoError(t, err)
	w.Backends[fast] = Backend{Ticks: r.fast}
	healthy, err := w.Simulate(r.newPolicy(prior), 1)
	require.NoError(t, err)
	assert.Less(t, broken.Sent[fast], healthy.Sent[fast])
}

func TestTickWorldRefuses(t *testing.T) {
	good := TickWorld{Backends: []Backend{{Ticks: 3}}, Ticks: 10, Rate: 0.3}
	for want, change := range map[string]func(*TickWorld){
		"queue: no backends, want at least one":                                 func(w *TickWorld) { w.Backends = nil },
		"queue: error rate NaN of backend 0, want 0 to 1":                       func(w *TickWorld) { w.Backends = []Backend{{ErrorRate: math.NaN()}} },
		"queue: backend 0 answers in 0 ticks, want at least 1":                  func(w *TickWorld) { w.Backends = []Backend{{}} },
		"queue: backend 0 fails in 0 ticks, want at least 1":                    func(w *TickWorld) { w.Backends = []Backend{{Ticks: 1, ErrorRate: 0.5}} },
		"queue: 0 calls per tick, want a positive number up to 700":             func(w *TickWorld) { w.Rate = 0 },
		"queue: NaN calls per tick, want a positive number up to 700":           func(w *TickWorld) { w.Rate = math.NaN() },
		"queue: a run of 0 ticks, want at least 1":                              func(w *TickWorld) { w.Ticks = 0 },
		"queue: -1 slots, want at least 1":                                      func(w *TickWorld) { w.Slots = -1 },
		"queue: coefficient of variation -1, want a finite number, 0 or more":   func(w *TickWorld) { w.CV = -1 },
		`queue: unknown random number generator "dice", want "pcg" or "python"`: func(w *TickWorld) { w.RNG = "dice" },
		"queue: weight 4294967296 of backend 0, want at most 4294967295":        func(w *TickWorld) { w.Backends = []Backend{{Ticks: 1, Weight: 1 << 32}} },
	} {
		w := good
		change(&w)
		_, err := w.Simulate(policies.Random{}, 1)
		assert.EqualError(t, err, want)
	}
	_, err := good.Simulate(lost{1}, 1)
	assert.EqualError(t, err, "queue: the policy picked backend 1 for call 1, want 0 to 0")
}

// What has no value is null in JSON, which knows no NaN.
func TestResultsAsJSON(t *testing.T) {
	got, err := TickWorld{Backends: []Backend{{ErrorTicks: 2, ErrorRate: 1}}, Ticks: 50, Rate: 0.3}.Simulate(policies.Random{}, 1)
	require.NoError(t, err)
	var fields map[string]any
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.Nil(t, fields["ok_p99"])
	assert.Contains(t, fields, "ok_p99")
	assert.EqualValues(t, 0, fields["goodput"])

	run, err := Simulate(World{Servers: 2, Rho: 0.5, Jobs: 50, ProbeEvery: 1}, func() policies.Policy { return policies.Random{} }, 1)
	require.NoError(t, err)
	text, err = json.Marshal(run)
	require.NoError(t, err)
	clear(fields)
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.Nil(t, fields["p99"], "no quantiles were asked for")
	assert.EqualValues(t, run.Mean, fields["mean"])
	assert.EqualValues(t, run.Tails[1], fields["tails"].([]any)[0])
}
