//go:build !mutants

package spec

import (
	"fmt"
	"math"
	"strings"

	"github.com/picklaw/picklaw/oracle"
)

// sampledPickLaw judges the picks of a black box from frozen states.
func sampledPickLaw(r *Run) Result { return r.judgeLaw(nil, nil) }

// judgeLaw holds the picks against the claimed law, at the states of the fleets
// of the property's trial. Before the states of a fleet are visited, and in each
// state before the picks are taken, something may happen to the subject.
func (r *Run) judgeLaw(before func(a *auditor, fleet int), inState func(*auditor)) Result {
	audit, fleets := r.lawAudit()
	samples, views, bound, sizes := 0, 0, 0.0, []string(nil)
	trace := r.newTracer(audit.Alpha)
	for k, fleet := range fleets {
		evidence, err := oracle.NewEvidence(audit)
		if err != nil {
			panic(err)
		}
		a := r.open(Fleet{Servers: fleet, Seed: r.Seed + uint64(k)})
		if before != nil {
			before(a, k)
		}
		a.narrow()
		a.follow()
		states := r.trialStates(a.fleet)
		picks, err := audit.PicksFor(states, r.delta, oracle.SplitAlpha(r.Beta, len(fleets)))
		if err != nil {
			panic(err)
		}
		trace.fleet()
		for _, s := range states {
			a.reach(s.Loads)
			if inState != nil {
				inState(a)
			}
			tally := make([]int, len(a.fleet))
			trace.state(a, r.Claims.Law, s, tally)
			for range picks {
				seen := s
				seen.History = a.lately()
				i := a.probe(r.Property.trial.request)
				if err := evidence.Observe(seen, i); err != nil {
					panic(err)
				}
				tally[i]++
				trace.pick(evidence)
				if evidence.Convicted() {
					result := r.convict(a, audit, evidence, s, tally, samples)
					result.Trace = trace.trace
					return result
				}
			}
			views++
		}
		bound = max(bound, evidence.Bound())
		sizes = append(sizes, sizeOf(a))
		samples += evidence.Picks()
	}
	return Result{
		Verdict:  acquittal(bound, r.delta),
		Expected: r.Claims.Law.String() + " " + example(r.Claims.Law),
		Observed: fmt.Sprintf("within %.3f in total variation, averaged over the picks, at %d states of %s servers",
			bound, views, enumeration(sizes)),
		Evidence: fmt.Sprintf("confidence 1-%.2g, valid at any stopping time", r.Alpha),
		Samples:  samples,
		Trace:    trace.trace,
	}
}

// lawAudit is the audit that each of some fleets undergoes.
func (r *Run) lawAudit() (oracle.Audit, [][]Server) {
	fleets := r.fleets()
	return oracle.Audit{
		Claim: r.Claims.Law, AnyTie: r.Claims.TiesOpen,
		Alpha: oracle.SplitAlpha(r.Alpha, len(fleets)), Contamination: r.contamination,
	}, fleets
}

// acquittal is the verdict on a subject that was not convicted: it is acquitted
// only when its law is known to be as near to the claim as was to be shown.
func acquittal(bound, delta float64) Verdict {
	if bound > delta {
		return Undecided
	}
	return Holds
}

// diagnosisPicks is how many picks are taken after a conviction to tell which
// law is followed instead; they no longer decide anything.
const diagnosisPicks = 3000

// convict words a conviction.
func (r *Run) convict(a *auditor, audit oracle.Audit, e *oracle.Evidence, s oracle.State, tally []int, earlier int) Result {
	samples, nats := e.Picks(), e.Nats()
	more := diagnosisPicks
	if r.fixed != nil {
		more /= 5 // a pick of a live subject takes milliseconds
	}
	for range more {
		s.History = a.lately()
		i := a.probe(r.Property.trial.request)
		if err := e.Observe(s, i); err != nil {
			panic(err)
		}
		tally[i]++
	}
	s.History = nil
	expected, err := r.Claims.Law.Probabilities(s)
	if err != nil {
		panic(err)
	}
	total := 0
	for _, n := range tally {
		total += n
	}
	d := &Diagnosis{Claim: r.Claims.Law.String(), State: describe(a.fleet, s.Loads)}
	var want, got []string
	distance := 0.0 // in total variation, of the shares
	for i, p := range expected {
		share := float64(tally[i]) / float64(total)
		claimed, _ := p.Float64()
		distance += math.Abs(share-claimed) / 2
		d.Rows = append(d.Rows, Row{a.fleet[i].Name, fmt.Sprint(s.Loads[i]), p.RatString(),
			fmt.Sprintf("%.4f (%d of %d)", share, tally[i], total)})
		want, got = append(want, p.RatString()), append(got, fmt.Sprintf("%.3f", share))
	}
	result := Result{
		Verdict: Violated, Finding: WrongLaw,
		Expected: "picks " + strings.Join(want, " "), Observed: "picks " + strings.Join(got, " "),
		Evidence: fmt.Sprintf("%.1f nats against %.1f needed, after %d picks", nats, -math.Log(audit.Alpha), samples),
		Samples:  earlier + samples, Diagnosis: d,
	}
	if math.IsInf(nats, 1) {
		result.Evidence = fmt.Sprintf("a pick that the claim forbids, the %s of this fleet", ordinal(samples))
	}
	d.Fits = "no known law"
	if fits, ok := e.BestFit(); ok {
		d.Fits = fits.String()
		if p, err := fits.Probabilities(s); err == nil {
			d.Fits += ", which picks " + rationals(p)
		}
		if limit, err := audit.LimitPicks(fits, r.trialStates(a.fleet)); err == nil {
			result.LimitSamples = limit
		}
	} else if distance < r.delta && !math.IsInf(nats, 1) {
		d.Fits = "no known law; the shares are near the claim, but the order of the picks is not that of independent ones"
	}
	return result
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}
