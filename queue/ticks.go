//go:build !mutants

package queue

import (
	"fmt"
	"math"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// A Backend of a tick world takes Ticks for a success and ErrorTicks for an
// error, and fails with probability ErrorRate.
type Backend struct {
	Ticks      int     // at least 1
	ErrorTicks int     // at least 1 when ErrorRate is positive
	ErrorRate  float64 // 0 to 1
	Weight     uint64  // what the policy is told; 0: 1
}

// A TickWorld is a world in discrete time with verdicts: calls succeed or fail,
// and an error may be much faster than a success. Each tick a Poisson number of
// calls arrives, the policy sends each to a backend, and learns latency and
// verdict at once. For policies one tick is a second.
type TickWorld struct {
	Backends []Backend
	Ticks    int     // length of the run
	Rate     float64 // mean number of calls per tick
	Slots    int     // calls that a backend works on at a time; 0: 1
	CV       float64 // coefficient of variation of the service times, lognormal; 0: constant
	RNG      RNG

	// Watch is told now and then how many ticks have passed. An error of its ends
	// the run. Nil: nobody is told.
	Watch func(ticks int) error
}

// TickResult is what came out of a tick world. Latencies are in ticks and
// include the wait. What has no value is NaN.
type TickResult struct {
	Requests int
	Goodput  int       // calls that succeeded
	Sent     []int     // to each backend
	Shares   []float64 // of each backend
	Mean     float64   // mean latency
	P50, P99 float64   // quantiles of all latencies: element floor(p·m) in order
	OkP99    float64   // of the successful ones
	Peak     int       // most calls at one backend
	EWMA     []float64 // estimates at the end, of a policy that has a method Estimate
}

// MarshalJSON writes the field names of the picklaw command. A number that is
// not finite is null.
func (r TickResult) MarshalJSON() ([]byte, error) {
	fields := map[string]any{
		"jobs": r.Requests, "goodput": r.Goodput, "sent": r.Sent, "shares": r.Shares, "mean": r.Mean,
		"p50": r.P50, "p99": r.P99, "ok_p99": r.OkP99, "peak": r.Peak,
	}
	if r.EWMA != nil {
		fields["ewma"] = r.EWMA
	}
	return marshalFinite(fields)
}

// estimator is a policy that can tell the latency it expects, in seconds.
type estimator interface {
	Estimate(id policies.ServerID, now time.Duration) float64
}

// Check says what is wrong with the world, which Simulate refuses to run in.
func (w TickWorld) Check() error {
	if len(w.Backends) == 0 {
		return fmt.Errorf("queue: no backends, want at least one")
	}
	for i, b := range w.Backends {
		switch {
		case !(b.ErrorRate >= 0 && b.ErrorRate <= 1):
			return fmt.Errorf("queue: error rate %v of backend %d, want 0 to 1", b.ErrorRate, i)
		case b.ErrorRate < 1 && b.Ticks < 1:
			return fmt.Errorf("queue: backend %d answers in %d ticks, want at least 1", i, b.Ticks)
		case b.ErrorRate > 0 && b.ErrorTicks < 1:
			return fmt.Errorf("queue: backend %d fails in %d ticks, want at least 1", i, b.ErrorTicks)
		case b.Weight > policies.MaxWeight:
			return fmt.Errorf("queue: weight %d of backend %d, want at most %d", b.Weight, i, uint64(policies.MaxWeight))
		}
	}
	// Poisson numbers are drawn against exp(-Rate), which must be a normal
	// number.
	if !(w.Rate > 0 && w.Rate <= 700) {
		return fmt.Errorf("queue: %v calls per tick, want a positive number up to 700", w.Rate)
	}
	if w.Ticks < 1 {
		return fmt.Errorf("queue: a run of %d ticks, want at least 1", w.Ticks)
	}
	if w.Slots < 0 {
		return fmt.Errorf("queue: %d slots, want at least 1", w.Slots)
	}
	if !(w.CV >= 0) || math.IsInf(w.CV*w.CV, 1) {
		return fmt.Errorf("queue: coefficient of variation %v, want a finite number, 0 or more", w.CV)
	}
	return w.RNG.validate()
}

// Simulate runs a policy in the world.
func (w TickWorld) Simulate(p policies.Policy, seed uint64) (TickResult, error) {
	if err := w.Check(); err != nil {
		return TickResult{}, err
	}
	if err := policies.Check(p); err != nil {
		return TickResult{}, err
	}
	s := w.stream(seed)
	view := &freshView{fleetView: fleetView{fleet: policies.Fleet(len(w.Backends))}}
	for i, b := range w.Backends {
		view.fleet[i].Weight = max(1, b.Weight)
		view.servers = append(view.servers, newFIFO(1, max(1, w.Slots)))
	}
	policies.Join(p, view.fleet)
	learner, _ := p.(policies.Learner)
	out := TickResult{Sent: make([]int, len(w.Backends))}
	var latencies, ok []float64
	for tick := range w.Ticks {
		if w.Watch != nil && tick%watchEvery == 0 {
			if err := w.Watch(tick); err != nil {
				return TickResult{}, err
			}
		}
		now := float64(tick)
		view.advance(now)
		for range poisson(s, w.Rate) {
			i := p.Pick(policies.Request{}, view, s)
			if i < 0 || i >= len(w.Backends) {
				return TickResult{}, fmt.Errorf("queue: the policy picked backend %d for call %d, want 0 to %d", i, out.Requests+1, len(w.Backends)-1)
			}
			duration, failed := w.Backends[i].call(s, w.CV)
			_, finish := view.servers[i].accept(now, duration)
			latency := finish - now
			out.Requests++
			out.Sent[i]++
			out.Peak = max(out.Peak, view.servers[i].inSystem(now))
			latencies = append(latencies, latency)
			if !failed {
				out.Goodput++
				ok = append(ok, latency)
			}
			if learner != nil {
				learner.Observe(policies.ServerID(i), policies.Outcome{At: seconds(finish), Latency: seconds(latency), Failed: failed})
			}
		}
	}
	out.finish(latencies, ok)
	if e, tells := p.(estimator); tells {
		for i := range w.Backends {
			out.EWMA = append(out.EWMA, e.Estimate(policies.ServerID(i), seconds(float64(w.Ticks))))
		}
	}
	return out, nil
}

// stream is the one stream of a tick world.
func (w TickWorld) stream(seed uint64) Stream {
	if w.RNG == Python {
		return NewPython(seed)
	}
	return NewPCG(seed, "ticks")
}

// call draws how long a call takes and whether it fails.
func (b Backend) call(s Stream, cv float64) (duration float64, failed bool) {
	failed = b.ErrorRate == 1 || b.ErrorRate > 0 && s.Float64() < b.ErrorRate
	duration = float64(b.Ticks)
	if failed {
		duration = float64(b.ErrorTicks)
	}
	if cv > 0 {
		variance := math.Log(1 + cv*cv)
		deviation := float64(math.Sqrt(variance) * s.NormFloat64()) // the conversion forbids a fused multiply-add
		duration = max(1, math.RoundToEven(math.Exp(math.Log(duration)-variance/2+deviation)))
	}
	return duration, failed
}

// poisson is how many uniform factors it takes for their product to come down
// to exp(-mean), less one (Knuth 1969).
func poisson(s Stream, mean float64) int {
	limit := math.Exp(-mean)
	n := 0
	for product := s.Float64(); product > limit; product *= s.Float64() {
		n++
	}
	return n
}

// finish computes what is known only at the end.
func (r *TickResult) finish(latencies, ok []float64) {
	for _, n := range r.Sent {
		r.Shares = append(r.Shares, float64(n)/float64(r.Requests))
	}
	sum := 0.0
	for _, x := range latencies {
		sum += x
	}
	r.Mean = sum / float64(r.Requests)
	r.P50, r.P99, r.OkP99 = math.NaN(), math.NaN(), math.NaN()
	if len(latencies) > 0 {
		q := Quantiles(latencies, 0.5, 0.99)
		r.P50, r.P99 = q[0], q[1]
	}
	if len(ok) > 0 {
		r.OkP99 = Quantiles(ok, 0.99)[0]
	}
}
