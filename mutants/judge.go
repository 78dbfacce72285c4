package mutants

import (
	"fmt"
	"maps"
	"slices"
)

// judge tells what became of a mutant from one run of the suite.
func judge(m Mutant, o outcome) MutantResult {
	r := MutantResult{
		ID: m.ID, File: m.File, Story: m.Story, Source: m.Source,
		CaughtBy: []string{}, Predicted: append([]string{}, m.Predicts...), Seconds: o.seconds,
	}
	for _, e := range o.events {
		if e.Result.Verdict != violated || e.Result.Tier == golden || e.Result.Pinned != "" {
			continue
		}
		r.Convictions = append(r.Convictions, Conviction{
			Property: e.Result.Name, Subject: e.Subject, Tier: e.Result.Tier, Finding: e.Result.Finding,
			Expected: e.Result.Expected, Observed: e.Result.Observed,
		})
		if !slices.Contains(r.CaughtBy, e.Result.Name) {
			r.CaughtBy = append(r.CaughtBy, e.Result.Name)
		}
	}
	switch {
	case o.timedOut && m.Hangs:
		// The story says so, and nothing else can tell.
		r.Status, r.Reason = Caught, o.fault.Error()
	case o.fault != nil:
		r.Status, r.Reason = Broken, o.fault.Error()
	case slices.ContainsFunc(o.events, isHarnessError):
		e := o.events[slices.IndexFunc(o.events, isHarnessError)]
		r.Status = Broken
		r.Reason = fmt.Sprintf("harness error in %s on %s: %s", e.Result.Name, e.Subject, e.Result.Observed)
	case len(r.CaughtBy) > 0:
		r.Status = Caught
	case m.Equivalent != "":
		r.Status, r.Reason = Equivalent, m.Equivalent
	default:
		r.Status = Survived
	}
	if r.Status != Broken {
		r.Wrong = wrongPredictions(m, r, o)
	}
	return r
}

func isHarnessError(e event) bool { return e.Result.Verdict == harnessError }

// wrongPredictions compares what was predicted with what came, both ways.
func wrongPredictions(m Mutant, r MutantResult, o outcome) []string {
	var wrong []string
	for _, p := range m.Predicts {
		if !slices.Contains(r.CaughtBy, p) && !(m.Hangs && o.timedOut) {
			wrong = append(wrong, p+" did not convict it")
		}
	}
	on := make(map[string][]string) // subjects of properties that should spare it
	for _, c := range r.Convictions {
		if c.Tier == exact && slices.Contains(m.Spares, family(c.Property)) {
			on[c.Property] = append(on[c.Property], c.Subject)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(on)) {
		who := on[p][0]
		if more := len(on[p]) - 1; more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		wrong = append(wrong, fmt.Sprintf("%s convicted it on %s, whose family should spare it", p, who))
	}
	if m.Equivalent != "" && r.Status == Caught {
		wrong = append(wrong, "it is not equivalent: "+m.Equivalent)
	}
	if m.Hangs && !o.timedOut && !slices.ContainsFunc(r.Convictions, func(c Conviction) bool { return c.Finding == "hang" }) {
		wrong = append(wrong, "it did not hang")
	}
	return wrong
}
