//go:build !mutants

package policies

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// PCG is a source of coins for production and simulation: a permuted
// congruential generator (O'Neill 2014), as the standard library has it.
type PCG struct{ r *rand.Rand }

// NewCoins returns coins that repeat themselves for the same seed.
func NewCoins(seed uint64) *PCG {
	return &PCG{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// IntN is uniform in [0, n).
func (p *PCG) IntN(n int) int { return p.r.IntN(n) }

// Weighted returns i with probability w[i]/sum(w), exactly.
func (p *PCG) Weighted(w []uint64) int {
	sum, carry := uint64(0), uint64(0)
	for _, x := range w {
		sum, carry = bits.Add64(sum, x, 0)
		if carry != 0 {
			panic("policies: the weights of a coin add up to 2^64 or more")
		}
	}
	if sum == 0 {
		panic(fmt.Sprintf("policies: a coin needs a positive weight, got %v", w))
	}
	x := p.r.Uint64N(sum)
	for i, weight := range w {
		if x < weight {
			return i
		}
		x -= weight
	}
	panic("unreachable: x < sum(w)")
}
