package spec

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// ParsePolicy finds the policy of a spelling, as the command line has it. It is
// a reference policy where there is one, and otherwise, for a law without
// memory, a policy that throws one coin with the probabilities of that law. Each
// call of the result makes a new policy.
func ParsePolicy(spelling string) (func() policies.Policy, error) {
	name, parameter, has := strings.Cut(spelling, ":")
	number := 0
	if has {
		number, _ = strconv.Atoi(parameter) // 0 when it is none; refused below where a number is needed
	}
	switch name {
	case "round-robin":
		return func() policies.Policy { return &policies.RoundRobin{} }, refuseParameter(spelling, has)
	case "smooth-weighted":
		return func() policies.Policy { return &policies.SmoothWeighted{} }, refuseParameter(spelling, has)
	case "hash-mod":
		return func() policies.Policy { return &policies.HashMod{} }, refuseParameter(spelling, has)
	case "rendezvous":
		return func() policies.Policy { return &policies.Rendezvous{} }, refuseParameter(spelling, has)
	case "peak-ewma":
		if has && number < 1 {
			return nil, fmt.Errorf("policy %q: %q servers to compare, want a whole number, 1 or more", spelling, parameter)
		}
		return func() policies.Policy {
			return &policies.PeakEWMA{D: number, Tau: 10 * time.Second, Prior: time.Second}
		}, nil
	case "ring":
		if !has {
			number = 100
		}
		if number < 1 {
			return nil, fmt.Errorf("policy %q: %q points a server, want a whole number, 1 or more", spelling, parameter)
		}
		return func() policies.Policy { return &policies.Ring{Points: number} }, nil
	}
	law, err := oracle.ParseLaw(spelling)
	if err != nil {
		return nil, fmt.Errorf("%w; as policies also peak-ewma, peak-ewma:D, ring, ring:POINTS, hash-mod, rendezvous and smooth-weighted", err)
	}
	switch l := law.(type) {
	case oracle.Random:
		return func() policies.Policy { return policies.Random{} }, nil
	case oracle.LeastRequest:
		return func() policies.Policy { return policies.LeastRequest{} }, nil
	case oracle.PowerOfD:
		if !l.LowestIndex {
			return func() policies.Policy { return policies.PowerOfD{D: l.D, Replacement: l.Replacement} }, nil
		}
	}
	return func() policies.Policy { return byLaw{law} }, nil
}

func refuseParameter(spelling string, has bool) error {
	if has {
		return fmt.Errorf("policy %q takes no parameter after a colon", spelling)
	}
	return nil
}

// byLaw picks with the probabilities of a law: what has that law and nothing
// else in common with any implementation of it.
type byLaw struct{ law oracle.Law }

// Pick throws one coin whose weights are the probabilities over their common
// denominator.
func (b byLaw) Pick(_ Request, v policies.View, c policies.Coins) int {
	if v.Len() == 0 {
		return policies.None
	}
	s := oracle.State{Loads: make([]float64, v.Len()), Weights: make([]uint64, v.Len())}
	for i := range s.Loads {
		s.Loads[i], _ = v.Load(i)
		s.Weights[i] = v.Server(i).Weight
	}
	p, err := b.law.Probabilities(s)
	if err != nil {
		panic(fmt.Sprintf("spec: the law %v has no probabilities here: %v", b.law, err))
	}
	common := big.NewInt(1)
	for _, x := range p {
		gcd := new(big.Int).GCD(nil, nil, common, x.Denom())
		common.Mul(common, new(big.Int).Quo(x.Denom(), gcd))
	}
	weights := make([]uint64, len(p))
	for i, x := range p {
		w := new(big.Int).Mul(x.Num(), new(big.Int).Quo(common, x.Denom()))
		if !w.IsUint64() {
			panic(fmt.Sprintf("spec: the law %v over %d servers does not fit a coin", b.law, len(p)))
		}
		weights[i] = w.Uint64()
	}
	return c.Weighted(weights)
}
