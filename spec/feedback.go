package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// feedbackProperties say what a policy that learns may make of verdicts.
var feedbackProperties = []*Property{
	{
		Name: "feedback/twin-verdicts", Level: Must,
		Sentence: "A policy that does not claim to read verdicts picks the same when every verdict is flipped.",
		Source:   "an error that counts as no latency: kubernetes/ingress-nginx#5540",
		Applies:  ignoresVerdicts, Exact: exactTwins,
	},
	{
		Name: "feedback/twin-worlds", Level: Must,
		Sentence: "Two worlds that differ in nothing but verdicts end with the same picks, latencies and estimates, to the last bit.",
		Source:   "the same; a world has what a list of outcomes has not: the policy's own picks come back to it",
		Applies:  ignoresVerdicts, Exact: exactTwinWorlds,
	},
	{
		Name: "feedback/fast-errors", Level: Must,
		Sentence: "To a policy that does not read verdicts a failing server is as good as it is fast: preferred where an error is faster than a success, avoided where it is slower, and one of equals where it takes as long.",
		Source:   "a black hole attracts the traffic: kubernetes/ingress-nginx#5540, Netflix/astyanax#17; documented rather than wished for",
		Applies:  func(c *Claims) bool { return ignoresVerdicts(c) && c.LearnsLatency }, Exact: exactFastErrors,
	},
	{
		Name: "feedback/reverse-ranks", Level: Should,
		Sentence: "Where a broken server fails fast, a policy that does not read verdicts beats a rotation in latency and loses to it in goodput.",
		Source:   "the published tick world; a ranking by p99 is upside down",
		Applies:  func(c *Claims) bool { return ignoresVerdicts(c) && c.LearnsLatency }, Exact: exactReverseRanks,
	},
	{
		Name: "feedback/errors-never-pay", Level: Must,
		Sentence: "A failure instead of a success that takes as long never raises the probability of its server, at any time.",
		Source:   "linkerd/linkerd2-proxy#4537; caddyserver/caddy#7965",
		Applies:  func(c *Claims) bool { return c.ReadsVerdicts }, Exact: exactErrorsNeverPay,
	},
	{
		Name: "feedback/errors-count", Level: Must,
		Sentence: "Of two servers alike, the one that fails is picked less, however busy the other is.",
		Source:   "a penalty with a ceiling: valyala/fasthttp#865",
		Applies:  func(c *Claims) bool { return c.ReadsVerdicts }, Exact: exactErrorsCount,
	},
}

func ignoresVerdicts(c *Claims) bool { return c.Learns && !c.ReadsVerdicts }

func exactTwins(r *Run) Result {
	twin, fleet := r.taught(false)
	flipped, _ := r.taught(true)
	for _, point := range somePoints {
		if bad := differs(r.lawAt(twin, fleet, point.loads, point.at), r.lawAt(flipped, fleet, point.loads, point.at),
			describe(fleet, point.loads)+", all verdicts flipped"); bad != nil {
			return *bad
		}
	}
	if a, b := stateOf(twin), stateOf(flipped); a != b {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "state " + a, Observed: "state " + b + " with all verdicts flipped"}
	}
	return Result{Verdict: Holds, Observed: "the same estimates to the last bit"}
}

// fastErrors is the published tick world, shorter and on our own stream, with
// latencies that vary.
func fastErrors(healthy bool) queue.FastErrors {
	w := queue.PublishedTicks()
	w.Ticks, w.RNG, w.CV, w.Healthy = 3000, queue.PCG, 0.5, healthy
	return w
}

// tick runs a policy in a tick world.
func (r *Run) tick(w queue.TickWorld, p policies.Policy, seed uint64) (out queue.TickResult) {
	r.try("a tick world", func() {
		var err error
		if out, err = w.Simulate(p, seed); err != nil {
			panic(&fault{OutOfRange, err.Error()})
		}
	})
	return out
}

func exactTwinWorlds(r *Run) Result {
	const worlds = 5
	for k := range uint64(worlds) {
		broken, well := r.Subject.Policy(), r.Subject.Policy()
		a := r.tick(fastErrors(false).World(), broken, r.Seed+k)
		b := r.tick(fastErrors(true).World(), well, r.Seed+k)
		if !slices.Equal(a.Sent, b.Sent) || a.Mean != b.Mean || a.P99 != b.P99 || a.Peak != b.Peak || stateOf(broken) != stateOf(well) {
			return Result{Verdict: Violated, Finding: WrongLaw,
				Expected: fmt.Sprintf("%v sent, a mean of %v, and state %s", b.Sent, b.Mean, stateOf(well)),
				Observed: fmt.Sprintf("%v sent, a mean of %v, and state %s, when one backend fails", a.Sent, a.Mean, stateOf(broken))}
		}
		if b.Goodput != b.Requests || a.Goodput != a.Requests-a.Sent[fastErrors(false).Fast()] {
			panic(fmt.Sprintf("spec: the twin worlds do not differ as they should: goodput %d of %d, and %d of %d", a.Goodput, a.Requests, b.Goodput, b.Requests))
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d pairs of worlds of 3000 ticks, to the last bit", worlds)}
}

// exactFastErrors has one of two servers fail, always or every other time, and
// last, and the other one succeed in half a second.
func exactFastErrors(r *Run) Result {
	const success = 500 * time.Millisecond
	fleet := fleetOf(2)
	for _, errorTime := range []time.Duration{1, success / 10, success - 1, success, success + time.Millisecond, 10 * success} {
		want := map[bool]string{true: "1 0", false: "0 1"}[errorTime < success]
		if errorTime == success {
			want = "1/2 1/2"
		}
		for _, always := range []bool{true, false} {
			for rounds := 1; rounds <= 4; rounds++ {
				l := r.newLearner(fleet)
				at := time.Duration(0)
				for k := range 2 * rounds {
					at += time.Second
					failed := always || k%2 == 1
					latency := success
					if failed {
						latency = errorTime
					}
					r.observe(l, fleet[0], at, latency, failed)
					r.observe(l, fleet[1], at, success, false)
				}
				if bad := differs(want, r.lawAt(l, fleet, []float64{0, 0}, at),
					fmt.Sprintf("%d successes of %v, against errors of %v (always: %v)", 2*rounds, success, errorTime, always)); bad != nil {
					return *bad
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: "the sign flips where an error takes as long as a success"}
}

// exactReverseRanks runs the published world. It is one path on one seed, and
// ranks are compared, no figures.
func exactReverseRanks(r *Run) Result {
	w := queue.PublishedTicks()
	learned := r.tick(w.World(), r.Subject.Policy(), 1)
	turns := r.tick(w.World(), &policies.RoundRobin{}, 1)
	text := fmt.Sprintf("p99 %v and goodput %d of %d, against p99 %v and goodput %d of %d of a rotation",
		learned.P99, learned.Goodput, learned.Requests, turns.P99, turns.Goodput, turns.Requests)
	if learned.P99 >= turns.P99 || learned.Goodput >= turns.Goodput {
		return Result{Verdict: Violated, Finding: WrongLaw, Observed: text}
	}
	return Result{Verdict: Holds, Observed: text}
}

// A heard is one outcome that a learner is told of.
type heard struct {
	server  int
	at      time.Duration
	latency time.Duration
	failed  bool
}

// exactErrorsNeverPay flips one success of drawn histories into a failure.
func exactErrorsNeverPay(r *Run) Result {
	fleet := fleetOf(4)
	random := rand.New(rand.NewPCG(r.Seed, 0))
	teach := func(history []heard) policies.Policy {
		l := r.newLearner(fleet)
		for _, o := range history {
			r.observe(l, fleet[o.server], o.at, o.latency, o.failed)
		}
		return l
	}
	flips := 0
	for range 40 {
		var history []heard
		at := time.Duration(0)
		for range 1 + random.IntN(12) {
			at += time.Duration(random.IntN(3000)) * time.Millisecond
			history = append(history, heard{random.IntN(4), at, time.Duration(1+random.IntN(3000)) * time.Millisecond, random.IntN(3) == 0})
		}
		before := teach(history)
		for k, o := range history {
			if o.failed {
				continue
			}
			flips++
			worse := slices.Clone(history)
			worse[k].failed = true
			after := teach(worse)
			for _, wait := range []time.Duration{0, 2 * time.Second, 9 * time.Second, time.Minute} {
				view := &policies.Snapshot{Servers: fleet, At: at + wait}
				for range fleet {
					view.Loads = append(view.Loads, float64(random.IntN(3)))
				}
				was, now := r.lawOf(before, view), r.lawOf(after, view)
				if now.P[o.server].Cmp(was.P[o.server]) > 0 {
					return Result{Verdict: Violated, Finding: WrongLaw,
						Expected: fmt.Sprintf("%s with probability %s at most", fleet[o.server].Name, was.P[o.server].RatString()),
						Observed: now.P[o.server].RatString(),
						Diagnosis: &Diagnosis{State: fmt.Sprintf("%s, %v after the last outcome; outcome %d of %d failed instead of succeeding in %v",
							describe(fleet, view.Loads), wait, k+1, len(history), o.latency)}}
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d histories with one more failure", flips)}
}

func (r *Run) lawOf(p policies.Policy, v policies.View) *queue.Picks { return r.enumerate(p, v) }

// exactErrorsCount lets one of two servers fail as often as the other succeeds,
// and gives both the same load, up to ten thousand requests.
func exactErrorsCount(r *Run) Result {
	fleet := fleetOf(2)
	for _, failures := range []int{1, 10, 1000} {
		l := r.newLearner(fleet)
		for range failures {
			r.observe(l, fleet[0], time.Second, time.Second, true)
			r.observe(l, fleet[1], time.Second, time.Second, false)
		}
		for _, load := range []float64{0, 1, 10, 1e4} {
			loads := []float64{load, load}
			if bad := differs("0 1", r.lawAt(l, fleet, loads, time.Second),
				fmt.Sprintf("%s, %d failures at the first and as many successes at the second", describe(fleet, loads), failures)); bad != nil {
				return *bad
			}
		}
		if bad := differs("0 1", r.lawAt(l, fleet, []float64{1, float64(failures) / 2}, time.Second), fmt.Sprintf("the second has more requests, for %d failures", failures)); failures > 10 && bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "up to 1000 failures and 10,000 requests"}
}
