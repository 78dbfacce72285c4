package main

import (
	"fmt"
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
