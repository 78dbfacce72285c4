package oracle

import (
	"fmt"
	"math"
	"math/big"
)

// LimitPicks is what it costs at least to convict a balancer that follows the
// truth instead of the claim, when the states take turns: the mean number of
// picks that no test with error alpha can beat,
//
//	ln(1/alpha) / KL(truth || claim),
//
// with the divergence averaged over the states (Wald 1945), or 1/P(a forbidden
// pick) where it is infinite. It is +Inf when claim and truth agree. The truth
// is meant without strays: with contamination both sides have it, the truth
// evenly, the claim in the way that hides most. With AnyTie groups count. The
// laws see the history that the states have.
func (a Audit) LimitPicks(truth Law, states []State) (float64, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if len(states) == 0 {
		return 0, fmt.Errorf("oracle: no state to compare %v with %v at, want at least one", truth, a.Claim)
	}
	divergence, forbidden := 0.0, 0.0
	for _, s := range states {
		d, f, err := a.divergence(truth, s)
		if err != nil {
			return 0, err
		}
		divergence += d / float64(len(states))
		forbidden += f / float64(len(states))
	}
	if forbidden > 0 {
		return 1 / forbidden, nil
	}
	return -math.Log(a.Alpha) / divergence, nil
}

// divergence is the mean evidence of one pick against the claim, in nats, but
// for picks that the claim forbids, and the probability of those.
func (a Audit) divergence(truth Law, s State) (nats, forbidden float64, err error) {
	claimed, err := a.Claim.Probabilities(s)
	if err != nil {
		return 0, 0, err
	}
	actual, err := truth.Probabilities(s)
	if err != nil {
		return 0, 0, err
	}
	v := newView(s, a.groups(s), 1)
	c := a.Contamination
	p, q := v.rationals(claimed), v.rationals(actual)
	if c > 0 {
		strays := v.grouped(floats(evenlyAll(len(s.Loads))))
		blurred := floats(q)
		for g := range blurred {
			blurred[g] = (1-c)*blurred[g] + c*strays[g]
		}
		hidden := stretch(floats(p), blurred, c)
		for g := range p {
			p[g].SetFloat64(hidden[g])
			q[g].SetFloat64(blurred[g])
		}
	}
	for g := range p {
		if p[g].Sign() == 0 {
			f, _ := q[g].Float64()
			forbidden += f
			continue
		}
		// p·h(q/p - 1), h(u) = (1+u) ln(1+u) - u, is not negative, so that nothing
		// cancels; what the forbidden picks take away from q is in the sum.
		ratio := new(big.Rat).Quo(q[g], p[g])
		u, _ := ratio.Sub(ratio, big.NewRat(1, 1)).Float64()
		weight, _ := p[g].Float64()
		nats += weight * excess(u)
	}
	return nats, forbidden, nil
}

// excess is (1+u) ln(1+u) - u for u >= -1.
func excess(u float64) float64 {
	switch {
	case u == -1:
		return 1
	case math.Abs(u) < 1e-4:
		// The series u²/2 - u³/6 + u⁴/12 - ...; what is left out is below 1e-13 of it.
		return u * u * (1./2 - u*(1./6-u*(1./12-u/20)))
	}
	return (1+u)*math.Log1p(u) - u
}

// rationals adds up the probabilities of each group.
func (v *view) rationals(p []*big.Rat) []*big.Rat {
	sums := make([]*big.Rat, len(v.groups))
	for g, members := range v.groups {
		sums[g] = new(big.Rat)
		for _, i := range members {
			sums[g].Add(sums[g], p[i])
		}
	}
	return sums
}

func evenlyAll(n int) []*big.Rat {
	p := make([]*big.Rat, n)
	for i := range p {
		p[i] = big.NewRat(1, int64(n))
	}
	return p
}
