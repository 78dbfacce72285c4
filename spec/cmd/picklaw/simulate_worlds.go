package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
	"github.com/picklaw/picklaw/spec"
)

// The policies that --rng python knows.
const (
	replayable      = "random, round-robin, least-request, lowest-index, power-of-d:D and power-of-d:D:replacement"
	replayableTicks = "round-robin, smooth-weighted, least-request[:D], peak-ewma[:D] and ewma-over-success[:D]"
)

func (q *simulation) queueModel() (replication, error) {
	w := queue.World{
		Servers: q.n, Slots: q.slots, Capacity: q.capacity, Rho: q.rho, Rate: q.rate, Ramp: q.ramp,
		View: queue.ViewKind(q.view), Refresh: q.refresh, Dispatchers: q.dispatchers, Metric: queue.Metric(q.metric),
		Warmup: q.warmup, Horizon: q.horizon, Jobs: q.jobs, Skip: q.skip,
		Quantiles: q.quantiles, ProbeEvery: q.probeEvery, KeepSeries: q.series, RNG: queue.RNG(q.rng),
	}
	var err error
	if w.Speeds, err = list("speeds", q.speeds, "numbers", parseFloat); err != nil {
		return nil, err
	}
	if w.Weights, err = list("weights", q.weights, "positive whole numbers", parseUint); err != nil {
		return nil, err
	}
	if w.Sick, err = q.sickServers(); err != nil {
		return nil, err
	}
	if q.keys != "" {
		if w.Keys, err = queue.ParseKeys(q.keys); err != nil {
			return nil, err
		}
	}
	if err := q.requests(&w); err != nil {
		return nil, err
	}
	return q.world(w)
}

func (q *simulation) herdModel() (replication, error) {
	w := queue.PublishedHerd(q.n, q.rho, q.dispatchers)
	w.Ramp, w.Jobs, w.Skip, w.Quantiles, w.RNG = q.ramp, q.jobs, q.skip, q.quantiles, queue.RNG(q.rng)
	return q.world(w)
}

// world runs a policy in a checked world.
func (q *simulation) world(w queue.World) (replication, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	newPolicy, err := q.newPolicy(w.Servers)
	if err != nil {
		return nil, err
	}
	return func(seed uint64, watch func(float64) error) (any, error) {
		w := w
		w.Watch = func(jobs int, now float64) error {
			return watch(max(now/positive(w.Horizon), float64(jobs)/positive(float64(w.Jobs))))
		}
		return queue.Simulate(w, newPolicy, seed)
	}, nil
}

// positive replaces 0, which stands for no limit.
func positive(limit float64) float64 {
	if limit == 0 {
		return math.Inf(1)
	}
	return limit
}

func (q *simulation) ticksModel() (replication, error) {
	f := queue.FastErrors{
		Backends: q.n, HealthyTicks: q.healthyTicks, ErrorTicks: q.errorTicks, First: q.position == "first", Healthy: !q.broken,
		Slots: q.slots, CV: q.cv, Ticks: int(q.horizon), Rate: q.rate, RNG: queue.RNG(q.rng),
	}
	if q.horizon != math.Floor(q.horizon) || q.horizon > 1<<53 {
		return nil, fmt.Errorf("--horizon is %v, want a whole number of ticks", q.horizon)
	}
	var err error
	if f.Weights, err = list("weights", q.weights, "positive whole numbers", parseUint); err != nil {
		return nil, err
	}
	if len(f.Weights) != 0 && len(f.Weights) != q.n || slices.Contains(f.Weights, 0) {
		return nil, fmt.Errorf("--weights has %d weights, %v, for %d backends, want one each, 1 or more", len(f.Weights), f.Weights, q.n)
	}
	world := f.World()
	if err := world.Check(); err != nil {
		return nil, err
	}
	newPolicy, err := q.newTickPolicy(f)
	if err != nil {
		return nil, err
	}
	return func(seed uint64, watch func(float64) error) (any, error) {
		world := world
		world.Watch = func(ticks int) error { return watch(float64(ticks) / float64(f.Ticks)) }
		return world.Simulate(newPolicy(), seed)
	}, nil
}

func (q *simulation) ballsModel() (replication, error) {
	balls := queue.BallsIntoBins{Bins: q.n, Balls: q.jobs}
	if q.jobs == 0 {
		balls.Balls = q.n
	}
	newPolicy, err := q.newPolicy(q.n)
	if err != nil {
		return nil, err
	}
	return func(seed uint64, watch func(float64) error) (any, error) {
		balls := balls
		balls.Watch = func(thrown int) error { return watch(float64(thrown) / float64(balls.Balls)) }
		coins := queue.NewPCG(seed, "balls")
		if q.rng == "python" {
			coins = queue.NewPython(seed)
		}
		held, err := balls.Run(newPolicy(), coins)
		if err != nil {
			return nil, err
		}
		tails := make([]float64, slices.Max(held)+1)
		for _, h := range held {
			for k := range h {
				tails[k]++
			}
		}
		for k := range tails {
			tails[k] /= float64(len(held))
		}
		return figures{"jobs": balls.Balls, "peak": slices.Max(held), "tails": tails[:len(tails)-1]}, nil
	}, nil
}

func (q *simulation) snapshotModel() (replication, error) {
	loads, err := list("loads", q.loads, "numbers", parseFloat)
	if err != nil {
		return nil, err
	}
	herd := queue.Herd{Loads: loads, Balancers: q.dispatchers, SharedSeed: q.sharedSeed}
	if err := herd.Check(); err != nil {
		return nil, err
	}
	newPolicy, err := q.newPolicy(len(loads))
	if err != nil {
		return nil, err
	}
	return func(seed uint64, watch func(float64) error) (any, error) {
		herd := herd
		herd.Watch = func(decided int) error { return watch(float64(decided) / float64(herd.Balancers)) }
		picks, err := herd.Run(newPolicy, seed)
		if err != nil {
			return nil, err
		}
		shares := make([]float64, len(picks))
		for i, n := range picks {
			shares[i] = float64(n) / float64(herd.Balancers)
		}
		return figures{"jobs": herd.Balancers, "peak": slices.Max(picks), "sent": picks, "shares": shares}, nil
	}, nil
}

// sickServers reads SERVER:FACTOR with commas.
func (q *simulation) sickServers() (map[int]float64, error) {
	if q.sick == "" {
		return nil, nil
	}
	sick := make(map[int]float64)
	for _, word := range strings.Split(q.sick, ",") {
		server, factor, _ := strings.Cut(word, ":")
		i, err := strconv.Atoi(server)
		x, err2 := strconv.ParseFloat(factor, 64)
		if _, twice := sick[i]; err != nil || err2 != nil || twice {
			return nil, fmt.Errorf("--sick has %q, want SERVER:FACTOR once for each, such as 0:0.2", word)
		}
		sick[i] = x
	}
	return sick, nil
}

// requests reads when requests come and what work they bring.
func (q *simulation) requests(w *queue.World) error {
	if q.trace != "" {
		if q.arrivals != "" {
			return fmt.Errorf("--trace and --arrivals %s, want one of them", q.arrivals)
		}
		arrivals, work, err := readTrace("trace", q.trace)
		if err != nil {
			return err
		}
		w.Arrivals = arrivals
		switch {
		case work != nil && q.work != "":
			return fmt.Errorf("--trace %s has work, and --work is %s: want one of them", q.trace, q.work)
		case work != nil:
			w.Work = work
			return nil
		case q.work == "":
			return fmt.Errorf("--trace %s has no work, want a second number on each line or --work", q.trace)
		}
	}
	var err error
	switch {
	case q.trace != "":
	case isFile(q.arrivals, "poisson", "even"):
		var work queue.RecordedWork
		w.Arrivals, work, err = readTrace("arrivals", q.arrivals)
		if err == nil && work != nil {
			return fmt.Errorf("--arrivals %s has two numbers on each line, want the time alone, or --trace", q.arrivals)
		}
	default:
		w.Arrivals, err = queue.ParseArrivals(q.arrivals)
	}
	if err != nil {
		return err
	}
	if isFile(q.work, "exponential", "constant", "lognormal", "erlang", "hyperexponential") {
		w.Work, err = readWork(q.work)
	} else {
		w.Work, err = queue.ParseWork(q.work)
	}
	return err
}

func readTrace(flag, name string) (queue.RecordedArrivals, queue.RecordedWork, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer f.Close()
	return queue.ReadTrace(f, name)
}

func readWork(name string) (queue.RecordedWork, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--work is no distribution and no file: %w", err)
	}
	defer f.Close()
	return queue.ReadWork(f, name)
}

// newPolicy finds the policy for a fleet of n.
func (q *simulation) newPolicy(n int) (func() policies.Policy, error) {
	if err := q.fits(n); err != nil {
		return nil, err
	}
	if q.rng == "python" {
		return queue.ReplayPolicy(q.policy)
	}
	return spec.ParsePolicy(q.policy)
}

// newTickPolicy finds the policy for a tick world. Those that learn from the
// latency start from what the backends are configured with.
func (q *simulation) newTickPolicy(f queue.FastErrors) (func() policies.Policy, error) {
	if err := q.fits(f.Backends); err != nil {
		return nil, err
	}
	if q.rng == "python" {
		_, err := f.ReplayPolicy(q.policy, q.alpha)
		return func() policies.Policy {
			p, _ := f.ReplayPolicy(q.policy, q.alpha)
			return p
		}, err
	}
	rule, d := q.compares()
	newPolicy := func() policies.Policy {
		e := &policies.EWMA{D: d, Alpha: q.alpha, Prior: time.Second, Priors: f.Priors()}
		switch rule {
		case "ewma", "peak-ewma":
			return e
		case "least-time":
			return &policies.LeastTime{D: d, Latency: e}
		case "ewma-over-success":
			return &policies.OverSuccess{D: d, Latency: e}
		}
		return nil
	}
	if p := newPolicy(); p != nil {
		return newPolicy, policies.Check(p)
	}
	return spec.ParsePolicy(q.policy)
}

// compares splits the spelling of a rule that compares all servers, 0, or D.
func (q *simulation) compares() (rule string, d int) {
	rule, text, _ := strings.Cut(q.policy, ":")
	d, _ = strconv.Atoi(text) // the parser of the policy refuses what is no number
	return rule, d
}

// fits refuses policies that compare more distinct servers than there are, and
// those that route by key without one.
func (q *simulation) fits(n int) error {
	if err := fits(q.policy, n); err != nil {
		return err
	}
	rule, d := q.compares()
	switch rule {
	case "hash-mod", "ring", "maglev", "rendezvous", "sticky":
		if q.keys == "" {
			return fmt.Errorf("policy %s routes by key, want --keys in model queue", q.policy)
		}
	case "least-request", "weighted-least-request", "ewma", "peak-ewma", "least-time", "ewma-over-success", "peak-ewma-over-success", "lingering-errors":
		if d > n {
			return fmt.Errorf("policy %s compares %d distinct servers and the fleet has %d, want at most that many", q.policy, d, n)
		}
	}
	return nil
}
