package queue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// FastErrors is the tick world of the published experiments: some backends take
// HealthyTicks, and one answers in ErrorTicks, because it is broken and every
// call to it fails.
type FastErrors struct {
	Backends     int      // how many, the fast one included
	HealthyTicks int      // service time of the others
	ErrorTicks   int      // service time of the fast one
	First        bool     // the fast backend is the first of the list, not the last
	Healthy      bool     // the fast backend is not broken: the twin world
	Slots        int      // of each backend; 0: 1
	CV           float64  // coefficient of variation of the service times
	Ticks        int      // length of the run
	Rate         float64  // calls per tick
	Weights      []uint64 // of the backends, what a policy is told; nil: 1 each
	RNG          RNG
}

// PublishedTicks is the tick world with its published defaults.
func PublishedTicks() FastErrors {
	return FastErrors{Backends: 4, HealthyTicks: 10, ErrorTicks: 1, Slots: 1, Ticks: 20_000, Rate: 0.32, RNG: Python}
}

// Fast is the index of the fast backend.
func (f FastErrors) Fast() int {
	if f.First {
		return 0
	}
	return f.Backends - 1
}

// World is the world as such.
func (f FastErrors) World() TickWorld {
	w := TickWorld{Ticks: f.Ticks, Rate: f.Rate, Slots: f.Slots, CV: f.CV, RNG: f.RNG}
	for i := range f.Backends {
		switch {
		case i != f.Fast():
			w.Backends = append(w.Backends, Backend{Ticks: f.HealthyTicks})
		case f.Healthy:
			w.Backends = append(w.Backends, Backend{Ticks: f.ErrorTicks})
		default:
			w.Backends = append(w.Backends, Backend{ErrorTicks: f.ErrorTicks, ErrorRate: 1})
		}
		if i < len(f.Weights) {
			w.Backends[i].Weight = f.Weights[i]
		}
	}
	return w
}

// Priors are the latencies that the backends are configured with.
func (f FastErrors) Priors() map[policies.ServerID]time.Duration {
	priors := make(map[policies.ServerID]time.Duration)
	for i := range f.Backends {
		priors[policies.ServerID(i)] = seconds(float64(f.HealthyTicks))
	}
	priors[policies.ServerID(f.Fast())] = seconds(float64(f.ErrorTicks))
	return priors
}

// ReplayPolicy makes a policy that draws what the published experiments drew,
// for CPython's stream: round-robin, smooth-weighted, least-request[:D],
// peak-ewma[:D] or ewma-over-success[:D], where alpha is the weight of the newest
// latency. Without D the whole fleet is scanned. Ties go to the first.
func (f FastErrors) ReplayPolicy(law string, alpha float64) (policies.Policy, error) {
	rule, text, sampled := strings.Cut(law, ":")
	d := 0
	if sampled {
		var err error
		if d, err = strconv.Atoi(text); err != nil || d < 1 {
			return nil, fmt.Errorf("queue: policy %q: %q servers to compare, want a whole number, at least 1", law, text)
		}
	}
	e := &policies.EWMA{Alpha: alpha, Prior: time.Second, Priors: f.Priors()}
	p := replayTickPolicy(rule, d, e)
	if rotation := rule == "round-robin" || rule == "smooth-weighted"; p == nil || rotation && sampled {
		return nil, fmt.Errorf("queue: no replay of policy %q, want round-robin, smooth-weighted, least-request[:D], peak-ewma[:D] or ewma-over-success[:D]", law)
	}
	if _, learns := p.(policies.Learner); learns {
		return p, e.Check()
	}
	return p, nil
}
