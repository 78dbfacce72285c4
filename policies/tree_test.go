package policies

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// treeCoins walks through every outcome of a policy's coins, depth first: the
// odometer path says which outcome each coin shows this time.
type treeCoins struct {
	path  []int
	width []int
	at    int
	p     *big.Rat // of the outcomes so far
}

func (c *treeCoins) show(n int) int {
	if c.at == len(c.path) {
		c.path, c.width = append(c.path, 0), append(c.width, n)
	}
	c.at++
	return c.path[c.at-1]
}

func (c *treeCoins) IntN(n int) int {
	i := c.show(n)
	c.p.Mul(c.p, big.NewRat(1, int64(n)))
	return i
}

func (c *treeCoins) Weighted(w []uint64) int {
	var sum uint64
	var possible []int
	for i, x := range w {
		if sum += x; x > 0 {
			possible = append(possible, i)
		}
	}
	i := possible[c.show(len(possible))]
	c.p.Mul(c.p, big.NewRat(int64(w[i]), int64(sum)))
	return i
}

// next moves the odometer; it is false after the last path.
func (c *treeCoins) next() bool {
	for len(c.path) > 0 {
		last := len(c.path) - 1
		if c.path[last]++; c.path[last] < c.width[last] {
			return true
		}
		c.path, c.width = c.path[:last], c.width[:last]
	}
	return false
}

// lawOf is the exact distribution of what a run ends in, over all outcomes of its
// coins.
func lawOf[T comparable](run func(Coins) T) map[T]*big.Rat {
	law, c := map[T]*big.Rat{}, &treeCoins{}
	for more := true; more; more = c.next() {
		c.at, c.p = 0, big.NewRat(1, 1)
		end := run(c)
		if law[end] == nil {
			law[end] = new(big.Rat)
		}
		law[end].Add(law[end], c.p)
	}
	return law
}

// pickLaw is the exact law of one pick of a policy, made anew for each outcome,
// by the index of the server; probabilities are written as fractions.
func pickLaw(v *Snapshot, q Request, fresh func() Policy) map[int]string {
	out := map[int]string{}
	for i, p := range lawOf(func(c Coins) int { return fresh().Pick(q, v, c) }) {
		out[i] = p.RatString()
	}
	return out
}

func wantLaw(t *testing.T, want, got map[int]string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("pick law (-want +got):\n%s", d)
	}
}

// weighted is a fleet with the given weights, ids with gaps: id = 10·i+3.
func weighted(ws ...uint64) []Server {
	fleet := make([]Server, len(ws))
	for i, w := range ws {
		fleet[i] = Server{ID: ServerID(10*i + 3), Name: string(rune('a' + i)), Weight: w}
	}
	return fleet
}

// at is a frozen state of servers of weight 1 with the given loads.
func at(loads ...float64) *Snapshot {
	return &Snapshot{Servers: Fleet(len(loads)), Loads: loads}
}
