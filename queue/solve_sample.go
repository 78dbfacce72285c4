package queue

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// A sample says at which vectors a policy is examined more closely than the
// floating-point enumeration does: at those of the lowest ranks, where a stable
// system spends its time, and at some spread over all others by a fixed hash.
type sample struct {
	size, low int
	spread    uint64 // of 2^64, the part of the other vectors
}

// The closer look costs one Enumerate in the full form. In the sorted form it
// costs one for each order of the servers, so fewer vectors are taken.
const (
	lookups      = 1000
	sortedOrders = 60000
)

func newSample(size, n int, sorted bool) sample {
	count := lookups
	if sorted {
		count = max(64, int(sortedOrders/math.Gamma(float64(min(n, exhaustive)+1))))
	}
	s := sample{size: size, low: count * 3 / 4, spread: math.MaxUint64}
	if part := float64(count-s.low) / float64(size); part < 1 {
		s.spread = uint64(part * 0x1p64)
	}
	return s
}

func (s sample) has(rank int) bool {
	// Multiplying by the golden ratio spreads ranks evenly without hitting a
	// stride of the vectors (Knuth, volume 3, section 6.4).
	return rank < s.low || uint64(rank)*0x9e3779b97f4a7c15 < s.spread
}

// verify compares the floating-point law at the vector that the view shows with
// Enumerate, which runs every leaf twice, and in the sorted form makes sure that
// the policy commutes there.
func (b *builder) verify(memory, rank int, law *floats) error {
	p := b.memories[memory]
	exact, err := Enumerate(p, b.model.request, &b.view, b.model.options...)
	if err != nil {
		return err
	}
	approximate := make([]float64, len(b.x)+1) // the last one for no pick
	if err := law.each(func(r run, mass float64) {
		if r.pick == policies.None {
			r.pick = len(b.x)
		}
		approximate[r.pick] += mass
	}); err != nil {
		return err
	}
	// See floats for the bound; the conversion of the rational rounds once more.
	bound := float64(law.leaves+4*law.depth+1) * 0x1p-53
	for i, want := range append(slices.Clone(exact.P), exact.None) {
		w, _ := want.Float64()
		if math.Abs(approximate[i]-w) > bound*w {
			return &Impure{What: fmt.Sprintf("the probability of server %d", i), First: want.RatString(),
				Second: new(big.Rat).SetFloat64(approximate[i]).FloatString(17)}
		}
	}
	if !b.space.sorted {
		return nil
	}
	broken, err := Commutes(p, b.model.request, &b.view, b.model.options...)
	if err != nil {
		return err
	}
	if broken != nil {
		return &NotSymmetric{Loads: slices.Clone(b.x), Asymmetry: broken}
	}
	b.checked = append(b.checked, uint32(rank))
	return nil
}
