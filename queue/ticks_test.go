package queue

import (
	"encoding/json"
	"fmt"
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
		law := rapid.SampledFrom([]string{"round-robin", "least-request", "least-request:2", "peak-ewma", "peak-ewma:1", "peak-ewma:3"}).Draw(t, "policy")
		f := PublishedTicks()
		f.Backends = rapid.IntRange(2, 6).Draw(t, "backends")
		f.HealthyTicks, f.ErrorTicks = rapid.IntRange(1, 20).Draw(t, "healthy"), rapid.IntRange(1, 20).Draw(t, "error")
		f.Slots = rapid.IntRange(1, 3).Draw(t, "slots")
		f.CV = rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "cv")
		f.Ticks = 300
		broken, _, err := f.replay(law, 0.2)
		require.NoError(t, err)
		f.Healthy = true
		healthy, _, err := f.replay(law, 0.2)
		require.NoError(t, err)

		assert.Equal(t, healthy.Requests, healthy.Goodput)
		assert.Equal(t, broken.Requests-broken.Sent[f.Fast()], broken.Goodput)
		broken.Goodput, broken.OkP99 = healthy.Goodput, healthy.OkP99
		assert.Equal(t, healthy, broken)
	})
}

// A policy that reads verdicts does tell them apart.
func TestOverSuccessReadsVerdicts(t *testing.T) {
	f := PublishedTicks()
	_, broken, err := f.replay("ewma-over-success", 0.2)
	require.NoError(t, err)
	f.Healthy = true
	_, healthy, err := f.replay("ewma-over-success", 0.2)
	require.NoError(t, err)
	assert.Less(t, broken, healthy)
}

func TestReplayPoliciesRefuse(t *testing.T) {
	f := PublishedTicks()
	for law, want := range map[string]string{
		"random":        `queue: no replay of policy "random", want round-robin, smooth-weighted, least-request[:D], peak-ewma[:D] or ewma-over-success[:D]`,
		"round-robin:2": `queue: no replay of policy "round-robin:2", want round-robin, smooth-weighted, least-request[:D], peak-ewma[:D] or ewma-over-success[:D]`,
		"peak-ewma:0":   `queue: policy "peak-ewma:0": "0" servers to compare, want a whole number, at least 1`,
	} {
		_, err := f.ReplayPolicy(law, 0.2)
		assert.EqualError(t, err, want)
	}
	_, err := f.ReplayPolicy("peak-ewma", math.NaN())
	assert.EqualError(t, err, "policies: EWMA.Alpha is NaN, want more than 0 and at most 1")
	for _, law := range []string{"ring", "power-of-d", "power-of-d:0", "power-of-d:x:replacement", "2"} {
		_, err := ReplayPolicy(law)
		assert.EqualError(t, err, `queue: no replay of policy "`+law+`", want random, round-robin, least-request, lowest-index, power-of-d:D or power-of-d:D:replacement`)
	}
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
	assert.NotContains(t, fields, "series")
	run.Series = [][]int{{1, 2}}
	text, err = json.Marshal(run)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.Equal(t, []any{[]any{1.0, 2.0}}, fields["series"])
}

// A policy is told who the backends are, and one that picks nobody is named.
func TestTickWorldPrepares(t *testing.T) {
	w := TickWorld{Backends: []Backend{{Ticks: 1}, {Ticks: 1}}, Ticks: 50, Rate: 1}
	got, err := w.Simulate(&policies.HashMod{}, 1)
	require.NoError(t, err, "it knows where a key goes")
	assert.Contains(t, got.Sent, got.Requests, "one key, one backend")
	for _, at := range []int{-1, 2} {
		_, err = w.Simulate(lost{at}, 1)
		assert.EqualError(t, err, fmt.Sprintf("queue: the policy picked backend %d for call 1, want 0 to 1", at))
	}
}
