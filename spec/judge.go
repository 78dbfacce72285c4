package spec

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// judgeProperties bind the evidence by which black boxes are judged. A judge
// that is wrong convicts the innocent or acquits the guilty, so it is held to
// exact sums over every possible sequence of picks.
var judgeProperties = []*Property{
	{
		Name: "judge/fair-bet", Level: Must,
		Sentence: "While the claim holds, the wealth that bets against it is not expected to exceed 1.",
		Source:   "Ville 1939; Shafer 2021",
		Applies:  isJudge, Exact: exactFairBet,
	},
	{
		Name: "judge/threshold", Level: Must,
		Sentence: "The conviction comes with the first pick at which the evidence reaches 1/alpha, and not before.",
		Source:   "Ville 1939",
		Applies:  isJudge, Exact: exactThreshold,
	},
	{
		Name: "judge/forbidden-pick", Level: Must,
		Sentence: "A pick that the claim forbids convicts at once, unless it may be a stray.",
		Source:   "the divergence is infinite",
		Applies:  isJudge, Exact: exactForbidden,
	},
	{
		Name: "judge/history", Level: Must,
		Sentence: "A rotation that poses as random is convicted within twice the picks that no test can do without.",
		Source:   "too even is invisible to bets that ignore order",
		Applies:  isJudge, Exact: exactHistory,
	},
	{
		Name: "judge/acquittal", Level: Must,
		Sentence: "The planned picks acquit frequencies that are as claimed, and never a law that is further off than stated.",
		Source:   "Robbins 1970; Azuma 1967",
		Applies:  isJudge, Exact: exactAcquittal,
	},
	{
		Name: "judge/budget", Level: Must,
		Sentence: "The shares of all statistical properties of a run add up to no more than its budget.",
		Source:   "union bound",
		Applies:  isJudge, Exact: exactBudget,
	},
}

func isJudge(c *Claims) bool { return c.judge }

// judged are claims and the states in which the judge is examined.
var judged = []oracle.Law{
	oracle.Random{}, oracle.LeastRequest{}, oracle.RoundRobin{}, oracle.PowerOfD{D: 2}, oracle.PowerOfD{D: 2, Replacement: true},
}

// exactFairBet adds up the final wealth over every sequence of four picks in
// two states, weighted with its probability under the claim and, where strays
// are declared, under the worst of some strays. Rounding moves the logarithm of
// the wealth by 2^-50 a pick at most, so the sum by far less than 1e-12.
func exactFairBet(r *Run) Result {
	states := [][]float64{{0, 1, 2}, {0, 1, 2}, {1, 1, 0}, {0, 1, 2}}
	largest := 0.0
	for _, claim := range judged {
		for _, anyTie := range []bool{false, true} {
			for _, strays := range []float64{0, 0.1} {
				for stray := range 3 { // all strays go to this server
					if strays == 0 && stray > 0 {
						break
					}
					audit := oracle.Audit{Claim: claim, AnyTie: anyTie, Contamination: strays, Alpha: 0.01}
					var sum func(history []int, p float64) float64
					sum = func(history []int, p float64) float64 {
						if p == 0 {
							return 0
						}
						if len(history) == len(states) {
							return p * math.Exp(replay(audit, states, history).Nats())
						}
						loads := states[len(history)]
						law := probabilities(claim, oracle.State{Loads: loads, History: history})
						total := 0.0
						for i := range loads {
							pick := (1 - strays) * law[i]
							if i == stray {
								pick += strays
							}
							total += sum(append(history[:len(history):len(history)], i), p*pick)
						}
						return total
					}
					wealth := sum(nil, 1)
					if wealth > 1+1e-12 {
						return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an expected wealth of at most 1",
							Observed:  fmt.Sprintf("%.6f", wealth),
							Diagnosis: &Diagnosis{Claim: claim.String(), State: fmt.Sprintf("ties open %v, strays %v", anyTie, strays)}}
					}
					largest = max(largest, wealth)
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%.6f at most, over all sequences of 4 picks", largest)}
}

// replay shows an audit a sequence of picks.
func replay(a oracle.Audit, states [][]float64, picks []int) *oracle.Evidence {
	e, err := oracle.NewEvidence(a)
	if err != nil {
		panic(err)
	}
	for k, i := range picks {
		if err := e.Observe(oracle.State{Loads: states[k%len(states)], History: picks[max(0, k-1):k]}, i); err != nil {
			panic(err)
		}
	}
	return e
}

func probabilities(l oracle.Law, s oracle.State) []float64 {
	exact, err := l.Probabilities(s)
	if err != nil {
		panic(err)
	}
	p := make([]float64, len(exact))
	for i, x := range exact {
		p[i], _ = x.Float64()
	}
	return p
}

// exactThreshold feeds a fixed sequence that the claim explains badly and
// watches the wealth.
func exactThreshold(r *Run) Result {
	state := []float64{0, 1, 2}
	for _, alpha := range []float64{1e-2, 1e-5, 1e-9} {
		e, err := oracle.NewEvidence(oracle.Audit{Claim: oracle.Random{}, Alpha: alpha})
		if err != nil {
			panic(err)
		}
		need, reached := -math.Log(alpha), false
		for k := 0; k < 400; k++ {
			i := k * k % 5 % 3 // 0 1 1 1 1: uneven, and in no order that a rotation has
			if err := e.Observe(oracle.State{Loads: state}, i); err != nil {
				panic(err)
			}
			reached = reached || e.Nats() >= need
			if e.Convicted() != reached {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("convicted %v at %.3f of %.3f nats", reached, e.Nats(), need),
					Observed: fmt.Sprintf("convicted %v after %d picks", e.Convicted(), k+1)}
			}
		}
		if !reached {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "a conviction of shares 1/5 4/5 0 that claim to be 1/3",
				Observed: fmt.Sprintf("%.1f of %.1f nats after 400 picks", e.Nats(), need)}
		}
	}
	return Result{Verdict: Holds, Observed: "to the pick, for alpha 1e-2, 1e-5 and 1e-9"}
}

func exactForbidden(r *Run) Result {
	state := [][]float64{{0, 1, 2}}
	strict := oracle.Audit{Claim: oracle.PowerOfD{D: 2}, Alpha: 1e-9}
	if e := replay(strict, state, []int{0, 1, 0, 2}); !e.Convicted() {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "a conviction", Observed: fmt.Sprintf("%.1f nats after a forbidden pick", e.Nats())}
	}
	if e := replay(strict, state, []int{0, 1, 0, 1}); e.Convicted() {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "no conviction", Observed: "convicted by allowed picks"}
	}
	blurred := strict
	blurred.Contamination = 0.05
	if e := replay(blurred, state, []int{0, 1, 0, 2}); e.Convicted() {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "no conviction by one stray", Observed: "convicted"}
	}
	return Result{Verdict: Holds, Observed: "at once; with strays declared, not by one"}
}

// exactHistory plays rotations, which are deterministic, so that the number of
// picks to conviction is one number. No test beats ln(1/alpha)/ln(n).
func exactHistory(r *Run) Result {
	const alpha = 1e-9
	text := ""
	for _, n := range []int{2, 3, 5, 10} {
		limit := -math.Log(alpha) / math.Log(float64(n))
		loads := [][]float64{make([]float64, n)}
		picks := make([]int, int(2*limit))
		for k := range picks {
			picks[k] = k % n
		}
		e := replay(oracle.Audit{Claim: oracle.Random{}, Alpha: alpha}, loads, picks)
		if !e.Convicted() {
			return Result{Verdict: Violated, Finding: WrongLaw,
				Expected: fmt.Sprintf("a conviction within %d picks of %d servers", len(picks), n),
				Observed: fmt.Sprintf("%.1f of %.1f nats", e.Nats(), -math.Log(alpha))}
		}
		text += fmt.Sprintf(" %d", n)
	}
	return Result{Verdict: Holds, Observed: "rotations of" + text + " servers"}
}

// exactAcquittal feeds picks drawn from the claimed law, and from one that is a
// little further off than the acquittal may allow. An honest draw fails with
// probability 1e-6 + 1e-9 by the plan, a wrong one with 1e-9 by the bound.
func exactAcquittal(r *Run) Result {
	loads := []float64{0, 1, 2}
	claim := oracle.PowerOfD{D: 2}
	for _, delta := range []float64{0.05, 0.1, 0.2} {
		audit := oracle.Audit{Claim: claim, Alpha: 1e-9}
		picks, err := audit.PicksFor([]oracle.State{{Loads: loads}}, delta, 1e-6)
		if err != nil {
			panic(err)
		}
		if e := replay(audit, [][]float64{loads}, drawn(r.Seed, []uint64{20000, 10000, 0}, picks)); !e.Acquitted(delta) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("an acquittal within %v after %d picks", delta, picks),
				Observed: fmt.Sprintf("convicted %v, within %.4f", e.Convicted(), e.Bound())}
		}
		off := delta * 1.01
		shift := uint64(30000 * off)
		wrong := replay(audit, [][]float64{loads}, drawn(r.Seed, []uint64{20000 - shift, 10000 + shift, 0}, picks))
		if wrong.Acquitted(delta) || wrong.Bound() < off {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("no acquittal of a law that is %.4f off", off),
				Observed: fmt.Sprintf("acquitted %v, within %.4f", wrong.Acquitted(delta), wrong.Bound())}
		}
	}
	return Result{Verdict: Holds, Observed: "within 0.05, 0.1 and 0.2"}
}

// drawn is a sequence of independent picks with the given weights.
func drawn(seed uint64, weights []uint64, picks int) []int {
	coins, sequence := policies.NewCoins(seed), make([]int, picks)
	for k := range sequence {
		sequence[k] = coins.Weighted(weights)
	}
	return sequence
}

func exactBudget(r *Run) Result {
	for _, s := range Reference() {
		n := newSession(s, nil)
		spent, shares := 0.0, 0
		for _, p := range registry {
			if p.Statistical && p.Applies(&n.config.claims) && n.tierOf(p) == Sampled {
				r := n.run(p, Sampled)
				share := r.Alpha
				if r.Claims.Law != nil { // what is judged by its law is judged on several fleets
					audit, fleets := r.lawAudit()
					share = audit.Alpha * float64(len(fleets))
				}
				spent += share
				shares++
			}
		}
		if spent > n.config.alpha*(1+1e-12) { // rounding of a sum of a few terms
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("at most %g", n.config.alpha),
				Observed: fmt.Sprintf("%d shares of %s add up to %g", shares, s.Name, spent)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("for %d subjects", len(Reference()))}
}
