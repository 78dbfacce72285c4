package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
)

// What is just within the limits of a world is allowed, and its neighbour is not.
func TestLimitsOfWorlds(t *testing.T) {
	least, largest := math.Nextafter(0, 1), math.MaxFloat64
	below0, above1, inf, nan := -least, math.Nextafter(1, 2), math.Inf(1), math.NaN()
	base := World{Servers: 2, Rho: 0.5, Horizon: 10}
	for name, change := range map[string]func(*World){
		"one server":             func(w *World) { w.Servers = 1 },
		"slow and fast servers":  func(w *World) { w.Speeds = []float64{least, 1e300} },
		"the first is sick":      func(w *World) { w.Sick = map[int]float64{0: least} },
		"the last is sick":       func(w *World) { w.Sick = map[int]float64{1: largest} },
		"light and heavy":        func(w *World) { w.Weights = []uint64{1, policies.MaxWeight} },
		"one slot":               func(w *World) { w.Slots = 1 },
		"room for one":           func(w *World) { w.Capacity = 1 },
		"full from the start":    func(w *World) { w.Capacity, w.Initial = 1, []int{0, 1} },
		"crowded from the start": func(w *World) { w.Initial = []int{0, 9} },
		"a short warm-up":        func(w *World) { w.Warmup = least },
		"a short horizon":        func(w *World) { w.Horizon = least },
		"one request":            func(w *World) { w.Jobs, w.Horizon = 1, 0 },
		"one is not skipped":     func(w *World) { w.Jobs, w.Skip = 2, 1 },
		"skips without an end":   func(w *World) { w.Skip = 1 },
		"one dispatcher":         func(w *World) { w.View, w.Dispatchers = Local, 1 },
		"work left":              func(w *World) { w.Metric = WorkLeft },
		"always refreshed":       func(w *World) { w.View, w.Refresh = Stale, least },
		"nearly full":            func(w *World) { w.Rho = math.Nextafter(1, 0) },
		"one arrives":            func(w *World) { w.Rho, w.Rate = 0, 1 },
		"as fast as they can":    func(w *World) { w.Rho, w.Rate = 0, math.Nextafter(2, 0) },
		"too fast for a while":   func(w *World) { w.Rho, w.Ramp = 1, true },
		"too fast for the room":  func(w *World) { w.Rho, w.Capacity = 1, 1 },
		"little spread":          func(w *World) { w.Work = Lognormal{0, least} },
		"some spread":            func(w *World) { w.Work = Lognormal{0, 0.5} },
		"one phase":              func(w *World) { w.Work = Erlang{1} },
		"no more than one phase": func(w *World) { w.Work = Hyperexponential{1} },
		"widely spread":          func(w *World) { w.Work = Hyperexponential{1e9} },
	} {
		w := base
		change(&w)
		_, err := w.normalize()
		assert.NoError(t, err, name)
	}
	for want, change := range map[string]func(*World){
		"speed -5e-324 of server 0":                func(w *World) { w.Speeds = []float64{below0, 1} },
		"speed +Inf of server 1":                   func(w *World) { w.Speeds = []float64{1, inf} },
		"server -1 is sick":                        func(w *World) { w.Sick = map[int]float64{-1: 1} },
		"server 2 is sick":                         func(w *World) { w.Sick = map[int]float64{2: 1} },
		"speed factor -5e-324":                     func(w *World) { w.Sick = map[int]float64{0: below0} },
		"speed factor +Inf":                        func(w *World) { w.Sick = map[int]float64{0: inf} },
		"weight 0 of server 0":                     func(w *World) { w.Weights = []uint64{0, 1} },
		"weight 4294967296 of server 1":            func(w *World) { w.Weights = []uint64{1, policies.MaxWeight + 1} },
		"-1 initial jobs at server 1":              func(w *World) { w.Initial = []int{0, -1} },
		"2 initial jobs at server 0":               func(w *World) { w.Capacity, w.Initial = 1, []int{2, 0} },
		"warm-up -5e-324":                          func(w *World) { w.Warmup = below0 },
		"warm-up +Inf":                             func(w *World) { w.Warmup = inf },
		"-1 requests, 0 skipped":                   func(w *World) { w.Jobs = -1 },
		"0 requests, -1 skipped":                   func(w *World) { w.Skip = -1 },
		"a probe every -1":                         func(w *World) { w.ProbeEvery = -1 },
		"1 requests skipped of 1":                  func(w *World) { w.Jobs, w.Skip = 1, 1 },
		"horizon 10, want":                         func(w *World) { w.Warmup = 10 },
		"horizon +Inf":                             func(w *World) { w.Horizon = inf },
		"-1 dispatchers":                           func(w *World) { w.Dispatchers = -1 },
		"refreshed every +Inf":                     func(w *World) { w.View, w.Refresh = Stale, inf },
		"refreshed every NaN":                      func(w *World) { w.View, w.Refresh = SharedStale, nan },
		"refresh 5e-324 with view":                 func(w *World) { w.Refresh = least },
		"rho 0 and rate 5e-324 with":               func(w *World) { w.Rho, w.Rate, w.Arrivals = 0, least, RecordedArrivals{1} },
		"rho 5e-324 and rate 0 with":               func(w *World) { w.Rho, w.Arrivals = least, RecordedArrivals{1} },
		"both rho 5e-324 and rate 1":               func(w *World) { w.Rho, w.Rate = least, 1 },
		"arrival rate +Inf":                        func(w *World) { w.Rho, w.Rate = 0, inf },
		"arrival rate 2, want less than 2":         func(w *World) { w.Rho, w.Rate = 0, 2 },
		"sigma +Inf":                               func(w *World) { w.Work = Lognormal{0, inf} },
		"has mean 0":                               func(w *World) { w.Work = Lognormal{-1e4, 1} },
		"has mean +Inf":                            func(w *World) { w.Work = Lognormal{1e4, 1} },
		"squared variation 0.99999999999999":       func(w *World) { w.Work = Hyperexponential{math.Nextafter(1, 0)} },
		"squared variation 1.0000000000000001e+09": func(w *World) { w.Work = Hyperexponential{math.Nextafter(1e9, inf)} },
		"ends with probability 1.0000000000000002": func(w *World) { w.Keys = &Keys{[]float64{1}, above1} },
		"ends with probability -5e-324":            func(w *World) { w.Keys = &Keys{[]float64{1}, below0} },
	} {
		w := base
		change(&w)
		_, err := w.normalize()
		assert.ErrorContains(t, err, want)
	}
}

func TestLimitsOfTickWorlds(t *testing.T) {
	inf := math.Inf(1)
	base := func() TickWorld {
		return TickWorld{Backends: []Backend{{Ticks: 1}, {Ticks: 1}}, Rate: 1, Ticks: 1}
	}
	for name, change := range map[string]func(*TickWorld){
		"as it is":          func(*TickWorld) {},
		"always fails":      func(w *TickWorld) { w.Backends[1] = Backend{ErrorRate: 1, ErrorTicks: 1} },
		"often fails":       func(w *TickWorld) { w.Backends[1] = Backend{Ticks: 1, ErrorRate: math.Nextafter(1, 0), ErrorTicks: 1} },
		"the most weight":   func(w *TickWorld) { w.Backends[0].Weight = policies.MaxWeight },
		"the lowest rate":   func(w *TickWorld) { w.Rate = math.Nextafter(0, 1) },
		"the highest rate":  func(w *TickWorld) { w.Rate = 700 },
		"one slot":          func(w *TickWorld) { w.Slots = 1 },
		"little variation":  func(w *TickWorld) { w.CV = math.Nextafter(0, 1) },
		"greatly scattered": func(w *TickWorld) { w.CV = 1e154 },
	} {
		w := base()
		change(&w)
		assert.NoError(t, w.Check(), name)
	}
	for want, change := range map[string]func(*TickWorld){
		"no backends":                             func(w *TickWorld) { w.Backends = nil },
		"error rate -5e-324 of backend 1":         func(w *TickWorld) { w.Backends[1].ErrorRate = -math.Nextafter(0, 1) },
		"error rate 1.0000000000000002":           func(w *TickWorld) { w.Backends[0] = Backend{ErrorRate: math.Nextafter(1, 2), ErrorTicks: 1} },
		"backend 0 answers in 0 ticks":            func(w *TickWorld) { w.Backends[0].Ticks = 0 },
		"backend 1 fails in 0 ticks":              func(w *TickWorld) { w.Backends[1].ErrorRate = math.Nextafter(0, 1) },
		"weight 4294967296 of backend 1":          func(w *TickWorld) { w.Backends[1].Weight = policies.MaxWeight + 1 },
		"0 calls per tick":                        func(w *TickWorld) { w.Rate = 0 },
		"700.0000000000001 calls per tick":        func(w *TickWorld) { w.Rate = math.Nextafter(700, inf) },
		"a run of 0 ticks":                        func(w *TickWorld) { w.Ticks = 0 },
		"-1 slots":                                func(w *TickWorld) { w.Slots = -1 },
		"coefficient of variation -5e-324":        func(w *TickWorld) { w.CV = -math.Nextafter(0, 1) },
		"coefficient of variation +Inf":           func(w *TickWorld) { w.CV = inf },
		"coefficient of variation 1.5e+154, want": func(w *TickWorld) { w.CV = 1.5e154 },
	} {
		w := base()
		change(&w)
		assert.ErrorContains(t, w.Check(), want)
	}
}

// All quantiles of one request are its time in system, and so is the mean.
func TestQuantilesOfOneRequest(t *testing.T) {
	r, err := Simulate(World{Servers: 1, Rho: 0.5, Jobs: 1, Quantiles: true, Work: Constant{}},
		func() policies.Policy { return policies.Random{} }, 1)
	assert.NoError(t, err)
	assert.Equal(t, [5]float64{1, 1, 1, 1, 1}, [5]float64{r.Mean, r.P50, r.P99, r.P999, r.Times[0]})
}

// A rate is taken as it is, rho as a part of what the fleet can do.
func TestArrivalRate(t *testing.T) {
	for _, rate := range []float64{0.5, 1, 2} {
		assert.Equal(t, rate, World{Servers: 4, Slots: 1, Work: Constant{}, Rate: rate}.arrivalRate())
	}
	assert.Equal(t, 3.0, World{Servers: 4, Slots: 3, Work: Constant{}, Rho: 0.25}.arrivalRate())
	assert.Equal(t, 4.5, World{Servers: 2, Slots: 3, Speeds: []float64{1, 2}, Work: Constant{}, Rho: 0.5}.arrivalRate())
}
