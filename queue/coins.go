//go:build !mutants

package queue

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A Toss is one coin that a policy asked for, with the outcome that it was
// given.
type Toss struct {
	N       int      // the bound of IntN; 0 when the coin was weighted
	Weights []uint64 // the weights of Weighted; nil when the coin was fair
	Outcome int
}

// String reads like the call and its answer: "IntN(3)=1".
func (t Toss) String() string {
	if t.N > 0 {
		return fmt.Sprintf("IntN(%d)=%d", t.N, t.Outcome)
	}
	return fmt.Sprintf("Weighted(%v)=%d", t.Weights, t.Outcome)
}

// tree walks the tree of all outcomes of a policy's coins, one path a run. A
// run follows the path as far as it is known; coins beyond it fall on their
// first possible outcome and are appended to it. advance then turns the path
// into that of the next leaf, in lexicographic order.
type tree struct {
	maxDepth int
	minMass  float64

	path    []node
	at      int   // coins thrown in this run
	replay  bool  // this run repeats a leaf: the path is complete
	cut     bool  // this run asked for a coin beyond the limits
	failure error // what is wrong with the policy, as found in this run
}

// node is one coin on the path, and the product of the probabilities down to
// its outcome: num/den unless wide, and about mass.
type node struct {
	n        int // number of outcomes
	weighted bool
	weights  []uint64
	total    uint64 // sum of the weights
	outcome  int

	mass     float64
	num, den uint64
	wide     bool // num or den would need more than 64 bits
}

// halt unwinds a policy whose run is over; the reason is in the tree.
type halt struct{}

func (t *tree) fail(err error) {
	if t.failure == nil {
		t.failure = err
	}
	panic(halt{})
}

// begin prepares a run.
func (t *tree) begin(replay bool) {
	t.at, t.replay, t.cut, t.failure = 0, replay, false, nil
}

// IntN tries 0, 1, ..., n-1.
func (t *tree) IntN(n int) int {
	if n < 1 {
		t.fail(&BadCoin{Coin: fmt.Sprintf("IntN(%d)", n), Problem: "the bound must be at least 1", Tosses: t.tosses(t.at)})
	}
	if known := t.next(); known != nil {
		if known.weighted || known.n != n {
			t.differs(known, fmt.Sprintf("IntN(%d)", n))
		}
		return known.outcome
	}
	c := t.grow()
	c.n, c.weighted, c.total, c.outcome = n, false, uint64(n), 0
	t.weigh(len(t.path) - 1)
	return 0
}

// Weighted tries every outcome of positive weight.
func (t *tree) Weighted(w []uint64) int {
	total, overflow, first := uint64(0), false, -1
	for i, x := range w {
		var carry uint64
		total, carry = bits.Add64(total, x, 0)
		overflow = overflow || carry != 0
		if first < 0 && x > 0 {
			first = i
		}
	}
	if first < 0 || overflow {
		problem := "no weight is positive"
		if overflow {
			problem = "the weights add up to 2^64 or more"
		}
		t.fail(&BadCoin{Coin: fmt.Sprintf("Weighted(%v)", w), Problem: problem, Tosses: t.tosses(t.at)})
	}
	if known := t.next(); known != nil {
		if !known.weighted || !slices.Equal(known.weights, w) {
			t.differs(known, fmt.Sprintf("Weighted(%v)", w))
		}
		return known.outcome
	}
	c := t.grow()
	c.n, c.weighted, c.total, c.outcome = len(w), true, total, first
	c.weights = append(c.weights[:0], w...)
	t.weigh(len(t.path) - 1)
	return first
}

// next returns the coin that the path has for this toss, or nil at the end of
// the path. It ends the run when the limits allow no further coin.
func (t *tree) next() *node {
	if t.cut || t.failure != nil { // a policy that swallowed the panic comes back
		panic(halt{})
	}
	if t.at < len(t.path) {
		t.at++
		return &t.path[t.at-1]
	}
	if t.replay {
		t.fail(&Impure{
			What:   "the number of coins",
			First:  fmt.Sprint(len(t.path)),
			Second: fmt.Sprint(len(t.path), " and another one"),
			Tosses: t.tosses(t.at),
		})
	}
	if t.at >= t.maxDepth || t.mass() < t.minMass {
		t.cut = true
		panic(halt{})
	}
	return nil
}

func (t *tree) differs(known *node, asked string) {
	t.at--
	t.fail(&Impure{What: fmt.Sprintf("coin %d", t.at+1), First: known.String(), Second: asked, Tosses: t.tosses(t.at)})
}

// grow appends a coin to the path and reuses the memory of an earlier one.
func (t *tree) grow() *node {
	t.at++
	if len(t.path) < cap(t.path) {
		t.path = t.path[:len(t.path)+1]
	} else {
		t.path = append(t.path, node{})
	}
	return &t.path[len(t.path)-1]
}

// weigh computes the probability of the path down to coin i from that of coin
// i-1.
func (t *tree) weigh(i int) {
	c := &t.path[i]
	c.mass, c.num, c.den, c.wide = 1, 1, 1, false
	if i > 0 {
		b := &t.path[i-1]
		c.mass, c.num, c.den, c.wide = b.mass, b.num, b.den, b.wide
	}
	weight := uint64(1)
	if c.weighted {
		weight = c.weights[c.outcome]
	}
	c.mass *= float64(weight) / float64(c.total)
	over1, num := bits.Mul64(c.num, weight)
	over2, den := bits.Mul64(c.den, c.total)
	c.num, c.den = num, den
	c.wide = c.wide || over1 != 0 || over2 != 0
}

// mass is the probability of the path, rounded.
func (t *tree) mass() float64 {
	if len(t.path) == 0 {
		return 1
	}
	return t.path[len(t.path)-1].mass
}

// advance moves on to the next leaf. It is false after the last one.
func (t *tree) advance() bool {
	for i := len(t.path) - 1; i >= 0; i-- {
		c := &t.path[i]
		for k := c.outcome + 1; k < c.n; k++ {
			if !c.weighted || c.weights[k] > 0 {
				c.outcome = k
				t.weigh(i)
				return true
			}
		}
		t.path = t.path[:i]
	}
	return false
}

// tosses copies the first k coins of the path for a message.
func (t *tree) tosses(k int) []Toss {
	list := make([]Toss, k)
	for i := range list {
		c := &t.path[i]
		list[i] = Toss{N: c.n, Outcome: c.outcome}
		if c.weighted {
			list[i].N, list[i].Weights = 0, slices.Clone(c.weights)
		}
	}
	return list
}

// String is the coin as it was asked for.
func (c *node) String() string {
	if c.weighted {
		return fmt.Sprintf("Weighted(%v)", c.weights)
	}
	return fmt.Sprintf("IntN(%d)", c.n)
}

// after words the coins of a message: " after IntN(3)=1, IntN(2)=0".
func after(tosses []Toss) string {
	if len(tosses) == 0 {
		return " before any coin"
	}
	const most = 8
	words := make([]string, 0, most+1)
	for i, t := range tosses {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(tosses)-most))
			break
		}
		words = append(words, t.String())
	}
	return " after " + strings.Join(words, ", ")
}
