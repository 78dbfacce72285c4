package queue

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// python is the stream of CPython's random.Random(seed): a Mersenne twister
// seeded by key and, on top, the transforms of Lib/random.py. A replay of a
// Python experiment has to draw the same numbers in the same order.
type python struct {
	mt   *prng.MT19937
	pool []int // scratch of sample
}

// NewPython returns the stream of random.Random(seed).
func NewPython(seed uint64) Stream { return newPython(seed) }

func newPython(seed uint64) *python {
	p := &python{mt: prng.NewMT19937()}
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high != 0 {
		key = append(key, high)
	}
	p.mt.SeedFromKeys(key)
	return p
}

// Float64 is random(): 53 bits of two outputs.
func (p *python) Float64() float64 {
	a, b := p.mt.Uint32()>>5, p.mt.Uint32()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}

// ExpFloat64 is expovariate(1).
func (p *python) ExpFloat64() float64 { return -math.Log(1 - p.Float64()) }

var kindermanMonahan = 4 * math.Exp(-0.5) / math.Sqrt2

// NormFloat64 is normalvariate(0, 1), by the ratio of uniforms (Kinderman and
// Monahan 1977).
func (p *python) NormFloat64() float64 {
	for {
		u1 := p.Float64()
		u2 := 1 - p.Float64()
		z := kindermanMonahan * (u1 - 0.5) / u2
		if z*z/4 <= -math.Log(u2) {
			return z
		}
	}
}

// IntN is randrange(n), and the index that choice() of n elements draws.
func (p *python) IntN(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("queue: IntN(%d), want a positive number", n))
	}
	return int(p.below(uint64(n)))
}

// below redraws as many bits as n has, until they are less than n. So even
// below(1) costs draws.
func (p *python) below(n uint64) uint64 {
	k := bits.Len64(n)
	for {
		if x := p.getrandbits(k); x < n {
			return x
		}
	}
}

// getrandbits returns k bits, 1 to 64: the high bits of one output, after a
// whole output for the low word when k exceeds 32.
func (p *python) getrandbits(k int) uint64 {
	if k <= 32 {
		return uint64(p.mt.Uint32() >> (32 - k))
	}
	low := uint64(p.mt.Uint32())
	return uint64(p.mt.Uint32()>>(64-k))<<32 | low
}

func (p *python) Weighted(w []uint64) int { return weighted(w, p.below) }

// sample is random.sample(range(n), k), appended to drawn: from a shrinking
// pool when the population is small, else by redrawing what was drawn before.
func (p *python) sample(drawn []int, n, k int) []int {
	limit := 21
	if k > 5 {
		limit += 1 << (2 * ceilLog4(3*k))
	}
	if n > limit {
		for range k {
			i := p.IntN(n)
			for contains(drawn, i) {
				i = p.IntN(n)
			}
			drawn = append(drawn, i)
		}
		return drawn
	}
	p.pool = p.pool[:0]
	for i := range n {
		p.pool = append(p.pool, i)
	}
	for i := range k {
		j := p.IntN(n - i)
		drawn = append(drawn, p.pool[j])
		p.pool[j] = p.pool[n-i-1]
	}
	return drawn
}

// ceilLog4 is the smallest e with 4^e >= x.
func ceilLog4(x int) int {
	e := 0
	for 1<<(2*e) < x {
		e++
	}
	return e
}

func contains(s []int, x int) bool {
	for _, y := range s {
		if y == x {
			return true
		}
	}
	return false
}
