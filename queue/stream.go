package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/picklaw/picklaw/policies"
)

// A Stream is a source of chance for a world: the coins of its policies and the
// draws that arrivals and work are made of.
type Stream interface {
	policies.Coins
	Float64() float64     // uniform in [0, 1)
	ExpFloat64() float64  // exponential with mean 1
	NormFloat64() float64 // normal with mean 0 and variance 1
}

// An RNG names a family of streams.
type RNG string

const (
	PCG    RNG = "pcg"    // permuted congruential generators (O'Neill 2014); the default
	Python RNG = "python" // the generator and the transforms of CPython's random.Random
)

// streams returns the two streams of a run: one for arrivals, work and
// dispatchers, one for the coins of the policies. Two policies run with the
// same seed meet the same requests.
func (r RNG) streams(seed uint64) (arrivals, coins Stream) {
	if r == Python {
		return NewPython(seed), NewPython(seed + 1000003)
	}
	return NewPCG(seed, "arrivals"), NewPCG(seed, "coins")
}

func (r RNG) validate() error {
	switch r {
	case "", PCG, Python:
		return nil
	}
	return fmt.Errorf("queue: unknown random number generator %q, want %q or %q", string(r), string(PCG), string(Python))
}

// pcg is a Stream whose calls are direct, which a simulation of ten million
// requests a second needs.
type pcg struct {
	src  rand.PCG
	rand *rand.Rand // draws from src
}

// NewPCG returns a stream that is independent, for all we can tell, of the
// streams of every other seed and purpose.
func NewPCG(seed uint64, purpose string) Stream {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(purpose), seed))
	p := new(pcg)
	p.src.Seed(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))
	p.rand = rand.New(&p.src)
	return p
}

func (p *pcg) Float64() float64     { return p.rand.Float64() }
func (p *pcg) ExpFloat64() float64  { return p.rand.ExpFloat64() }
func (p *pcg) NormFloat64() float64 { return p.rand.NormFloat64() }

// IntN multiplies a 64-bit draw into [0, n) and redraws the few that would
// favour some outcome (Lemire 2019).
func (p *pcg) IntN(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("queue: IntN(%d), want a positive number", n))
	}
	return int(p.uint64N(uint64(n)))
}

func (p *pcg) uint64N(n uint64) uint64 {
	hi, lo := bits.Mul64(p.src.Uint64(), n)
	if lo < n {
		for surplus := -n % n; lo < surplus; {
			hi, lo = bits.Mul64(p.src.Uint64(), n)
		}
	}
	return hi
}

func (p *pcg) Weighted(w []uint64) int { return weighted(w, p.uint64N) }

// weighted is one coin with len(w) outcomes, made of one uniform draw.
func weighted(w []uint64, below func(uint64) uint64) int {
	sum := uint64(0)
	for _, x := range w {
		s, carry := bits.Add64(sum, x, 0)
		if carry != 0 {
			panic("queue: the weights of a coin add up to 2^64 or more")
		}
		sum = s
	}
	if sum == 0 {
		panic(fmt.Sprintf("queue: a coin needs a positive weight, got %v", w))
	}
	x := below(sum)
	for i, weight := range w {
		if x < weight {
			return i
		}
		x -= weight
	}
	panic("unreachable: x < sum(w)")
}
