//go:build !mutants

package queue

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// Limits of Enumerate, unless its options say otherwise.
const (
	DefaultMaxDepth  = 64
	DefaultMinMass   = 0x1p-64
	DefaultMaxLeaves = 1 << 22
)

// Picks is the exact law of one pick. P, None and Cut add up to 1.
type Picks struct {
	P    []*big.Rat // the probability of each server, by its index in the view
	None *big.Rat   // the probability of picking no server
	// Cut is the probability of the branches that were given up at the limits
	// of depth and mass. It is 0 for a policy that always throws finitely many
	// coins; otherwise the true probability of server i is between P[i] and
	// P[i]+Cut.
	Cut        *big.Rat
	Leaves     int         // branches tried, those given up included
	MaxReads   int         // the largest number of loads read for one pick
	Successors []Successor // with the option Successors; by pick, then by state
}

// A Successor is a pick together with the state that it leaves the policy in.
type Successor struct {
	Pick   int // policies.None when no server was picked
	State  string
	Policy policies.Policy // in that state
	P      *big.Rat
}

// An Option changes how Enumerate goes about it.
type Option func(*enumeration)

// MaxDepth limits the coins thrown for one pick: a branch that asks for more is
// given up. It is at least 0.
func MaxDepth(coins int) Option { return func(e *enumeration) { e.coins.maxDepth = coins } }

// MinMass gives up a branch that asks for another coin once its probability is
// below mass.
func MinMass(mass float64) Option { return func(e *enumeration) { e.coins.minMass = mass } }

// MaxLeaves limits the branches tried; a policy that has more is an error.
func MaxLeaves(leaves int) Option { return func(e *enumeration) { e.maxLeaves = leaves } }

// Successors asks for the states after the pick. It costs one call of State for
// each run.
func Successors() Option { return func(e *enumeration) { e.successors = true } }

// Enumerate computes the exact law of one pick: it runs the policy once for
// every outcome of its coins and adds up the probabilities of the outcomes that
// lead to each server.
//
// A policies.Stateful policy is cloned before every run and is itself never
// changed; any other policy is run as it is. Every run is repeated with the
// same coins and must repeat itself, and so must the very first run in the end;
// otherwise the error is an *Impure. This exposes hidden chance and undeclared
// memory unless they happen not to matter in any of the runs.
//
// What else can be wrong with a policy is an error of its own: *OutOfRange,
// *Panicked, *BadCoin, *TooManyLeaves; what can be wrong with a view is a
// *BadLoad. A policy that hangs without throwing
// coins, or that ends its goroutine, cannot be contained here; one that holds a
// lock while it throws coins must release it by defer, since a branch is given
// up by a panic.
func Enumerate(p policies.Policy, q policies.Request, v policies.View, o ...Option) (*Picks, error) {
	switch {
	case p == nil:
		return nil, errors.New("queue: Enumerate of no policy, want one that is not nil")
	case v == nil:
		return nil, errors.New("queue: Enumerate at no view, want one that is not nil")
	}
	return newEnumeration(p, q, v, o).enumerate()
}

func (e *enumeration) enumerate() (law *Picks, err error) {
	defer func() { e.contain(&err, recover()) }()
	e.view.n = e.view.View.Len()
	before := stateOf(e.policy)
	var first run
	var opening []node
	for leaf := 0; ; leaf++ {
		if leaf == e.maxLeaves {
			return nil, &TooManyLeaves{Limit: e.maxLeaves, Tried: e.tried()}
		}
		r, err := e.run(false)
		if err != nil {
			return nil, err
		}
		if err := e.repeat(r); err != nil {
			return nil, err
		}
		if leaf == 0 {
			first, opening = r, e.coins.copyPath()
		}
		e.count(r)
		if !e.coins.advance() {
			break
		}
	}
	e.coins.path = opening
	if err := e.repeat(first); err != nil {
		return nil, err
	}
	e.coins.begin(false)
	if now := stateOf(e.policy); now != before {
		return nil, &Impure{What: "the state of the original, of which only clones were run,", First: before, Second: now}
	}
	return e.picks(), nil
}

// enumeration is the work in progress.
type enumeration struct {
	policy     policies.Policy
	stateful   policies.Stateful // nil when the policy is not
	request    policies.Request
	view       watched
	coins      tree
	maxLeaves  int
	successors bool

	sums     sums // slots: a server each, then None, then Cut
	leaves   int
	maxReads int
	states   map[successor]int // slots of the sums below
	reached  []Successor
	flow     sums
}

// successor is what successors are merged by.
type successor struct {
	pick  int
	state string
}

func newEnumeration(p policies.Policy, q policies.Request, v policies.View, o []Option) *enumeration {
	e := &enumeration{
		policy: p, request: q, maxLeaves: DefaultMaxLeaves,
		coins: tree{maxDepth: DefaultMaxDepth, minMass: DefaultMinMass},
	}
	e.view = watched{View: v, coins: &e.coins}
	e.stateful, _ = p.(policies.Stateful)
	for _, option := range o {
		option(e)
	}
	return e
}

// run is what one run came to.
type run struct {
	pick   int
	cut    bool
	reads  int
	policy policies.Policy // after the pick
	state  string          // of that policy, when successors are asked for
}

// run runs the policy along the path of the coins.
func (e *enumeration) run(replay bool) (r run, err error) {
	defer func() {
		e.contain(&err, recover())
		r.cut = e.coins.cut
	}()
	e.coins.begin(replay)
	e.view.reads = 0
	r.policy = e.policy
	if e.stateful != nil {
		r.policy = e.stateful.Clone()
	}
	r.pick = r.policy.Pick(e.request, &e.view, &e.coins)
	r.reads = e.view.reads
	at := e.coins.at
	switch {
	case e.coins.failure != nil || e.coins.cut: // the policy swallowed our panic
		panic(halt{})
	case r.pick < policies.None || r.pick >= e.view.n:
		return r, &OutOfRange{Op: "Pick", Index: r.pick, Len: e.view.n, Tosses: e.coins.tosses(at)}
	case at < len(e.coins.path):
		return r, &Impure{What: "the number of coins", First: fmt.Sprint("at least ", len(e.coins.path)), Second: fmt.Sprint(at),
			Tosses: e.coins.tosses(at)}
	}
	if e.successors {
		r.state = stateOf(r.policy)
	}
	return r, nil
}

// contain turns the panics of a policy into errors. What the coins and the view
// found out wins over what the policy made of it, and a branch that was given
// up is no error.
func (e *enumeration) contain(err *error, v any) {
	switch {
	case v == nil || e.coins.cut:
	case e.coins.failure != nil:
		*err = e.coins.failure
	default:
		*err = &Panicked{Value: v, Tosses: e.coins.tosses(e.coins.at), Stack: debug.Stack()}
	}
}

// stateOf is the state of a policy, empty for one without memory.
func stateOf(p policies.Policy) string {
	if s, ok := p.(policies.Stateful); ok {
		return s.State()
	}
	return ""
}

// repeat runs the policy along the same path again and compares.
func (e *enumeration) repeat(r run) error {
	again, err := e.run(!r.cut) // a branch given up is given up again
	if err != nil {
		return err
	}
	differs := func(what string, a, b any) error {
		return &Impure{What: what, First: fmt.Sprint(a), Second: fmt.Sprint(b), Tosses: e.coins.tosses(len(e.coins.path))}
	}
	switch {
	case again.cut != r.cut:
		return differs("giving up at the limits", r.cut, again.cut)
	case again.pick != r.pick:
		return differs("the pick", r.pick, again.pick)
	case again.reads != r.reads:
		return differs("the number of loads read", r.reads, again.reads)
	case again.state != r.state:
		return differs("the state after the pick", r.state, again.state)
	}
	return nil
}

// count adds the leaf of the coins to the law.
func (e *enumeration) count(r run) {
	e.leaves++
	if r.cut {
		e.sums.add(e.view.n+1, &e.coins)
		return
	}
	e.maxReads = max(e.maxReads, r.reads)
	slot := r.pick
	if slot == policies.None {
		slot = e.view.n
	}
	e.sums.add(slot, &e.coins)
	if !e.successors {
		return
	}
	key := successor{r.pick, r.state}
	at, known := e.states[key]
	if !known {
		if e.states == nil {
			e.states = make(map[successor]int)
		}
		at = len(e.reached)
		e.states[key] = at
		e.reached = append(e.reached, Successor{Pick: r.pick, State: r.state, Policy: r.policy})
	}
	e.flow.add(at, &e.coins)
}

// picks is the finished law.
func (e *enumeration) picks() *Picks {
	n := e.view.n
	law := &Picks{P: make([]*big.Rat, n), None: e.sums.of(n), Cut: e.sums.of(n + 1), Leaves: e.leaves, MaxReads: e.maxReads}
	for i := range law.P {
		law.P[i] = e.sums.of(i)
	}
	for i := range e.reached {
		e.reached[i].P = e.flow.of(i)
	}
	slices.SortFunc(e.reached, func(a, b Successor) int {
		return cmp.Or(cmp.Compare(a.Pick, b.Pick), cmp.Compare(a.State, b.State))
	})
	law.Successors = e.reached
	return law
}

// tried is the probability of the leaves counted so far.
func (e *enumeration) tried() *big.Rat {
	total := new(big.Rat)
	for slot := range e.view.n + 2 {
		total.Add(total, e.sums.of(slot))
	}
	return total
}

// copyPath returns an independent copy of the path.
func (t *tree) copyPath() []node {
	path := slices.Clone(t.path)
	for i := range path {
		path[i].weights = slices.Clone(path[i].weights)
	}
	return path
}
