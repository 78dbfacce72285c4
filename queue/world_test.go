package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
)

func TestWorldRefuses(t *testing.T) {
	good := World{Servers: 3, Rho: 0.5, Horizon: 10}
	nan, inf := math.NaN(), math.Inf(1)
	for want, change := range map[string]func(*World){
		"queue: 0 servers, want at least 1":                                                                 func(w *World) { w.Servers = 0 },
		"queue: -1 servers, want at least 1":                                                                func(w *World) { w.Servers = -1 },
		"queue: rho 0, want a finite positive number":                                                       func(w *World) { w.Rho = 0 },
		"queue: rho -0.5, want a finite positive number":                                                    func(w *World) { w.Rho = -0.5 },
		"queue: rho NaN, want a finite positive number":                                                     func(w *World) { w.Rho = nan },
		"queue: rho +Inf, want a finite positive number":                                                    func(w *World) { w.Rho = inf },
		"queue: rho 1, want less than 1: the queues would grow without end, which only a ramp may":          func(w *World) { w.Rho = 1 },
		"queue: arrival rate 3, want less than 3: the queues would grow without end, which only a ramp may": func(w *World) { w.Rho, w.Rate = 0, 3 },
		"queue: both rho 0.5 and rate 1, want one of them":                                                  func(w *World) { w.Rate = 1 },
		"queue: rho 0.5 and rate 0 with recorded arrivals, which have a rate of their own: want 0":          func(w *World) { w.Arrivals = RecordedArrivals{1} },
		"queue: recorded arrival 2 is at 1, want a finite time at or after 2":                               func(w *World) { w.Rho, w.Arrivals = 0, RecordedArrivals{2, 1} },
		"queue: recorded arrivals are empty, want at least one time":                                        func(w *World) { w.Rho, w.Arrivals = 0, RecordedArrivals{} },
		"queue: recorded work 1 is -1, want a finite number, 0 or more":                                     func(w *World) { w.Work = RecordedWork{-1} },
		"queue: recorded work is empty, want at least one number":                                           func(w *World) { w.Work = RecordedWork{} },
		"queue: 2 speeds for 3 servers, want one each":                                                      func(w *World) { w.Speeds = []float64{1, 1} },
		"queue: speed 0 of server 1, want a finite positive number":                                         func(w *World) { w.Speeds = []float64{1, 0, 1} },
		"queue: speed NaN of server 2, want a finite positive number":                                       func(w *World) { w.Speeds = []float64{1, 1, nan} },
		"queue: server 3 is sick, want a server from 0 to 2":                                                func(w *World) { w.Sick = map[int]float64{3: 0.5} },
		"queue: sick server 0 has speed factor 0, want a finite positive number":                            func(w *World) { w.Sick = map[int]float64{0: 0} },
		"queue: 1 weights for 3 servers, want one each":                                                     func(w *World) { w.Weights = []uint64{1} },
		"queue: weight 0 of server 1, want 1 to 4294967295":                                                 func(w *World) { w.Weights = []uint64{1, 0, 1} },
		"queue: -1 slots, want at least 1":                                                                  func(w *World) { w.Slots = -1 },
		"queue: capacity -1, want a positive number, or 0 for no limit":                                     func(w *World) { w.Capacity = -1 },
		"queue: 3 initial jobs at server 0, want 0 up to its capacity":                                      func(w *World) { w.Capacity, w.Initial = 2, []int{3, 0, 0} },
		"queue: horizon 0, want a finite number after the warm-up of 0":                                     func(w *World) { w.Horizon = 0 },
		"queue: horizon NaN, want a finite number after the warm-up of 0":                                   func(w *World) { w.Horizon = nan },
		"queue: horizon 10, want a finite number after the warm-up of 10":                                   func(w *World) { w.Warmup = 10 },
		"queue: warm-up -1, want a finite number, 0 or more":                                                func(w *World) { w.Warmup = -1 },
		"queue: 5 requests skipped of 5, want some left":                                                    func(w *World) { w.Jobs, w.Skip = 5, 5 },
		`queue: unknown view "stail", want "fresh", "stale", "shared-stale" or "local"`:                     func(w *World) { w.View = "stail" },
		"queue: a board refreshed every 0, want a finite positive number":                                   func(w *World) { w.View = Stale },
		"queue: a board refreshed every -1, want a finite positive number":                                  func(w *World) { w.View, w.Refresh = SharedStale, -1 },
		`queue: refresh 1 with view "fresh", which has no board: want 0`:                                    func(w *World) { w.Refresh = 1 },
		`queue: a local view cannot show the work left, which only the servers know: want metric "count"`:   func(w *World) { w.View, w.Metric = Local, WorkLeft },
		`queue: unknown metric "wrok", want "count" or "work"`:                                              func(w *World) { w.Metric = "wrok" },
		"queue: -2 dispatchers, want at least 1":                                                            func(w *World) { w.Dispatchers = -2 },
		`queue: unknown random number generator "dice", want "pcg" or "python"`:                             func(w *World) { w.RNG = "dice" },
		"queue: Erlang work of 0 phases, want at least 1":                                                   func(w *World) { w.Work = Erlang{} },
		"queue: hyperexponential work with squared variation 0.5, want 1 to 1e9":                            func(w *World) { w.Work = Hyperexponential{0.5} },
		"queue: lognormal work with sigma NaN, want a finite number, 0 or more":                             func(w *World) { w.Work = Lognormal{0, nan} },
		"queue: the weights of the keys add up to 0, want a finite positive number":                         func(w *World) { w.Keys = &Keys{} },
		"queue: a key ends with probability 2, want 0 to 1":                                                 func(w *World) { w.Keys = &Keys{[]float64{1}, 2} },
	} {
		w := good
		change(&w)
		_, err := Simulate(w, func() policies.Policy { return policies.Random{} }, 1)
		assert.EqualError(t, err, want)
	}
	_, err := Simulate(good, func() policies.Policy { return policies.Random{} }, 1)
	assert.NoError(t, err)
	for _, ramp := range []World{{Servers: 1, Rho: 2, Ramp: true, Jobs: 9}, {Servers: 1, Rho: 2, Capacity: 1, Jobs: 9}} {
		_, err := Simulate(ramp, func() policies.Policy { return policies.Random{} }, 1)
		assert.NoError(t, err)
	}
}

// lost is a policy that never finds a server.
type lost struct{ at int }

func (l lost) Pick(policies.Request, policies.View, policies.Coins) int { return l.at }

func TestSimulateNamesAPickOutsideTheFleet(t *testing.T) {
	for at, want := range map[int]string{
		-1: "queue: the policy picked server -1 for request 1, want 0 to 1",
		2:  "queue: the policy picked server 2 for request 1, want 0 to 1",
	} {
		_, err := Simulate(World{Servers: 2, Rho: 0.5, Jobs: 5}, func() policies.Policy { return lost{at} }, 1)
		assert.EqualError(t, err, want)
	}
	_, err := Simulate(World{Servers: 2, Rho: 0.5, Jobs: 5}, nil, 1)
	assert.EqualError(t, err, "queue: no policy, want a function that makes one")
}

func TestParseWork(t *testing.T) {
	for text, want := range map[string]Work{
		"exponential": Exponential{}, "constant": Constant{}, "lognormal:1.2": UnitLognormal(1.2), "erlang:4": Erlang{4}, "hyperexponential:3": Hyperexponential{3},
	} {
		got, err := ParseWork(text)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		"gamma":              `queue: unknown work "gamma", want exponential, constant, lognormal:SIGMA, erlang:K or hyperexponential:CV2`,
		"exponential:2":      `queue: work "exponential:2": exponential takes no parameter`,
		"erlang:1.5":         `queue: work "erlang:1.5": want erlang:K with an integer number of phases`,
		"erlang:0":           "queue: Erlang work of 0 phases, want at least 1",
		"lognormal":          `queue: work "lognormal": want lognormal:NUMBER`,
		"lognormal:NaN":      "queue: lognormal work with sigma NaN, want a finite number, 0 or more",
		"hyperexponential:0": "queue: hyperexponential work with squared variation 0, want 1 to 1e9",
	} {
		_, err := ParseWork(text)
		assert.EqualError(t, err, want)
	}
}

// scripted is a stream that always says the same.
type scripted struct {
	Stream
	uniform, exponential float64
}

func (s *scripted) Float64() float64    { return s.uniform }
func (s *scripted) ExpFloat64() float64 { return s.exponential }

// The two phases of hyperexponential work, taken apart: their probabilities and
// means give a mean of 1, the second moment CV2+1, and bring half of the work each.
func TestHyperexponentialHasItsMoments(t *testing.T) {
	for _, cv2 := range []float64{1.5, 4, 100} {
		s := &scripted{exponential: 1}
		draw := Hyperexponential{cv2}.sampler(s)
		usual := func(u float64) float64 { s.uniform = u; return draw() }
		short, long := usual(math.Nextafter(1, 0)), usual(0)
		low, high := 0.0, 1.0 // where the long phase ends
		for range 60 {
			if middle := (low + high) / 2; usual(middle) == long {
				low = middle
			} else {
				high = middle
			}
		}
		// A few roundings of numbers up to CV2+1.
		within := (cv2 + 1) * 0x1p-48
		assert.InDelta(t, 1, low*long+(1-low)*short, within)
		assert.InDelta(t, 0.5, low*long, within)
		assert.InDelta(t, cv2+1, 2*(low*long*long+(1-low)*short*short), within*long)
	}
}

func TestExtremesOfWork(t *testing.T) {
	assert.NoError(t, Lognormal{}.validate(), "no spread at all")
	assert.Error(t, Lognormal{Sigma: math.Nextafter(0, -1)}.validate())
	assert.NoError(t, RecordedWork{0, math.MaxFloat64}.validate())
	assert.NoError(t, Keys{Weights: []float64{0, 1}, Turnover: 1}.validate())
	assert.NoError(t, Keys{Weights: []float64{1}}.validate())
}

// Each distribution has the mean that it says and, through the share above its
// mean, its shape: both against closed forms.
func TestWorkDistributions(t *testing.T) {
	hyper := Hyperexponential{4}
	p := (1 - math.Sqrt(3./5)) / 2
	for _, c := range []struct {
		name  string
		work  Work
		above float64 // P(work > 1)
	}{
		{"exponential", Exponential{}, math.Exp(-1)},
		{"lognormal", UnitLognormal(1.2), math.Erfc(0.6/math.Sqrt2) / 2}, // ln work > 0 is a normal above sigma/2
		{"erlang", Erlang{3}, math.Exp(-3) * (1 + 3 + 4.5)},
		{"hyperexponential", hyper, p*math.Exp(-2*p) + (1-p)*math.Exp(-2*(1-p))},
	} {
		for _, rng := range []RNG{PCG, Python} {
			m := max(bernoulliSum.sampleSize(c.above, c.above*1.1), bernoulliSum.sampleSize(c.above, c.above*0.9))
			s, _ := rng.streams(7)
			next, above := c.work.sampler(s), 0.0
			for range m {
				if next() > 1 {
					above++
				}
			}
			bernoulliSum.check(t, c.name+" above 1, "+string(rng), m, c.above, above)
		}
	}
}
