package spec

import (
	"fmt"
	"math/big"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// clockProperties say what time may do to a policy that learns.
var clockProperties = []*Property{
	{
		Name: "clock/bounded", Level: Must,
		Sentence: "Whatever the clock does, an estimate stays between what was expected and what was observed.",
		Source:   "backwards steps that explode: go-kratos/kratos#2913, Kong/kong#9787",
		Applies:  learnsLatency, Exact: exactBounded,
	},
	{
		Name: "clock/recovers", Level: Must,
		Sentence: "Silence only ever forgives: a server that was avoided is picked again at some time, and from then on.",
		Source:   "decay only when an answer arrives: tower-rs/tower#134; a penalty for ever: apache/brpc#820",
		Applies:  func(c *Claims) bool { return c.Forgets }, Exact: exactRecovers,
	},
}

// clocks are sequences of times at which outcomes are reported.
var clocks = map[string][]time.Duration{
	"steady":    {time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second},
	"frozen":    {time.Second, time.Second, time.Second, time.Second},
	"backwards": {9 * time.Hour, 6 * time.Hour, 3 * time.Hour, time.Second},
	"a century": {100 * 365 * 24 * time.Hour, time.Second, 99 * 365 * 24 * time.Hour, time.Minute},
	"zigzag":    {time.Minute, time.Second, time.Minute, time.Second},
	"negative":  {-time.Hour, -time.Minute, -2 * time.Hour, -time.Second},
}

// exactBounded observes a fast server below the latency that a new one is
// expected to have, and a slow one above it. Estimates between what was expected
// and what was observed never cross: the fast one is picked at least as often as
// a server that nothing is known of, and that one as often as the slow one.
func exactBounded(r *Run) Result {
	fleet := fleetOf(3)
	loads := make([]float64, 3)
	points := 0
	for name, times := range clocks {
		for order := range 4 {
			l := r.newLearner(fleet)
			for k, at := range times {
				latency := []time.Duration{200, 400, 100, 300}[(k+order)%4] * time.Millisecond
				r.observe(l, fleet[0], at, latency, false)
				r.observe(l, fleet[1], at, 100*latency, false) // 10 s to 40 s
			}
			for _, now := range times {
				points++
				state := fmt.Sprintf("clock %s: latencies of 0.1 to 0.4 s, 10 to 40 s, and none; at %v", name, now)
				picks := r.enumerate(l, &policies.Snapshot{Servers: fleet, Loads: loads, At: now})
				fast, fresh, slow := picks.P[0], picks.P[2], picks.P[1]
				if r.Claims.ReadsVerdicts { // and has heard nothing but good of the other two
					fresh = fast
				}
				if fast.Cmp(fresh) < 0 || fresh.Cmp(slow) < 0 {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: "the fast one before the new one before the slow one",
						Observed: "picks " + rationals(picks.P), Diagnosis: &Diagnosis{State: state}}
				}
				if name == "steady" || name == "frozen" {
					if bad := differs("1 0 0", rationals(picks.P), state); bad != nil && r.scans() {
						return *bad
					}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d moments of %d clocks", points, len(clocks))}
}

// scans tells whether the policy compares all of three servers.
func (r *Run) scans() bool { return r.Claims.ReadsAtMost == 0 || r.Claims.ReadsAtMost >= 3 }

// exactRecovers makes one of three servers bad in every way and watches its
// probability over time, while the others have more and more requests.
func exactRecovers(r *Run) Result {
	fleet := fleetOf(3)
	for _, ahead := range []float64{0, 1, 3} {
		l := r.newLearner(fleet)
		for range 5 {
			r.observe(l, fleet[0], time.Second, time.Minute, true)
		}
		loads := []float64{0, ahead, ahead}
		want := r.lawAt(r.newPolicy(fleet), fleet, loads, 0)
		last := new(big.Rat)
		now := time.Second
		for step := 0; now < 1000*365*time.Hour; step++ {
			picks := r.enumerate(l, &policies.Snapshot{Servers: fleet, Loads: loads, At: now})
			state := fmt.Sprintf("%s, %v after 5 failures of a minute", describe(fleet, loads), now-time.Second)
			if step == 0 && ahead == 0 && picks.P[0].Sign() != 0 && r.scans() {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "picks 0 1/2 1/2", Observed: "picks " + rationals(picks.P), Diagnosis: &Diagnosis{State: state}}
			}
			if picks.P[0].Cmp(last) < 0 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "at least " + last.RatString() + " as before",
					Observed: "picks " + rationals(picks.P), Diagnosis: &Diagnosis{State: state}}
			}
			last = picks.P[0]
			now += time.Millisecond + (now-time.Second)/8
		}
		if bad := differs(want, r.lawAt(l, fleet, loads, now), describe(fleet, loads)+", after years of silence"); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "from 0 to the law of a new policy, and never back"}
}
