package queue

import (
	"math/big"

	"github.com/picklaw/picklaw/policies"
)

// floats is the law of one pick in floating point: Enumerate without the
// rationals and without the second run of every leaf. Solve needs it at
// hundreds of thousands of views, after Enumerate itself has shown, on a sample
// of them, that the policy is a function of its coins and that the two agree.
//
// A leaf is a product of at most depth quotients, each with at most four roundings
// each; so with L leaves a probability is wrong by a factor of at most
// 1 + (L + 4·depth)·2^-53, to first order.
type floats struct {
	work *enumeration
	cut  float64 // probability of the branches given up
	// leaves and depth bound the rounding, as above.
	leaves, depth int
}

func newFloats(p policies.Policy, q policies.Request, v policies.View, o []Option) *floats {
	f := &floats{work: newEnumeration(p, q, v, o)}
	f.work.view.n = v.Len()
	return f
}

// each calls found with the probability of every leaf that is not given up. The
// view may have changed since the last call, though not its length.
func (f *floats) each(found func(r run, mass float64)) error {
	e := f.work
	e.coins.path = e.coins.path[:0]
	f.cut, f.leaves, f.depth = 0, 0, 0
	tried := 0.0
	for {
		if f.leaves == e.maxLeaves {
			return &TooManyLeaves{Limit: e.maxLeaves, Tried: new(big.Rat).SetFloat64(tried)}
		}
		r, err := e.run(false)
		if err != nil {
			return err
		}
		f.leaves++
		tried += e.coins.mass()
		f.depth = max(f.depth, len(e.coins.path))
		if r.cut {
			f.cut += e.coins.mass()
		} else {
			found(r, e.coins.mass())
		}
		if !e.coins.advance() {
			return nil
		}
	}
}
