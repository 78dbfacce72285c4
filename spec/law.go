//go:build !mutants

package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// lawProperties: one pick-law property for each law that a subject can claim.
var lawProperties = []*Property{
	pickLaw("random", "Every eligible server is picked with the same probability.",
		"definition"),
	pickLaw("weighted-random", "Every eligible server is picked in proportion to its weight.",
		"definition"),
	pickLaw("least-request", "Only least loaded servers are picked, each with the same probability.",
		"definition; ties to the first: BerriAI/litellm#39322"),
	pickLaw("lowest-index", "The first of the least loaded servers is picked.",
		"definition"),
	pickLaw("power-of-d", "The least loaded of d random servers is picked, ties fairly.",
		"Mitzenmacher 1996; Vvedenskaya, Dobrushin and Karpelevich 1996"),
	pickLaw("two-lightest", "One of the two least loaded servers is picked by a fair coin.",
		"sozu-proxy/sozu#1411"),
	pickLaw("weighted-least-request", "A server with the smallest (in flight + 1)/weight is picked, ties fairly.",
		"definition; a weight in preparation: haproxy BUG/MEDIUM lb-leastconn, Reposition a server using the right eweight"),
	pickLaw("smooth-weighted", "Picks follow the smooth weighted rotation, from a random phase of its cycle.",
		"Sysoev 2012; a start that favours the heavy: openresty/lua-resty-balancer#47, envoyproxy/envoy#10064"),
	pickLaw("weighted-round-robin", "Picks come in the order of their deadlines, from a random point of the cycle.",
		"Webster 1832; a start that favours the heavy: envoyproxy/envoy#10064"),
	pickLaw("round-robin", "After a random start the servers are picked in a fixed cyclic order.",
		"definition; a start at slot 0: openresty/lua-resty-balancer#26"),
}

// family is the part of a law's spelling that names it: "power-of-d".
func family(l oracle.Law) string {
	name, _, _ := strings.Cut(l.String(), ":")
	return name
}

func claimsLaw(name string) func(*Claims) bool {
	return func(c *Claims) bool { return c.Law != nil && family(c.Law) == name }
}

func pickLaw(name, sentence, source string) *Property {
	return &Property{
		Name: name + "/pick-law", Sentence: sentence, Level: Must, Source: source,
		Applies: claimsLaw(name), Exact: exactPickLaw, Sampled: sampledPickLaw, Statistical: true, Delta: 0.05,
	}
}

// exactPickLaw compares the law of the code with the claimed law, as rationals,
// in every small state and in some larger ones; for a policy with memory also
// after each of its first picks.
func exactPickLaw(r *Run) Result {
	states, equal := statesOf(r.Claims.Law, r.Seed), 0
	for _, s := range states {
		m := r.lawMismatch(s)
		switch {
		case m == nil:
			equal++
		case tooMany(m.err): // counted as not compared
		default:
			s = shrink(s, func(s oracle.State) bool {
				m := r.lawMismatch(s)
				return m != nil && !tooMany(m.err)
			})
			return r.lawMismatch(s).result(r)
		}
	}
	result := Result{
		Verdict:  Holds,
		Expected: r.Claims.Law.String() + " " + example(r.Claims.Law),
		Observed: fmt.Sprintf("equal in %d of %d states", equal, len(states)),
		Evidence: "every outcome of the coins, in rational numbers",
	}
	switch missing := len(states) - equal; {
	case equal == 0:
		result.Verdict = Undecided
	case missing > 0:
		result.Observed += fmt.Sprintf("; the others have more than %d outcomes", mostLeaves)
	}
	return result
}

// example shows a law at one small state, one more server than it compares.
func example(l oracle.Law) string {
	loads := []float64{0, 1, 2}
	if p, ok := l.(oracle.PowerOfD); ok {
		for len(loads) <= p.D {
			loads = append(loads, float64(len(loads)))
		}
	}
	p, err := l.Probabilities(oracle.State{Loads: loads})
	if err != nil {
		return ""
	}
	return fmt.Sprintf("(%s: %s)", strings.Trim(fmt.Sprint(loads), "[]"), rationals(p))
}

func rationals(p []*big.Rat) string {
	words := make([]string, len(p))
	for i, x := range p {
		words[i] = x.RatString()
	}
	return strings.Join(words, " ")
}

// A mismatch is a state in which the code and the claim have different laws.
type mismatch struct {
	state    oracle.State
	history  []int
	expected []*big.Rat
	observed *queue.Picks
	err      error // of Enumerate, instead of the laws
}

// lawMismatch compares the laws in one state, and for a policy with memory also
// after every history of picks up to one more than there are servers.
//
// What such a policy does next may depend on coins that its history does not
// show, such as the phase of a rotation: a belief holds the states that it may be
// in, and the mixture of their laws is compared.
func (r *Run) lawMismatch(s oracle.State) *mismatch {
	view := viewOf(s)
	var compare func(b belief, history []int) *mismatch
	compare = func(b belief, history []int) *mismatch {
		m := &mismatch{state: s, history: history}
		at := s
		at.History = history
		if m.expected, m.err = r.Claims.Law.Probabilities(at); m.err != nil {
			panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, at, m.err))
		}
		next := make([]belief, len(s.Loads))
		if m.observed, m.err = r.mixture(b, view, next); m.err != nil {
			return m
		}
		if !agree(m.expected, m.observed, s.Loads, r.Claims.TiesOpen) {
			return m
		}
		if len(history) > len(s.Loads) {
			return nil
		}
		for pick, b := range next {
			if len(b) == 0 {
				continue
			}
			if m := compare(b, append(history[:len(history):len(history)], pick)); m != nil {
				return m
			}
		}
		return nil
	}
	return compare(belief{{r.newPolicy(view.Servers), big.NewRat(1, 1)}}, nil)
}

// A belief is the states that a policy may be in after what was seen of it, with
// their probabilities, which need not add up to 1.
type belief []struct {
	policy policies.Policy
	p      *big.Rat
}

// mixture is the law of a pick under a belief. It adds to next, for each pick,
// the belief that the pick leads to, unless no pick leaves a trace.
func (r *Run) mixture(b belief, v policies.View, next []belief) (*queue.Picks, error) {
	law := &queue.Picks{None: new(big.Rat), Cut: new(big.Rat)}
	for range v.Len() {
		law.P = append(law.P, new(big.Rat))
	}
	total, traced := new(big.Rat), false
	add := func(sum, p, weight *big.Rat) { sum.Add(sum, new(big.Rat).Mul(p, weight)) }
	for _, state := range b {
		picks, err := r.tryEnumerate(state.policy, Request{}, v, queue.Successors())
		if err != nil {
			return nil, err
		}
		total.Add(total, state.p)
		for i, p := range picks.P {
			add(law.P[i], p, state.p)
		}
		add(law.None, picks.None, state.p)
		add(law.Cut, picks.Cut, state.p)
		if _, remembers := state.policy.(policies.Stateful); !remembers {
			continue
		}
		for _, s := range picks.Successors {
			traced = traced || s.State != stateOf(state.policy)
			if s.Pick != policies.None {
				next[s.Pick] = append(next[s.Pick], belief{{s.Policy, new(big.Rat).Mul(s.P, state.p)}}...)
			}
		}
	}
	if !traced {
		clear(next)
	}
	for _, p := range append(law.P, law.None, law.Cut) {
		p.Quo(p, total)
	}
	return law, nil
}

func stateOf(p policies.Policy) string {
	if s, ok := p.(policies.Stateful); ok {
		return s.State()
	}
	return ""
}

// newPolicy builds the policy of the subject for a fleet.
func (r *Run) newPolicy(fleet []Server) (p policies.Policy) {
	r.try("building the policy", func() { p = join(r.Subject.Policy(), fleet) })
	return p
}

// mostLeaves is how many outcomes of a policy's coins are tried for one law. It
// is enough for five choices out of twelve servers.
const mostLeaves = 1 << 17

// enumerate is the law of a pick; what is wrong with the policy is a fault.
func (r *Run) enumerate(p policies.Policy, v policies.View) *queue.Picks {
	return r.enumerateRequest(p, Request{}, v)
}

func (r *Run) enumerateRequest(p policies.Policy, q Request, v policies.View) *queue.Picks {
	picks, err := r.tryEnumerate(p, q, v)
	if err != nil {
		panic(faultOf(err))
	}
	return picks
}

// tryEnumerate runs the engine under the watchdog.
func (r *Run) tryEnumerate(p policies.Policy, q Request, v policies.View, o ...queue.Option) (picks *queue.Picks, err error) {
	o = append([]queue.Option{queue.MaxLeaves(mostLeaves)}, o...)
	r.try("Pick", func() { picks, err = queue.Enumerate(p, q, v, o...) })
	return picks, err
}

// agree tells whether two laws are the same: server by server, or by their sums
// over equal loads where the claim leaves ties open. Where branches were cut,
// the observed law is an interval.
func agree(expected []*big.Rat, observed *queue.Picks, loads []float64, tiesOpen bool) bool {
	if observed.None.Sign() != 0 {
		return false
	}
	for i := range expected {
		want, got := expected[i], observed.P[i]
		if tiesOpen {
			want, got = new(big.Rat), new(big.Rat)
			for j := range expected {
				if loads[j] == loads[i] {
					want.Add(want, expected[j])
					got.Add(got, observed.P[j])
				}
			}
		}
		if want.Cmp(got) < 0 || want.Cmp(new(big.Rat).Add(got, observed.Cut)) > 0 {
			return false
		}
	}
	return true
}

// result words the mismatch.
func (m *mismatch) result(r *Run) Result {
	fleet := viewOf(m.state).Servers
	d := &Diagnosis{Claim: r.Claims.Law.String(), State: describe(fleet, m.state.Loads)}
	if len(m.history) > 0 {
		d.State += fmt.Sprintf(", after the picks %s", names(fleet, m.history))
	}
	if m.err != nil {
		result := faultOf(m.err).result()
		result.Diagnosis = d
		return result
	}
	for i, p := range m.expected {
		d.Rows = append(d.Rows, Row{fleet[i].Name, fmt.Sprint(m.state.Loads[i]), p.RatString(), m.observed.P[i].RatString()})
	}
	observed := "picks " + rationals(m.observed.P)
	if m.observed.None.Sign() != 0 {
		observed += ", none " + m.observed.None.RatString()
	}
	if fits := r.fittingLaw(); fits != nil {
		d.Fits = "matches " + fits.String() + " in every state tried"
	}
	return Result{
		Verdict: Violated, Finding: WrongLaw,
		Expected: "picks " + rationals(m.expected), Observed: observed,
		Evidence: "every outcome of the coins, in rational numbers", Diagnosis: d,
	}
}

func names(fleet []Server, indices []int) string {
	words := make([]string, len(indices))
	for k, i := range indices {
		words[k] = fleet[i].Name
	}
	return strings.Join(words, " ")
}

// fittingLaw names the known law that the code follows, if there is one.
func (r *Run) fittingLaw() oracle.Law {
	states := statesOf(r.Claims.Law, r.Seed)
	candidates := oracle.KnownLaws(12)
	if states[0].Weights != nil {
		candidates = append(candidates, oracle.WeightedLaws()...)
	}
	for _, l := range candidates {
		twin := &Run{Subject: r.Subject, Claims: Claims{Law: l}}
		if !slices.ContainsFunc(states, func(s oracle.State) bool {
			m := twin.lawMismatch(s)
			return m != nil && !tooMany(m.err)
		}) {
			return l
		}
	}
	return nil
}
