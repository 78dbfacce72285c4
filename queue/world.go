package queue

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/policies"
)

// ViewKind tells what a dispatcher sees of the loads.
type ViewKind string

const (
	Fresh       ViewKind = "fresh"        // the servers as they are; the default
	Stale       ViewKind = "stale"        // each dispatcher has a board of its own, refreshed every Refresh
	SharedStale ViewKind = "shared-stale" // all dispatchers read one such board
	Local       ViewKind = "local"        // each dispatcher counts what it sent itself
)

// Metric tells what a load is.
type Metric string

const (
	Count    Metric = "count" // requests in the system; the default
	WorkLeft Metric = "work"  // time until the server would be idle
)

// A World is everything around a policy: servers, arrivals, work and what the
// policy may see. Times are in units of the mean work of a request on a server
// of speed 1, unless Work says otherwise; for policies one unit is a second.
// The zero value of a field means what its comment says, so the smallest world
// is
//
//	World{Servers: 100, Rho: 0.9, Warmup: 500, Horizon: 2500}
type World struct {
	Servers  int             // how many, at least 1
	Speeds   []float64       // work done per unit of time; nil: 1 each
	Sick     map[int]float64 // factor on the speed of a server, unknown to the arrival rate
	Weights  []uint64        // what the policy is told; nil: 1 each
	Slots    int             // jobs a server works on at a time, each at full speed; 0: 1
	Capacity int             // jobs a server holds at most; a request beyond is lost; 0: no limit
	Initial  []int           // jobs in system at time 0; nil: none. Their work is drawn like any other

	Rho      float64  // utilization: the arrival rate is Rho · sum of speeds · Slots / mean work
	Rate     float64  // or the arrival rate itself
	Ramp     bool     // allows more arrivals than the servers can work off
	Arrivals Arrivals // nil: Poisson{}
	Work     Work     // nil: Exponential{}
	Keys     *Keys    // nil: requests have no key

	View        ViewKind
	Refresh     float64 // period of a stale board
	Dispatchers int     // 0: 1. Each has a policy of its own and an equal chance of every request
	Metric      Metric

	Warmup  float64 // requests that arrive up to this time are not counted
	Horizon float64 // the last time at which a request may arrive; 0: no end, if something else ends it
	Jobs    int     // end after so many requests; 0: no limit
	Skip    int     // the first requests not counted, besides those of the warm-up

	Quantiles  bool      // find P50, P99 and P999: keeps every counted time
	ProbeEvery int       // count the jobs at the servers before every so-manieth request; 0: never
	KeepSeries bool      // keep these counts
	Observe    func(Job) // told of every request, in the order of arrival
	RNG        RNG       // "": PCG

	// Watch is told now and then, every thousand requests or so, how many there
	// were and what time it is. An error of its ends the run. Nil: nobody is told.
	Watch func(jobs int, now float64) error

	// replay-only order of draws: the work of a request after its pick, and one
	// stream for everything.
	workAfterPick, oneStream bool
}

// A Job is one request on its way.
type Job struct {
	Number         int // from 1
	Dispatcher     int
	Server         int  // where it was sent
	Lost           bool // that server was full; Start and Finish are 0
	Arrival, Work  float64
	Start, Finish  float64
	InSystemBefore int // jobs at that server when it came
	Key            string
}

// Check says what is wrong with the world, which Simulate refuses to run in.
func (w World) Check() error {
	_, err := w.normalize()
	return err
}

// normalize fills in the defaults and checks everything that a user can get
// wrong.
func (w World) normalize() (World, error) {
	if w.Servers < 1 {
		return w, fmt.Errorf("queue: %d servers, want at least 1", w.Servers)
	}
	for _, err := range []error{w.checkFleet(), w.RNG.validate(), w.checkSpan()} {
		if err != nil {
			return w, err
		}
	}
	if w.Slots == 0 {
		w.Slots = 1
	}
	if w.Dispatchers == 0 {
		w.Dispatchers = 1
	}
	if w.Arrivals == nil {
		w.Arrivals = Poisson{}
	}
	if w.Work == nil {
		w.Work = Exponential{}
	}
	if w.View == "" {
		w.View = Fresh
	}
	if w.Metric == "" {
		w.Metric = Count
	}
	if w.Horizon == 0 {
		w.Horizon = math.Inf(1)
	}
	if err := w.Arrivals.validate(); err != nil {
		return w, err
	}
	if err := w.Work.validate(); err != nil {
		return w, err
	}
	if w.Keys != nil {
		if err := w.Keys.validate(); err != nil {
			return w, err
		}
	}
	if err := w.checkView(); err != nil {
		return w, err
	}
	return w, w.checkRate()
}

func (w World) checkFleet() error {
	for name, length := range map[string]int{"speeds": len(w.Speeds), "weights": len(w.Weights), "initial jobs": len(w.Initial)} {
		if length != 0 && length != w.Servers {
			return fmt.Errorf("queue: %d %s for %d servers, want one each", length, name, w.Servers)
		}
	}
	for i, v := range w.Speeds {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("queue: speed %v of server %d, want a finite positive number", v, i)
		}
	}
	for i, factor := range w.Sick {
		if i < 0 || i >= w.Servers {
			return fmt.Errorf("queue: server %d is sick, want a server from 0 to %d", i, w.Servers-1)
		}
		if !(factor > 0) || math.IsInf(factor, 1) {
			return fmt.Errorf("queue: sick server %d has speed factor %v, want a finite positive number", i, factor)
		}
	}
	for i, weight := range w.Weights {
		if weight < 1 || weight > policies.MaxWeight {
			return fmt.Errorf("queue: weight %d of server %d, want 1 to %d", weight, i, uint64(policies.MaxWeight))
		}
	}
	if w.Slots < 0 {
		return fmt.Errorf("queue: %d slots, want at least 1", w.Slots)
	}
	if w.Capacity < 0 {
		return fmt.Errorf("queue: capacity %d, want a positive number, or 0 for no limit", w.Capacity)
	}
	for i, n := range w.Initial {
		if n < 0 || w.Capacity > 0 && n > w.Capacity {
			return fmt.Errorf("queue: %d initial jobs at server %d, want 0 up to its capacity", n, i)
		}
	}
	return nil
}

func (w World) checkSpan() error {
	if !(w.Warmup >= 0) || math.IsInf(w.Warmup, 1) {
		return fmt.Errorf("queue: warm-up %v, want a finite number, 0 or more", w.Warmup)
	}
	if w.Jobs < 0 || w.Skip < 0 || w.ProbeEvery < 0 {
		return fmt.Errorf("queue: %d requests, %d skipped, a probe every %d: want no negative number", w.Jobs, w.Skip, w.ProbeEvery)
	}
	if w.Jobs > 0 && w.Skip >= w.Jobs {
		return fmt.Errorf("queue: %d requests skipped of %d, want some left", w.Skip, w.Jobs)
	}
	_, recorded := w.Arrivals.(RecordedArrivals)
	if w.Horizon == 0 && (w.Jobs > 0 || recorded && w.Warmup == 0) {
		return nil
	}
	if !(w.Horizon > w.Warmup) || math.IsInf(w.Horizon, 1) {
		return fmt.Errorf("queue: horizon %v, want a finite number after the warm-up of %v", w.Horizon, w.Warmup)
	}
	return nil
}

func (w World) checkView() error {
	if w.Dispatchers < 1 {
		return fmt.Errorf("queue: %d dispatchers, want at least 1", w.Dispatchers)
	}
	if w.Metric != Count && w.Metric != WorkLeft {
		return fmt.Errorf("queue: unknown metric %q, want %q or %q", string(w.Metric), string(Count), string(WorkLeft))
	}
	switch w.View {
	case Fresh:
	case Local:
		if w.Metric == WorkLeft {
			return fmt.Errorf("queue: a local view cannot show the work left, which only the servers know: want metric %q", string(Count))
		}
	case Stale, SharedStale:
		if !(w.Refresh > 0) || math.IsInf(w.Refresh, 1) {
			return fmt.Errorf("queue: a board refreshed every %v, want a finite positive number", w.Refresh)
		}
		return nil
	default:
		return fmt.Errorf("queue: unknown view %q, want %q, %q, %q or %q", string(w.View), string(Fresh), string(Stale), string(SharedStale), string(Local))
	}
	if w.Refresh != 0 {
		return fmt.Errorf("queue: refresh %v with view %q, which has no board: want 0", w.Refresh, string(w.View))
	}
	return nil
}

// checkRate checks that the arrival rate is given once, and that the servers
// can keep up with it.
func (w World) checkRate() error {
	if _, recorded := w.Arrivals.(RecordedArrivals); recorded {
		if w.Rho != 0 || w.Rate != 0 {
			return fmt.Errorf("queue: rho %v and rate %v with recorded arrivals, which have a rate of their own: want 0", w.Rho, w.Rate)
		}
		return nil
	}
	name, value, limit := "rho", w.Rho, 1.0
	if w.Rate != 0 {
		if w.Rho != 0 {
			return fmt.Errorf("queue: both rho %v and rate %v, want one of them", w.Rho, w.Rate)
		}
		name, value, limit = "arrival rate", w.Rate, w.throughput()
	}
	if !(value > 0) || math.IsInf(value, 1) {
		return fmt.Errorf("queue: %s %v, want a finite positive number", name, value)
	}
	if value >= limit && !w.Ramp && w.Capacity == 0 {
		return fmt.Errorf("queue: %s %v, want less than %v: the queues would grow without end, which only a ramp may", name, value, limit)
	}
	return nil
}

// throughput is how many requests the fleet can finish per unit of time.
func (w World) throughput() float64 {
	sum := float64(w.Servers)
	if w.Speeds != nil {
		sum = 0
		for _, v := range w.Speeds {
			sum += v
		}
	}
	return sum * float64(w.Slots) / w.Work.Mean()
}

// arrivalRate is the mean number of arrivals per unit of time.
func (w World) arrivalRate() float64 {
	if w.Rate != 0 {
		return w.Rate
	}
	return w.Rho * w.throughput()
}

// expectedJobs is about how many requests will be counted, from above but within
// reason, to make room for them.
func (w World) expectedJobs() int {
	if recorded, ok := w.Arrivals.(RecordedArrivals); ok {
		return len(recorded)
	}
	expected := math.Inf(1)
	if w.Jobs > 0 {
		expected = float64(w.Jobs - w.Skip)
	}
	mean := w.arrivalRate() * (w.Horizon - w.Warmup)
	return int(min(expected, mean+5*math.Sqrt(mean), 1<<24))
}

// fleet is what policies are told of the servers.
func (w World) fleet() []policies.Server {
	fleet := policies.Fleet(w.Servers)
	for i, weight := range w.Weights {
		fleet[i].Weight = weight
	}
	return fleet
}

// fifos are the empty servers.
func (w World) fifos() []fifo {
	servers := make([]fifo, w.Servers)
	for i := range servers {
		speed := 1.0
		if w.Speeds != nil {
			speed = w.Speeds[i]
		}
		if factor, sick := w.Sick[i]; sick {
			speed *= factor
		}
		servers[i] = newFIFO(speed, w.Slots)
	}
	return servers
}
