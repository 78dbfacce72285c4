package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// memoryProperties bind what a learner keeps.
var memoryProperties = []*Property{
	{
		Name: "learner/late-news", Level: Must,
		Sentence: "An answer that is reported late and tells nothing new changes nothing.",
		Source:   "continuity: the time of an estimate never runs backwards",
		Applies:  followsPeaks, Exact: exactLateNews,
	},
	{
		Name: "learner/zero-latency", Level: Must,
		Sentence: "However fast the servers answer, what is in flight still tells them apart.",
		Source:   "scores that no load moves: BerriAI/litellm#39970",
		Applies:  learns, Exact: exactZeroLatency,
	},
	{
		Name: "learner/clone", Level: Must,
		Sentence: "A copy of a policy learns on its own.",
		Source:   "aliasing: spring-cloud/spring-cloud-commons#1013",
		Applies:  learns, Exact: exactClone,
	},
	{
		Name: "learner/state", Level: Must,
		Sentence: "Equal states have equal futures.",
		Source:   "the contract of policies.Stateful; Solve merges equal states",
		Applies:  learns, Exact: exactState,
	},
	{
		Name: "learner/attribution", Level: Must,
		Sentence: "A latency counts for the server that took it, and for no other.",
		Source:   "booked on the first endpoint tried: kubernetes/ingress-nginx#6632",
		Applies:  learnsLatency, Exact: exactAttribution,
	},
	{
		Name: "learner/newcomer", Level: Must,
		Sentence: "A newcomer that has been sent enough loses to an idle server that is known to be fast.",
		Source:   "flooded until the first answer: kubernetes/ingress-nginx#4448",
		Applies:  learns, Exact: exactNewcomer,
	},
}

// exactLateNews tells a server's latency twice, the second time with a date from
// long before, and compares with a twin that heard it once.
func exactLateNews(r *Run) Result {
	fleet := fleetOf(3)
	heard := func(late bool) policies.Policy {
		l := r.newLearner(fleet)
		for i, latency := range []time.Duration{5 * time.Second, 4 * time.Second, 3 * time.Second} {
			r.observe(l, fleet[i], 30*time.Second, latency, false)
			if late {
				r.observe(l, fleet[i], time.Duration(i)*time.Second, latency, false)
			}
		}
		return l
	}
	once, twice := heard(false), heard(true)
	for _, at := range []time.Duration{30, 31, 40, 60} {
		for _, loads := range [][]float64{{0, 0, 0}, {0, 1, 1}, {3, 4, 5}, {2, 2, 4}} {
			if bad := differs(r.lawAt(once, fleet, loads, at*time.Second), r.lawAt(twice, fleet, loads, at*time.Second),
				describe(fleet, loads)+", every latency reported again with an earlier date"); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: "the same law at 16 points"}
}

// exactZeroLatency compares servers that answered in no time with servers that
// all took a millisecond: equal estimates, so only the loads are left.
func exactZeroLatency(r *Run) Result {
	fleet := fleetOf(4)
	answered := func(latency time.Duration) policies.Policy {
		l := r.newLearner(fleet)
		for _, s := range fleet {
			r.observe(l, s, time.Second, latency, false)
		}
		return l
	}
	fast, slow := answered(0), answered(time.Millisecond)
	for _, loads := range allLoads(4, 3) {
		if len(loads) < len(fleet) {
			continue
		}
		if bad := differs(r.lawAt(slow, fleet, loads, time.Second), r.lawAt(fast, fleet, loads, time.Second),
			describe(fleet, loads)+", every latency 0"); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: "as with equal latencies above 0, in 81 states"}
}

// exactClone teaches a copy something else and looks at the original, and the
// other way round.
func exactClone(r *Run) Result {
	for _, original := range []bool{true, false} {
		l, fleet := r.taught(false)
		other := r.copyOf(l)
		kept, taught := policies.Policy(l), other
		if !original {
			kept, taught = taught, kept
		}
		before := stateOf(kept)
		for _, s := range fleet {
			r.observe(taught.(policies.Learner), s, 50*time.Second, time.Hour, true)
		}
		if after := stateOf(kept); after != before {
			return Result{Verdict: Violated, Finding: Impure, Expected: "state " + before, Observed: "state " + after + " after its twin had learnt"}
		}
	}
	return Result{Verdict: Holds, Observed: "neither learns from the other"}
}

// exactState compares, among small histories, those that end in the same state.
func exactState(r *Run) Result {
	fleet := fleetOf(3)
	futures := make(map[string]string)
	histories := 0
	for _, latency := range []time.Duration{100 * time.Millisecond, 2 * time.Second, 5 * time.Second} {
		for _, at := range []time.Duration{0, 1, 5, 12, 20} {
			for server := range fleet {
				l := r.newLearner(fleet)
				r.observe(l, fleet[server], at*time.Second, latency, false)
				future := ""
				for _, loads := range [][]float64{{0, 0, 0}, {2, 3, 3}, {3, 2, 3}, {3, 3, 2}, {2, 4, 4}, {4, 2, 4}, {4, 4, 2}} {
					future += r.lawAt(l, fleet, loads, 20*time.Second) + "; "
				}
				state := stateOf(l)
				if other, known := futures[state]; known && other != future {
					return Result{Verdict: Violated, Finding: Impure, Expected: "picks " + other,
						Observed: "picks " + future + "from the same state " + fmt.Sprintf("%q", state)}
				}
				futures[state] = future
				histories++
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d histories, %d states", histories, len(futures))}
}

// exactAttribution makes each server slow in turn: nobody picks it, and the
// others remain equals.
func exactAttribution(r *Run) Result {
	fleet := fleetOf(5)
	loads := make([]float64, len(fleet))
	for slow := range fleet {
		want := make([]string, len(fleet))
		for i := range want {
			want[i] = "1/4"
		}
		want[slow] = "0"
		l := r.newLearner(fleet)
		r.observe(l, fleet[slow], time.Second, time.Hour, false)
		if bad := differs(strings.Join(want, " "), r.lawAt(l, fleet, loads, time.Second), fleet[slow].Name+" took an hour, the others are new"); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("for each of %d servers", len(fleet))}
}

// exactNewcomer lets a server join others that answer in a millisecond, and
// gives it a million requests.
func exactNewcomer(r *Run) Result {
	fleet := fleetOf(3)
	l := r.newLearner(fleet)
	for _, s := range fleet {
		r.observe(l, s, time.Second, time.Millisecond, false)
	}
	joined := append(slices.Clone(fleet), Server{ID: 99, Name: "newcomer", Weight: 1})
	p := join(l, joined)
	return only(r.lawAt(p, joined, []float64{0, 0, 0, 1e6}, time.Second), "1/3 1/3 1/3 0", "3 fast idle servers, and a newcomer with a million requests")
}

// only holds a law against the only one that is right.
func only(observed, expected, state string) Result {
	if bad := differs(expected, observed, state); bad != nil {
		return *bad
	}
	return Result{Verdict: Holds, Observed: "picks " + observed}
}
