//go:build !mutants

package spec

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"github.com/picklaw/picklaw/oracle"
)

// Check holds a black box against the properties of its claims and reports. It
// contains what a test can contain: panics, wrong answers, slowness, calls that
// never return. Package verify adds a process of its own for each subject.
func Check(f Factory, options ...Option) *Report {
	return Subject{Name: "subject", New: f}.Check(options...)
}

// Check holds the subject against the properties of its claims.
func (s Subject) Check(options ...Option) *Report {
	return newSession(s, options).report()
}

// Claimed names the properties that the claims of the subject are about and that
// can be checked on its kind.
func (s Subject) Claimed(options ...Option) []string {
	n := newSession(s, options)
	var names []string
	for _, p := range n.selected() {
		undecidable := n.tierOf(p) == "" && (p.Sampled == nil || n.subject.Policy != nil)
		if p.Applies(&n.config.claims) && !undecidable {
			names = append(names, p.Name)
		}
	}
	return names
}

// A session is one run over one subject.
type session struct {
	subject Subject
	config  config
	alpha   float64 // of each statistical property
	beta    float64
	hung    string // the property in which the subject hung
}

func newSession(s Subject, options []Option) *session {
	c := newConfig(append(slices.Clone(s.Claims), options...))
	n := &session{subject: s, config: c}
	statistical := 0
	// Shares are those of the whole specification, so that a property run alone
	// repeats what it did among the others.
	for _, p := range registry {
		if p.Statistical && p.Applies(&c.claims) && n.byChance(p) {
			statistical++
		}
	}
	n.alpha = oracle.SplitAlpha(c.alpha, max(statistical, 1))
	n.beta = oracle.SplitAlpha(missed, max(statistical, 1))
	return n
}

// byChance tells whether the judgement of a statistical property may err.
func (n *session) byChance(p *Property) bool {
	tier := n.tierOf(p)
	return tier == Sampled || tier == Exact && p.Sampled == nil
}

func (n *session) selected() []*Property {
	return slices.DeleteFunc(Properties(), func(p *Property) bool {
		return n.config.properties != nil && !n.config.properties[p.Name]
	})
}

// tierOf is the best judgement that can be had of the property on this subject,
// or empty.
func (n *session) tierOf(p *Property) Tier {
	own := n.config.claims.own()
	switch {
	case p.Exact != nil && (n.subject.Policy != nil || own):
		return Exact
	case p.Sampled != nil && (n.subject.New != nil || own):
		return Sampled
	}
	return ""
}

func (n *session) report() *Report {
	r := &Report{Subject: n.subject.Name, Alpha: n.config.alpha, Seed: n.config.seed}
	for _, p := range n.selected() {
		result := n.check(p)
		if result.Verdict == NotClaimed && n.config.probe && n.couldClaim(p) {
			r.CouldClaim = append(r.CouldClaim, p.Name)
		}
		r.Add(result)
	}
	if law := n.couldClaimLaw(); law != "" {
		r.CouldClaim = append(r.CouldClaim, "the law "+law)
	}
	return r
}

// check decides one property.
func (n *session) check(p *Property) PropertyResult {
	if n.config.progress != nil {
		n.config.progress(p)
	}
	tier, start := n.tierOf(p), time.Now()
	var result Result
	switch {
	case !p.Applies(&n.config.claims):
		result = Result{Verdict: NotClaimed, Expected: p.Sentence}
	case tier == "" && p.Sampled == nil:
		result = Result{Verdict: NotClaimed, Expected: p.Sentence, Observed: "needs the bare rule"}
	case tier == "" && n.subject.Policy != nil:
		result = Result{Verdict: NotClaimed, Expected: p.Sentence, Observed: "needs a black box, such as spec.Leased"}
	case n.hung != "":
		result = Result{Verdict: Undecided, Expected: p.Sentence,
			Observed: "not run, because the subject hung in " + n.hung}
	case tier == "":
		result = Result{Verdict: Undecided, Expected: p.Sentence,
			Observed: "cannot be decided on this kind of subject"}
	default:
		result = n.guard(p, n.run(p, tier))
	}
	out := PropertyResult{
		Name: p.Name, Level: p.Level, Tier: tier,
		Verdict: result.Verdict, Finding: result.Finding,
		Expected: result.Expected, Observed: result.Observed, Evidence: result.Evidence,
		Samples: result.Samples, Diagnosis: result.Diagnosis, Trace: result.Trace,
		Reproduce: n.reproduce(p), Pinned: n.subject.Pinned[p.Name],
		Seconds: time.Since(start).Seconds(),
	}
	if out.Expected == "" {
		out.Expected = p.Sentence
	}
	if limit := result.LimitSamples; limit > 0 && !math.IsInf(limit, 0) {
		out.LimitSamples = &limit
	}
	if n.config.finished != nil {
		n.config.finished(out)
	}
	return out
}

func (n *session) run(p *Property, tier Tier) *Run {
	return &Run{
		Subject: n.subject, Claims: n.config.claims, Property: p, Tier: tier,
		Seed: oracle.Stream(n.config.seed, n.subject.Name+" "+p.Name), Alpha: n.alpha, Beta: n.beta,
		bubble: n.config.bubble,
		traced: n.config.traced, fixed: n.config.fixed, contamination: n.config.contamination, delta: max(p.Delta, n.config.resolution),
		holds: n.config.holds,
	}
}

func (n *session) reproduce(p *Property) string {
	if n.config.reproduce == "" {
		return ""
	}
	return fmt.Sprintf("%s --property %s", n.config.reproduce, p.Name)
}

// couldClaim tries a property that the subject does not claim.
func (n *session) couldClaim(p *Property) bool {
	tier := n.tierOf(p)
	if p.Probe == nil || tier == "" || n.hung != "" || !p.Probe(n.subject, &n.config.claims) {
		return false
	}
	return n.guard(p, n.run(p, tier)).Verdict == Holds
}

// couldClaimLaw is the known law that a bare rule follows without claiming any.
func (n *session) couldClaimLaw() (law string) {
	if n.config.claims.Law != nil || n.subject.Policy == nil || n.config.properties != nil || !n.config.probe || n.hung != "" {
		return ""
	}
	r := n.run(&Property{Name: "law"}, Exact)
	r.Claims.Law = oracle.WeightedRandom{} // so that the states have weights
	n.guard(&Property{Exact: func(r *Run) Result {
		if l := r.fittingLaw(); l != nil {
			law = l.String()
		}
		return Result{Verdict: Holds}
	}}, r)
	return law
}

// guard runs a check and contains what it can: a panic of the check itself is
// our own fault, a call of the subject that does not return is a finding.
func (n *session) guard(p *Property, r *Run) Result {
	done := make(chan Result, 1)
	go func() {
		// What stands here when the goroutine ends without a word.
		result := Result{Verdict: Violated, Finding: Exited, Observed: "the subject ended the goroutine that called it"}
		defer func() {
			switch v := recover().(type) {
			case nil:
			case *fault:
				result = v.result()
			default:
				result = Result{Verdict: HarnessError, Observed: fmt.Sprintf("the check panicked: %v\n%s", v, debug.Stack())}
			}
			r.close()
			done <- result
		}()
		if r.Tier == Exact {
			result = p.Exact(r)
		} else {
			result = p.Sampled(r)
		}
	}()
	tick := time.NewTicker(max(n.config.hang/20, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case result := <-done:
			return result
		case <-tick.C:
			if what, since := r.outstanding(); since > n.config.hang {
				n.hung = p.Name
				return Result{Verdict: Violated, Finding: Hung,
					Observed: fmt.Sprintf("%s has not returned for %v", what, n.config.hang)}
			}
		}
	}
}
