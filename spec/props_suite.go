package spec

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// suiteProperties bind the suite: it is shown subjects that are known to be
// wrong, and some that are right, and must tell which is which and why.
var suiteProperties = []*Property{
	{
		Name: "suite/wrong-rules", Level: Must,
		Sentence: "A bare rule that deviates from its claim in any way is violated, with the name of the deviation.",
		Source:   "a suite that cannot fail proves nothing: caddyserver/caddy#7873",
		Applies:  isPart("suite"), Exact: exactWrongRules,
	},
	{
		Name: "suite/wrong-balancers", Level: Must,
		Sentence: "A black box that deviates from its claim is violated, with the name of the deviation.",
		Source:   "gRPC-Go's test of a 50/50 claim misses 54/46",
		Applies:  isPart("suite"), Exact: exactWrongBalancers,
	},
	{
		Name: "suite/wrong-ties", Level: Must,
		Sentence: "A rule that is right except for the ties of a pair is violated, unless it leaves them open.",
		Source:   "Caddy v2.11.9 random_choose; BerriAI/litellm#39322",
		Applies:  isPart("suite"), Exact: exactWrongTies,
	},
	{
		Name: "suite/fill-budget", Level: Must,
		Sentence: "A server is given up as never filled after picks that are enough, and not after many times as many.",
		Source:   "Netflix/ribbon#338: a loop without a bound",
		Applies:  isPart("suite"), Exact: exactFillBudget,
	},
	{
		Name: "suite/right-subjects", Level: Must,
		Sentence: "A subject that keeps its claims holds, and what it does not claim is not held against it.",
		Source:   "the tolerance that makes a correct proxy flake",
		Applies:  isPart("suite"), Exact: exactRightSubjects,
	},
}

// orderProperties bind the judge where no law has a name.
var orderProperties = []*Property{{
	Name: "judge/unknown-order", Level: Must,
	Sentence: "An order of picks that is none of the known laws convicts as fast as its transitions can be learnt.",
	Source:   "Krichevsky and Trofimov 1981",
	Applies:  isJudge, Exact: exactUnknownOrder,
}, {
	Name: "judge/no-rivals", Level: Must,
	Sentence: "Without any law to bet on, too, the wealth is not expected to exceed 1 while the claim holds.",
	Source:   "Ville 1939",
	Applies:  isJudge, Exact: exactNoRivals,
}}

// exactNoRivals adds up the wealth over all 81 sequences of 4 picks among 3.
// Rounding moves the logarithm of each by 2^-48 at most.
func exactNoRivals(*Run) Result {
	sum := 0.0
	for sequence := range 81 {
		picks := []int{sequence % 3, sequence / 3 % 3, sequence / 9 % 3, sequence / 27}
		audit := oracle.Audit{Claim: oracle.Random{}, Rivals: []oracle.Law{}, Alpha: 0.01}
		sum += math.Exp(replay(audit, [][]float64{{0, 1, 2}}, picks).Nats()) / 81
	}
	if sum > 1+1e-12 {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an expected wealth of at most 1", Observed: fmt.Sprintf("%.6f", sum)}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%.6f", sum)}
}

// exactUnknownOrder plays every server twice, one after another, against the
// claim of a fair choice among three. Knowing the last pick leaves two equally
// frequent successors, which is worth ln(3/2) nats a pick. Learning the three
// rows costs ln m + ln 3 nats each at most, after m picks in it (their theorem
// for an alphabet of three), and the bet has a part of 0.04 of the wealth: 100
// picks leave 40.5 - 3·(ln 34 + ln 3) - 3.3 > ln(1e9) = 20.7 nats.
func exactUnknownOrder(*Run) Result {
	picks := make([]int, 100)
	for k := range picks {
		picks[k] = k / 2 % 3
	}
	e := replay(oracle.Audit{Claim: oracle.Random{}, Alpha: 1e-9}, [][]float64{{0, 0, 0}}, picks)
	if !e.Convicted() {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "a conviction within 100 picks", Observed: fmt.Sprintf("%.1f nats", e.Nats())}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%.1f nats after 100 picks", e.Nats())}
}

// ruleFunc is a policy made of a function.
type ruleFunc func(policies.Request, policies.View, policies.Coins) int

func (f ruleFunc) Pick(q policies.Request, v policies.View, c policies.Coins) int { return f(q, v, c) }

// A liar is a subject with the property and the finding that must come out.
type liar struct {
	what     string
	subject  Subject
	property string
	finding  Finding
}

// caught holds the liars against the properties named, and tells which of them
// gets away.
func caught(liars []liar) Result {
	for _, l := range liars {
		options := []Option{Only(l.property)}
		if l.finding == Hung { // else a busy machine may take its time
			options = append(options, HangAfter(200*time.Millisecond))
		}
		report := l.subject.Check(options...)
		if got := report.Properties[0]; got.Verdict != Violated || got.Finding != l.finding {
			return Result{Verdict: Violated, Finding: WrongLaw,
				Expected: fmt.Sprintf("%s violated by a subject that %s (%s)", l.property, l.what, l.finding),
				Observed: fmt.Sprintf("%s (%s): %s", got.Verdict, got.Finding, got.Observed)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d of %d", len(liars), len(liars))}
}

func lyingRule(what string, f ruleFunc, law oracle.Law, property string, finding Finding, claims ...Option) liar {
	if law != nil {
		claims = append(claims, Law(law))
	}
	return liar{what, OfPolicy("liar", func() policies.Policy { return f }, claims...), property, finding}
}

func exactWrongRules(*Run) Result {
	two, fair, secret := policies.PowerOfD{D: 2}, oracle.PowerOfD{D: 2}, 0
	return caught([]liar{
		lyingRule("deviates by one pick in a thousand", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() > 0 && c.Weighted([]uint64{999, 1}) == 1 {
				return 0
			}
			return two.Pick(q, v, c)
		}, fair, "power-of-d/pick-law", WrongLaw),
		lyingRule("gives up one pick in a thousand", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() > 0 && c.Weighted([]uint64{999, 1}) == 1 {
				return policies.None
			}
			return two.Pick(q, v, c)
		}, fair, "power-of-d/pick-law", WrongLaw),
		lyingRule("remembers in secret", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() == 0 {
				return policies.None
			}
			secret++
			return secret % v.Len()
		}, oracle.Random{}, "random/pick-law", Impure),
		lyingRule("remembers in secret, on one side of a coin only", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() == 0 || c.IntN(2) == 0 {
				return v.Len() - 1
			}
			secret++
			return secret % v.Len()
		}, oracle.Random{}, "random/pick-law", Impure),
		lyingRule("picks nobody instead of the last server", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() == 0 {
				return policies.None
			}
			if i := c.IntN(v.Len()); i < v.Len()-1 || i == 0 {
				return i
			}
			return policies.None
		}, oracle.Random{}, "random/pick-law", WrongLaw),
		lyingRule("throws coins of different sizes", func(q policies.Request, v policies.View, c policies.Coins) int {
			if v.Len() < 2 {
				return v.Len() - 1
			}
			if c.IntN(2) == 0 { // 1/2 for the first, the rest for the others
				return 0
			}
			return 1 + c.IntN(v.Len()-1)
		}, oracle.Random{}, "random/pick-law", WrongLaw),
		lyingRule("answers one too many", func(q policies.Request, v policies.View, c policies.Coins) int { return v.Len() },
			oracle.Random{}, "random/pick-law", OutOfRange),
		lyingRule("panics", func(policies.Request, policies.View, policies.Coins) int { panic("in Pick") },
			oracle.Random{}, "random/pick-law", Panicked),
		lyingRule("hangs", func(policies.Request, policies.View, policies.Coins) int { select {} },
			oracle.Random{}, "random/pick-law", Hung),
		lyingRule("prefers the first of two", func(q policies.Request, v policies.View, c policies.Coins) int {
			best := policies.None
			for i := range v.Len() {
				if load, _ := v.Load(i); best < 0 {
					best = i
				} else if least, _ := v.Load(best); load < least {
					best = i
				}
			}
			return best
		}, oracle.LeastRequest{}, "order/relabelling", WrongLaw),
		lyingRule("reads all loads for two", func(q policies.Request, v policies.View, c policies.Coins) int {
			for i := range v.Len() {
				v.Load(i)
			}
			return two.Pick(q, v, c)
		}, fair, "cost/load-reads", TooManyReads, ReadsAtMost(2)),
		lyingRule("picks of an empty fleet", func(policies.Request, policies.View, policies.Coins) int { return 0 },
			oracle.Random{}, "totality/small-fleets", OutOfRange),
		lyingRule("sends a key anywhere", func(q policies.Request, v policies.View, c policies.Coins) int {
			return policies.Random{}.Pick(q, v, c)
		}, nil, "keys/stable", WrongLaw, MapsKeys()),
	})
}

// A tamperer drives a Balancer and falsifies something.
type tamperer struct {
	Picker
	picks  int
	tamper func(t *tamperer, id ServerID, done func(Outcome) error) (ServerID, func(Outcome) error)
}

func (t *tamperer) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	id, done, err := t.Picker.Pick(ctx, q)
	if err != nil {
		return 0, nil, err
	}
	t.picks++
	id, done = t.tamper(t, id, done)
	return id, done, nil
}

func tampering(what string, p policies.Policy, tamper func(*tamperer, ServerID, func(Outcome) error) (ServerID, func(Outcome) error), property string, finding Finding, claims ...Option) liar {
	build := func(f Fleet) (Picker, error) {
		inner, err := Leased(func() policies.Policy { return p })(f)
		return &tamperer{Picker: inner, tamper: tamper}, err
	}
	return liar{what, Subject{Name: "liar", New: build, Claims: claims}, property, finding}
}

func lyingBox(what string, f ruleFunc, law oracle.Law, property string, finding Finding) liar {
	return liar{what, Subject{Name: "liar", New: Leased(func() policies.Policy { return f }), Claims: []Option{Law(law), CountsInFlight()}}, property, finding}
}

func exactWrongBalancers(*Run) Result {
	rotation := 0
	type done = func(Outcome) error
	return caught([]liar{
		lyingBox("draws with replacement", policies.PowerOfD{D: 2, Replacement: true}.Pick, oracle.PowerOfD{D: 2}, "power-of-d/pick-law", WrongLaw),
		lyingBox("scans the fleet", policies.LeastRequest{}.Pick, oracle.PowerOfD{D: 2}, "power-of-d/pick-law", WrongLaw),
		lyingBox("gives every fifth pick to the first server", func(q policies.Request, v policies.View, c policies.Coins) int {
			if c.IntN(5) == 0 {
				return 0
			}
			return c.IntN(v.Len())
		}, oracle.Random{}, "random/pick-law", WrongLaw),
		lyingBox("rotates and claims to be random", func(_ policies.Request, v policies.View, _ policies.Coins) int {
			rotation++
			return rotation % v.Len()
		}, oracle.Random{}, "random/pick-law", WrongLaw),
		lyingBox("never picks the last server", func(_ policies.Request, v policies.View, c policies.Coins) int { return c.IntN(max(1, v.Len()-1)) },
			oracle.Random{}, "random/pick-law", NeverFills),
		tampering("names a server that does not exist", policies.Random{}, func(t *tamperer, id ServerID, d done) (ServerID, done) {
			if t.picks == 30 {
				id = 4711
			}
			return id, d
		}, "random/pick-law", UnknownServer, Law(oracle.Random{})),
		tampering("gives no way to end a request", policies.Random{}, func(t *tamperer, id ServerID, d done) (ServerID, done) {
			if t.picks == 30 {
				d = nil
			}
			return id, d
		}, "random/pick-law", Refused, Law(oracle.Random{})),
		tampering("never releases a failure", policies.LeastRequest{}, func(_ *tamperer, id ServerID, d done) (ServerID, done) {
			return id, func(o Outcome) error {
				if o.Failed {
					return nil
				}
				return d(o)
			}
		}, "conservation/after-churn", WrongLaw, Law(oracle.LeastRequest{}), CountsInFlight()),
		tampering("ends a request twice without a word", policies.Random{}, func(_ *tamperer, id ServerID, d done) (ServerID, done) {
			return id, func(o Outcome) error { _ = d(o); return nil }
		}, "conservation/second-release", SecondRelease, ReleasesOnce()),
	})
}

func exactRightSubjects(*Run) Result {
	claims := []Option{Law(oracle.PowerOfD{D: 2}), CountsInFlight(), ReleasesOnce(), Concurrent()}
	rule := OfPolicy("right", func() policies.Policy { return policies.PowerOfD{D: 2} }, Law(oracle.PowerOfD{D: 2}), ReadsAtMost(2))
	box := Subject{Name: "right", New: Leased(func() policies.Policy { return policies.PowerOfD{D: 2} }), Claims: claims}
	open := OfPolicy("lowest index", func() policies.Policy {
		return ruleFunc(func(_ policies.Request, v policies.View, _ policies.Coins) int {
			best, least := policies.None, 0.0
			for i := range v.Len() {
				if load, _ := v.Load(i); best < 0 || load < least {
					best, least = i, load
				}
			}
			return best
		})
	}, Law(oracle.LeastRequest{}), TiesOpen())
	for _, s := range []Subject{rule, box, open} {
		// One cheap law a subject: the reference subjects are held against everything.
		names := []string{"power-of-d/pick-law", "least-request/pick-law", "totality/small-fleets", "keys/stable", "learner/peak", "conservation/second-release"}
		report := s.Check(Only(names...))
		for _, p := range report.Failures() {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: p.Name + " holds on " + s.Name, Observed: string(p.Verdict) + ": " + p.Observed}
		}
		if report.Summary[Holds] < 2 || report.Summary[NotClaimed] < 2 {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "some properties held and others not claimed", Observed: fmt.Sprint(report.Summary)}
		}
	}
	return Result{Verdict: Holds, Observed: "a rule, a black box, and one that leaves ties open"}
}

// exactWrongTies shows a rule that favours the first of two equal servers, in
// fleets of two only.
func exactWrongTies(*Run) Result {
	pair := func(q policies.Request, v policies.View, c policies.Coins) int {
		if v.Len() == 2 {
			first, _ := v.Load(0)
			if second, _ := v.Load(1); first == second {
				return c.Weighted([]uint64{2, 1})
			}
		}
		return policies.LeastRequest{}.Pick(q, v, c)
	}
	result := caught([]liar{lyingRule("favours the first of a pair", pair, oracle.LeastRequest{}, "least-request/pick-law", WrongLaw)})
	if result.Verdict != Holds {
		return result
	}
	open := OfPolicy("open", func() policies.Policy { return ruleFunc(pair) }, Law(oracle.LeastRequest{}), TiesOpen())
	for _, p := range open.Check(Only("least-request/pick-law")).Failures() {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "ties that are left open", Observed: p.Observed}
	}
	return result
}
