package queue

import (
	"fmt"
	"math/big"

	"github.com/picklaw/picklaw/policies"
)

// Impure tells that two runs of a policy on the same view with the same coins
// differed: it draws chance from elsewhere, reads a clock of its own, or
// remembers something that it does not declare by being policies.Stateful with
// a Clone that shares nothing.
type Impure struct {
	What          string // what differed: "the pick", "coin 2", ...
	First, Second string // its value in the two runs
	Tosses        []Toss // the coins that both runs were given
}

// Error says what differed.
func (e *Impure) Error() string {
	return fmt.Sprintf("policy is not a function of its view, state and coins:%s, %s was %s in one run and %s in the next",
		after(e.Tosses), e.What, e.First, e.Second)
}

// OutOfRange tells that a policy named a server that is not in its view, by its
// pick or by reading it.
type OutOfRange struct {
	Op     string // "Pick", "View.Load" or "View.Server"
	Index  int
	Len    int // the length of the view
	Tosses []Toss
}

// Error names the index and the length.
func (e *OutOfRange) Error() string {
	what := "asked " + e.Op + " for"
	if e.Op == "Pick" {
		what = "picked"
	}
	if e.Len == 0 {
		return fmt.Sprintf("policy %s server %d of none%s", what, e.Index, after(e.Tosses))
	}
	return fmt.Sprintf("policy %s server %d, want an index from 0 to %d%s", what, e.Index, e.Len-1, after(e.Tosses))
}

// BadLoad tells that a view shows a load that is not finite or is negative: no
// law says what a policy should make of it. It is found when the policy reads it.
type BadLoad struct {
	Index  int
	Server policies.Server
	Load   float64
}

// Error names the server and the load.
func (e *BadLoad) Error() string {
	return fmt.Sprintf("view shows a load of %v at server %d (%q), want a finite number that is not negative", e.Load, e.Index, e.Server.Name)
}

// Panicked tells that a policy panicked.
type Panicked struct {
	Value  any
	Tosses []Toss // the coins thrown so far
	Stack  []byte // as debug.Stack has it at the panic
}

// Error gives the value; the stack is left to the caller.
func (e *Panicked) Error() string {
	return fmt.Sprintf("policy panicked%s: %v", after(e.Tosses), e.Value)
}

// Unwrap returns the value of the panic when it is an error.
func (e *Panicked) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// BadCoin tells that a policy asked for a coin that does not exist.
type BadCoin struct {
	Coin    string // the call: "IntN(0)"
	Problem string
	Tosses  []Toss // the coins thrown before
}

// Error names the call and the condition it broke.
func (e *BadCoin) Error() string {
	return fmt.Sprintf("policy called %s%s: %s", e.Coin, after(e.Tosses), e.Problem)
}

// TooManyLeaves tells that a policy's coins have more outcomes than the limit
// allows to try.
type TooManyLeaves struct {
	Limit int
	Tried *big.Rat // probability of the outcomes that were tried
}

// Error names the limit and how far it reached.
func (e *TooManyLeaves) Error() string {
	tried, _ := e.Tried.Float64()
	return fmt.Sprintf("policy's coins have more than %d outcomes, and those tried so far have probability %.3g: "+
		"raise MaxLeaves, cut earlier with MaxDepth or MinMass, or use fewer servers", e.Limit, tried)
}
