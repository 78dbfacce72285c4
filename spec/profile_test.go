package spec

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// A profile is what a bare rule does, in numbers: the kill matrix compares that
// of a mutant with that of the reference.
type profile struct {
	Subject string               `json:"subject"`
	Laws    map[string][]float64 `json:"laws,omitempty"`   // of the next pick, by state
	Owners  map[string][]int     `json:"owners,omitempty"` // the servers of keys, by fleet
	Mean    float64              `json:"mean,omitempty"`   // mean time in system, see profiledMean
}

func profileOf(r rule) profile {
	p := profile{Subject: r.Name}
	run := &Run{Subject: r.Subject}
	if c := newConfig(r.Claims).claims; c.MapsKeys || c.SparesKeys {
		p.Owners = run.profiledOwners()
	} else {
		p.Laws = run.profiledLaws()
	}
	if r.law != nil && !r.learns {
		p.Mean = profiledMean(r)
	}
	return p
}

// profiledLaws are the laws in every state of up to three servers with up to two
// requests each and in some of up to twelve, with equal and with unequal weights,
// at rest and after a history of outcomes, and for a policy with memory after up
// to two picks too.
func (r *Run) profiledLaws() map[string][]float64 {
	laws := make(map[string][]float64)
	drawn := loadVectors(1)
	for _, loads := range append(allLoads(3, 3), drawn[len(drawn)-6:]...) {
		for _, weights := range [][]uint64{nil, {1, 2, 3, 5, 8, 1, 1, 2, 3, 5, 8, 1}} {
			s := oracle.State{Loads: loads}
			if weights != nil {
				s.Weights = weights[:len(loads)]
			}
			view := viewOf(s)
			state := describe(view.Servers, loads)
			r.profileLaws(laws, state, r.fresh(view.Servers), view)
			if l, ok := r.fresh(view.Servers).(policies.Learner); ok {
				view.At = observed(l, view.Servers)
				r.profileLaws(laws, state+", after outcomes", l, view)
			}
		}
	}
	return laws
}

// fresh is a new policy of the subject, or nil where a mutant builds none.
func (r *Run) fresh(fleet []Server) (p policies.Policy) {
	defer func() { _ = recover() }()
	return r.newPolicy(fleet)
}

// observed tells a learner of outcomes that differ between servers, and says
// when the last of them was.
func observed(l policies.Learner, fleet []Server) time.Duration {
	defer func() { _ = recover() }()
	at := time.Duration(0)
	for round := range 3 {
		for i, s := range fleet {
			at += 100 * time.Millisecond
			l.Observe(s.ID, policies.Outcome{At: at, Latency: time.Duration(10*(i+1)+round) * time.Millisecond, Failed: i == 1 && round == 1})
		}
	}
	return at
}

// profileLaws adds the laws of a policy in one state, unless it fails.
func (r *Run) profileLaws(laws map[string][]float64, state string, p policies.Policy, v *policies.Snapshot) {
	defer func() { _ = recover() }()
	var walk func(b belief, history []int)
	walk = func(b belief, history []int) {
		next := make([]belief, v.Len())
		law, err := r.mixture(b, v, next)
		if err != nil {
			return
		}
		at := state
		if len(history) > 0 {
			at += ", after the picks " + names(v.Servers, history)
		}
		laws[at] = floats(law.P)
		if len(history) == 2 {
			return
		}
		for pick, b := range next {
			if len(b) > 0 {
				walk(b, append(slices.Clone(history), pick))
			}
		}
	}
	walk(belief{{p, big.NewRat(1, 1)}}, nil)
}

func floats(p []*big.Rat) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i], _ = x.Float64()
	}
	return out
}

// profiledOwners are the owners of a thousand keys in some fleets: equal
// weights, unequal ones, and one server that is not eligible.
func (r *Run) profiledOwners() map[string][]int {
	owners := make(map[string][]int)
	for name, weights := range map[string][]uint64{"5 servers": {1, 1, 1, 1, 1}, "weights 1 2 3 1 5": {1, 2, 3, 1, 5}} {
		for _, out := range []bool{false, true} {
			func() {
				defer func() { _ = recover() }()
				v := viewOf(oracle.State{Loads: make([]float64, len(weights)), Weights: weights})
				p := r.fresh(v.Servers)
				label := name
				if out {
					v.Servers, v.Loads = slices.Delete(slices.Clone(v.Servers), 2, 3), v.Loads[1:]
					label += ", one not eligible"
				}
				of := make([]int, 1000)
				for k := range of {
					of[k] = p.Pick(Request{Key: fmt.Sprintf("key-%d", k)}, v, policies.NewCoins(1))
				}
				owners[label] = of
			}()
		}
	}
	return owners
}

// profiledMean is the mean time in system of three servers under load 0.8 that
// hold six requests each at most, from the Markov chain of the rule's own code.
// Servers are as fast as their weights say, where the rule reads weights. It is 0
// where the chain cannot be built.
func profiledMean(r rule) (mean float64) {
	defer func() { _ = recover() }()
	c := queue.Chain{
		Policy: r.Policy(), Servers: 3, Rho: 0.8, Buffer: 6, Tolerance: 1e-6, Memory: 1 << 26,
		Options: []queue.Option{queue.MaxLeaves(1 << 10)},
	}
	if readsWeights(r.law) {
		c.Weights, c.Speeds = []uint64{1, 2, 3}, []float64{1, 2, 3}
	}
	s, err := queue.Solve(c)
	if err != nil {
		return 0
	}
	return s.MeanTime
}

// TestProfileTellsLawsApart sees a profile differ by as much as the laws do.
func TestProfileTellsLawsApart(t *testing.T) {
	one, two := rules()[slices.IndexFunc(rules(), named("power-of-d:2"))], rules()[slices.IndexFunc(rules(), named("power-of-d:2:replacement"))]
	a, b := profileOf(one), profileOf(two)
	const state = "3 servers, in flight 0 1 2"
	want := [2][]float64{{2. / 3, 1. / 3, 0}, {5. / 9, 3. / 9, 1. / 9}} // Mitzenmacher 1996
	for k, p := range []profile{a, b} {
		if got := p.Laws[state]; !slices.Equal(got, want[k]) {
			t.Errorf("%s: %v at %s, want %v; there are %s", p.Subject, got, state, want[k], strings.Join(slices.Sorted(maps.Keys(p.Laws)), "; "))
		}
	}
	if !(a.Mean > 1 && a.Mean < b.Mean) {
		t.Errorf("mean times in system %v and %v, want the second larger, as one of its samples in three is a single server", a.Mean, b.Mean)
	}
}

func named(name string) func(rule) bool { return func(r rule) bool { return r.Name == name } }
