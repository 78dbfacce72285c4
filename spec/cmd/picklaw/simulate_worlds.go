package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/picklaw/picklaw/queue"
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
