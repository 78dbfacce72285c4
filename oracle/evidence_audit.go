//go:build !mutants

package oracle

import (
	"fmt"
	"math"
	"slices"
)

// An Audit says what a balancer claims and how sure a conviction must be.
type Audit struct {
	Claim Law
	// Rivals are the laws to bet on and to name in a diagnosis, besides the claim;
	// nil stands for KnownLaws and, where the first state has weights, WeightedLaws.
	Rivals []Law
	// Alpha bounds the probability that a balancer that keeps its claim is ever
	// convicted, however often it is looked at, in (0, 1).
	Alpha float64
	// Contamination bounds the probability, given all that happened before, that a
	// pick is a stray and says nothing about the balancer, in [0, 1). Strays may
	// follow any law.
	Contamination float64
	// AnyTie leaves open which of several equally good servers the claim picks:
	// only the probability of each group of Tied.Ties is judged. The balancer may
	// then break ties by any rule, even one with memory.
	AnyTie bool
}

// Validate tells which field is out of range.
func (a Audit) Validate() error {
	if a.Claim == nil {
		return fmt.Errorf("oracle: the audit has no claim, want a law")
	}
	if !(a.Alpha > 0 && a.Alpha < 1) {
		return fmt.Errorf("oracle: alpha is %v, want a probability in (0, 1)", a.Alpha)
	}
	if !(a.Contamination >= 0 && a.Contamination < 1) {
		return fmt.Errorf("oracle: the contamination is %v, want a probability in [0, 1)", a.Contamination)
	}
	return nil
}

// groups are the outcomes that the audit tells apart in a state.
func (a Audit) groups(s State) [][]int {
	if a.AnyTie {
		return classes(a.Claim, s)
	}
	return strictly([][]int{indices(len(s.Loads))})
}

// Evidence bets against a claim, pick by pick. Its wealth is an e-process: it
// starts at 1 and, while the claim holds, is not expected to grow. So the
// probability that it ever reaches 1/alpha is at most alpha (Ville 1939), at
// whatever moment one looks.
//
// Before each pick it predicts: a mixture of the rivals, of rivals and claim
// diluted in each other, and of predictors that learn (see newBets) puts a
// probability q(i) on every server. The claim p is stretched to take strays in
// (see stretch), and the wealth is multiplied by q(pick)/p(pick). The weights of
// the mixture follow the likelihood, so the wealth is that of the mixture of all
// the products. With up to 100 bets on 100 servers, rounding lets a mixture add up
// to 1 + 2^-44 at most (some 300 roundings of 2^-53), so that after t picks it has
// raised the logarithm of the wealth by at most t·2^-44.
type Evidence struct {
	audit Audit
	bets  *bets // nil until the fleet is known
	views map[string]*view
	now   *view // the view of the last pick
	run   []int // picks since the view last changed

	// What the last pick left behind, to be used again.
	moment            moment
	onServer, onGroup []float64

	wealth     float64 // nats
	convicted  bool    // the wealth reached 1/alpha at some time
	picks      int
	candidates []Standing // the claim, then the rivals
}

// A Standing says how a law fares as an explanation of the picks. Here ties count
// as the law breaks them, also when the audit leaves them open.
type Standing struct {
	Law           Law
	LogLikelihood float64 // in nats, strays taken as uniform
	Nats          float64 // evidence against it
	RefutedAt     int     // picks after which that first reached 1/alpha; 0 if never
}

// NewEvidence starts an audit. It fails when a parameter is out of range.
func NewEvidence(a Audit) (*Evidence, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return &Evidence{audit: a, views: make(map[string]*view)}, nil
}

// Observe takes in one pick. The state must have been chosen without knowledge
// of the pick, but may depend on all earlier ones.
//
// When s.History is nil it stands for the picks observed since the loads or
// weights last changed: right where the picks follow each other from one frozen
// state. Whoever drives other picks of the same balancer in between, or claims a
// law with memory across several states, passes the history instead.
//
// It fails when the state is not valid, the pick is not in it, or the claim or a
// rival is not defined there; nothing is learned then.
func (e *Evidence) Observe(s State, pick int) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if n := len(s.Loads); pick < 0 || pick >= n {
		return fmt.Errorf("oracle: the pick is %d, want an index in [0, %d)", pick, n)
	}
	if e.bets == nil {
		e.start(s)
	}
	if e.now == nil || !e.now.shows(s) {
		e.now, e.run = e.look(s), nil
	}
	if s.History == nil {
		s.History = e.run
	}
	m := &e.moment
	m.view, m.state = e.now, s
	if err := e.bets.ready(m); err != nil {
		return err
	}
	e.picks++
	e.judge(m, pick)
	e.bets.learn(m, pick)
	e.now.learn(m, pick)
	e.run = append(e.run, pick)
	return nil
}

// start chooses the rivals once the fleet is known. A rival that is not defined
// in the first state is left out.
func (e *Evidence) start(s State) {
	rivals := e.audit.Rivals
	if rivals == nil {
		rivals = KnownLaws(len(s.Loads))
		if s.Weights != nil {
			rivals = append(rivals, WeightedLaws()...)
		}
	}
	candidates := []Law{e.audit.Claim}
	seen := map[string]bool{e.audit.Claim.String(): true}
	for _, l := range rivals {
		if _, err := l.Probabilities(s); err == nil && !seen[l.String()] {
			seen[l.String()] = true
			candidates = append(candidates, l)
		}
	}
	for _, l := range candidates {
		e.candidates = append(e.candidates, Standing{Law: l})
	}
	e.bets = newBets(candidates, e.audit)
}

// look returns the memory of a view, a new one if it was never seen.
func (e *Evidence) look(s State) *view {
	key := s.key()
	v, seen := e.views[key]
	if !seen {
		v = newView(s, e.audit.groups(s), len(e.views)+1)
		v.strays = e.audit.Contamination > 0
		e.views[key] = v
	}
	return v
}

// judge multiplies the wealth of the bets against the claim, which is about
// groups, and against every candidate, which is about servers.
func (e *Evidence) judge(m *moment, pick int) {
	c, limit, b, v := e.audit.Contamination, -math.Log(e.audit.Alpha), e.bets, m.view
	group := v.groupOf[pick]
	e.onServer = b.of(e.onServer, m, v.servers[pick])
	onServer, onGroup := e.onServer, e.onServer
	if len(v.groups[group]) > 1 {
		e.onGroup = b.of(e.onGroup, m, v.groups[group])
		onGroup = e.onGroup
	}
	bet, fit := dot(b.byGroup, onGroup), dot(b.byServer, onServer)

	claim := v.sum(m.claim(), group)
	var fits []float64
	if c > 0 {
		bets := b.mixed(m, b.byGroup, v.groups)
		bet, claim = bets[group], stretch(v.grouped(m.claim()), bets, c)[group]
		fits = b.mixed(m, b.byServer, v.servers)
	}
	e.wealth += math.Log(bet / claim)
	e.convicted = e.convicted || e.wealth >= limit

	stray, logFit := c/float64(len(v.counts)), math.Log(fit)
	for i := range e.candidates {
		s, law := &e.candidates[i], m.laws[i]
		likelihood := math.Log((1-c)*law[pick] + stray)
		null := likelihood // without strays the law is its own null
		if c > 0 {
			null = math.Log(stretch(law, fits, c)[pick])
		}
		s.LogLikelihood += likelihood
		s.Nats += logFit - null
		if s.RefutedAt == 0 && s.Nats >= limit {
			s.RefutedAt = e.picks
		}
	}
	update(b.byServer, onServer)
	if e.audit.AnyTie {
		update(b.byGroup, onGroup)
	}
}

// Convicted reports whether the evidence against the claim ever reached 1/alpha.
// A pick that the claim forbids convicts at once, unless it may be a stray.
func (e *Evidence) Convicted() bool { return e.convicted }

// Nats is the evidence against the claim by now: the logarithm of the wealth,
// +Inf after a forbidden pick.
func (e *Evidence) Nats() float64 { return e.wealth }

// Picks is the number of picks observed.
func (e *Evidence) Picks() int { return e.picks }

// BestFit is the law, of the claim and its rivals, under which the observed
// picks were most likely. It is not ok when even that law is refuted, or when
// nothing was observed. Of laws that agree at all the views seen, the claim
// comes first, then the earliest rival.
func (e *Evidence) BestFit() (law Law, ok bool) {
	best := -1
	for i, s := range e.candidates {
		if best < 0 || s.LogLikelihood > e.candidates[best].LogLikelihood {
			best = i
		}
	}
	if best < 0 {
		return nil, false
	}
	return e.candidates[best].Law, e.candidates[best].RefutedAt == 0
}

// Standings lists the claim and its rivals. A law that the balancer follows is
// refuted with probability alpha at most.
func (e *Evidence) Standings() []Standing { return slices.Clone(e.candidates) }

// Refuted lists the laws, of the claim and its rivals, that were refuted at some
// time.
func (e *Evidence) Refuted() []Law { return e.which(func(s Standing) bool { return s.RefutedAt > 0 }) }

// Remaining lists the laws that are not refuted.
func (e *Evidence) Remaining() []Law {
	return e.which(func(s Standing) bool { return s.RefutedAt == 0 })
}

func (e *Evidence) which(holds func(Standing) bool) []Law {
	var laws []Law
	for _, s := range e.candidates {
		if holds(s) {
			laws = append(laws, s.Law)
		}
	}
	return laws
}
