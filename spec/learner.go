package spec

import (
	"fmt"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// learnerProperties bind policies that are told how requests ended.
var learnerProperties = []*Property{
	{
		Name: "learner/read-only", Level: Must,
		Sentence: "A pick stores nothing: looking at an estimate neither ages nor refreshes it.",
		Source:   "decay by looking: tower-rs/tower#134",
		Applies:  learns, Exact: exactReadOnly,
	},
	{
		Name: "learner/peak", Level: Must,
		Sentence: "A latency above the estimate counts at once and in full, and a longer queue counts in proportion.",
		Source:   "Finagle's peak EWMA, Twitter 2014",
		Applies:  followsPeaks, Exact: exactPeak,
	},
	{
		Name: "learner/forgets", Level: Must,
		Sentence: "After a long silence nothing is left of an estimate, and a server that was slow is tried again.",
		Source:   "no traffic until others become slower: tower-rs/tower#134; apache/brpc#820",
		Applies:  func(c *Claims) bool { return c.Forgets }, Exact: exactForgets,
	},
	{
		Name: "learner/clock", Level: Must,
		Sentence: "A clock that stands still or runs backwards moves no estimate out of what was observed.",
		Source:   "go-kratos/kratos#2913; Kong/kong#9787",
		Applies:  followsPeaks, Exact: exactClock,
	},
	{
		Name: "learner/survivors", Level: Must,
		Sentence: "Survivors of an update keep their estimates; a newcomer is not flooded.",
		Source:   "kubernetes/ingress-nginx#4448",
		Applies:  learns, Exact: exactSurvivors,
	},
}

func learns(c *Claims) bool { return c.Learns }

func learnsLatency(c *Claims) bool { return c.LearnsLatency }

func followsPeaks(c *Claims) bool { return c.FollowsPeaks }

// newLearner builds the policy for a fleet; a claim to learn without an Observe
// is a fault.
func (r *Run) newLearner(fleet []Server) policies.Learner {
	l, ok := r.newPolicy(fleet).(policies.Learner)
	if !ok {
		panic(&fault{WrongLaw, "it claims to learn and has no Observe"})
	}
	return l
}

func (r *Run) observe(l policies.Learner, s Server, at, latency time.Duration, failed bool) {
	r.try("Observe", func() { l.Observe(s.ID, Outcome{At: at, Latency: latency, Failed: failed}) })
}

// lawAt is the law of a policy at a time, as words, which compare and print.
func (r *Run) lawAt(p policies.Policy, fleet []Server, loads []float64, at time.Duration) string {
	picks := r.enumerate(p, &policies.Snapshot{Servers: fleet, Loads: loads, At: at})
	return rationals(picks.P)
}

// differs words two laws that should be equal.
func differs(expected, observed, state string) *Result {
	if expected == observed {
		return nil
	}
	return &Result{Verdict: Violated, Finding: WrongLaw, Expected: "picks " + expected, Observed: "picks " + observed,
		Diagnosis: &Diagnosis{State: state}}
}

// taught is a fleet of five with unequal latencies behind it, some of them from
// long ago.
func (r *Run) taught(flip bool) (policies.Learner, []Server) {
	fleet := fleetOf(5)
	l := r.newLearner(fleet)
	for k := range 40 {
		at := time.Duration(k) * 700 * time.Millisecond
		i := (k*k + 3*k) % len(fleet)
		latency := time.Duration(1+(k*37)%90) * 10 * time.Millisecond
		r.observe(l, fleet[i], at, latency, (k%3 == 0) != flip)
	}
	return l, fleet
}

// somePoints are times and loads at which a taught learner is looked at.
var somePoints = []struct {
	at    time.Duration
	loads []float64
}{
	{28 * time.Second, []float64{0, 0, 0, 0, 0}},
	{29 * time.Second, []float64{3, 1, 4, 1, 5}},
	{31 * time.Second, []float64{2, 2, 0, 2, 1}},
	{60 * time.Second, []float64{0, 1, 0, 1, 0}},
	{time.Hour, []float64{1, 1, 1, 1, 1}},
}

func exactReadOnly(r *Run) Result {
	looked, fleet := r.taught(false)
	for _, point := range somePoints {
		for range 3 { // look, several times and in between
			r.turns(looked, &policies.Snapshot{Servers: fleet, Loads: point.loads, At: point.at}, r.Seed, 3)
		}
		fresh, _ := r.taught(false)
		state := fmt.Sprintf("%s, at %v, after picks at earlier times", describe(fleet, point.loads), point.at)
		if bad := differs(r.lawAt(fresh, fleet, point.loads, point.at), r.lawAt(looked, fleet, point.loads, point.at), state); bad != nil {
			return *bad
		}
		if a, b := stateOf(fresh), stateOf(looked); a != b {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "state " + a, Observed: "state " + b + " after looking"}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d times", len(somePoints))}
}

// exactPeak makes one of two servers ten times as slow as the other and finds
// the number of requests at the fast one that weighs it up: ten waits of one
// against one wait of ten.
func exactPeak(r *Run) Result {
	fleet := fleetOf(2)
	for queued := range 13 {
		l := r.newLearner(fleet)
		r.observe(l, fleet[0], time.Second, 4*time.Second, false)
		r.observe(l, fleet[1], time.Second, 4*time.Second, false)
		r.observe(l, fleet[0], time.Second, 40*time.Second, false) // no time to decay
		want := "0 1"
		switch {
		case queued == 9:
			want = "1/2 1/2"
		case queued > 9:
			want = "1 0"
		}
		loads := []float64{0, float64(queued)}
		if bad := differs(want, r.lawAt(l, fleet, loads, time.Second),
			describe(fleet, loads)+", latencies 40s and 4s"); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "one wait of 40s equals ten of 4s"}
}

// exactForgets compares a taught learner after a hundred years with a new one.
func exactForgets(r *Run) Result {
	taught, fleet := r.taught(false)
	const century = 100 * 365 * 24 * time.Hour
	for _, point := range somePoints {
		fresh := r.lawAt(r.newLearner(fleet), fleet, point.loads, century)
		if bad := differs(fresh, r.lawAt(taught, fleet, point.loads, century),
			describe(fleet, point.loads)+", after a century of silence"); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "the law of a new policy, after a century of silence"}
}

// exactClock steps the clock of the view and of the outcomes backwards. The
// slower server must stay the slower one.
func exactClock(r *Run) Result {
	fleet := fleetOf(2)
	for _, step := range []time.Duration{0, time.Nanosecond, time.Second, 24 * time.Hour, 250 * 365 * 24 * time.Hour} {
		l := r.newLearner(fleet)
		now := 260 * 365 * 24 * time.Hour
		r.observe(l, fleet[0], now, 40*time.Second, false)
		r.observe(l, fleet[1], now, 20*time.Second, false)
		r.observe(l, fleet[1], now-step, 10*time.Second, false) // reported late
		if bad := differs("0 1", r.lawAt(l, fleet, []float64{0, 0}, now-step),
			fmt.Sprintf("latencies 40s and 20s, then 10s reported with a clock %v behind", step)); bad != nil {
			return *bad
		}
		// Four requests of at most 20s outweigh one of 40s: an estimate above what was observed shows.
		if bad := differs("0 1", r.lawAt(l, fleet, []float64{1, 2}, now-step),
			fmt.Sprintf("2 waits of 40s, 3 of at most 20s, clock %v behind", step)); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "steps back of 0 to 250 years"}
}

func exactSurvivors(r *Run) Result {
	updated, fleet := r.taught(false)
	plain, _ := r.taught(false)
	joined := append(slices.Clone(fleet), policies.Server{ID: 99, Name: "newcomer", Weight: 1})
	l := join(updated, joined)
	l = join(l, fleet)
	for _, point := range somePoints {
		if bad := differs(r.lawAt(plain, fleet, point.loads, point.at), r.lawAt(l, fleet, point.loads, point.at),
			describe(fleet, point.loads)+", after a server joined and left"); bad != nil {
			return *bad
		}
	}
	// A newcomer among servers at their prior is one of equals.
	l = join(r.newLearner(fleet), joined)
	loads := make([]float64, len(joined))
	if bad := differs(r.lawAt(r.newLearner(joined), joined, loads, 0), r.lawAt(l, joined, loads, 0),
		"a newcomer joined an idle fleet"); bad != nil {
		return *bad
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("the same law at %d times after a join and a leave", len(somePoints))}
}
