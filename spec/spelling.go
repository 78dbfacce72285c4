//go:build !mutants

package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// The parameters of policies that are spelled without any.
const (
	decay   = 10 * time.Second // Tau, of a peak EWMA
	newest  = 0.3              // Alpha, of an EWMA
	unheard = time.Second      // Prior
	linger  = 10 * time.Second // of errors that count as in flight
)

// spelled are the policies that have a spelling besides the laws. A number after
// a colon is passed on, or else the one of the table.
var spelled = map[string]struct {
	number string // what it is, empty when there is none
	other  int    // instead of it
	build  func(number int) policies.Policy
}{
	"weighted-random":        {"", 0, func(int) policies.Policy { return &policies.WeightedRandom{} }},
	"round-robin":            {"", 0, func(int) policies.Policy { return &policies.RoundRobin{} }},
	"smooth-weighted":        {"", 0, func(int) policies.Policy { return &policies.SmoothWeighted{} }},
	"weighted-round-robin":   {"", 0, func(int) policies.Policy { return &policies.WeightedRoundRobin{} }},
	"envoy-weighted":         {"", 0, func(int) policies.Policy { return &policies.EnvoyWeighted{Bias: 1} }},
	"weighted-least-request": {"servers to compare", 0, func(d int) policies.Policy { return policies.WeightedLeastRequest{D: d} }},
	"ewma":                   {"servers to compare", 0, func(d int) policies.Policy { e := ewma(); e.D = d; return e }},
	"peak-ewma":              {"servers to compare", 0, func(d int) policies.Policy { e := peakEWMA(); e.D = d; return e }},
	"least-time":             {"servers to compare", 0, func(d int) policies.Policy { return &policies.LeastTime{D: d, Latency: ewma()} }},
	"ewma-over-success":      {"servers to compare", 0, func(d int) policies.Policy { return &policies.OverSuccess{D: d, Latency: ewma()} }},
	"peak-ewma-over-success": {"servers to compare", 0, func(d int) policies.Policy { return &policies.OverSuccess{D: d, Latency: peakEWMA()} }},
	"lingering-errors":       {"servers to compare", 0, func(d int) policies.Policy { return &policies.LingeringErrors{D: d, Linger: linger} }},
	"ring":                   {"points a server", 50, func(points int) policies.Policy { return &policies.Ring{Points: points} }},
	"maglev":                 {"places", 65537, func(places int) policies.Policy { return &policies.Maglev{Size: places} }},
	"hash-mod":               {"", 0, func(int) policies.Policy { return &policies.HashMod{} }},
	"rendezvous":             {"", 0, func(int) policies.Policy { return &policies.Rendezvous{} }},
}

func ewma() *policies.EWMA         { return &policies.EWMA{Alpha: newest, Prior: unheard} }
func peakEWMA() *policies.PeakEWMA { return &policies.PeakEWMA{Tau: decay, Prior: unheard} }

// ParsePolicy finds the policy of a spelling, as the command line has it. It is
// a reference policy where there is one, and otherwise, for a law without
// memory, a policy that throws one coin with the probabilities of that law. Each
// call of the result makes a new policy.
func ParsePolicy(spelling string) (func() policies.Policy, error) {
	if fallback, sticky := strings.CutPrefix(spelling, "sticky:"); sticky {
		newFallback, err := ParsePolicy(fallback)
		if err != nil {
			return nil, fmt.Errorf("policy %q: %w", spelling, err)
		}
		return func() policies.Policy { return &policies.Sticky{Fallback: newFallback()} }, nil
	}
	name, parameter, has := strings.Cut(spelling, ":")
	if s, known := spelled[name]; known {
		number := s.other
		if has {
			var err error
			switch number, err = strconv.Atoi(parameter); {
			case s.number == "":
				return nil, fmt.Errorf("policy %q takes no parameter after a colon", spelling)
			case err != nil || number < 1:
				return nil, fmt.Errorf("policy %q: %q %s, want a whole number, 1 or more", spelling, parameter, s.number)
			}
		}
		if err := policies.Check(s.build(number)); err != nil {
			return nil, fmt.Errorf("policy %q: %w", spelling, err)
		}
		return func() policies.Policy { return s.build(number) }, nil
	}
	law, err := oracle.ParseLaw(spelling)
	if err != nil {
		return nil, fmt.Errorf("%w; as policies also %s and sticky:FALLBACK", err, strings.Join(spellings(), ", "))
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

// spellings lists the policies of the table, with the number they take.
func spellings() []string {
	var all []string
	for name, s := range spelled {
		if s.number != "" {
			name += "[:" + strings.ToUpper(strings.ReplaceAll(s.number, " ", "-")) + "]"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
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
