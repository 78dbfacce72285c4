package fuzz

import (
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// A ruled policy is one whose law is known in every state. The index in this
// list is part of the format of FuzzPickLaw: append only.
var ruled = []struct {
	policy func(d int) policies.Policy
	law    func(d int) oracle.Law
}{
	{func(int) policies.Policy { return policies.Random{} }, func(int) oracle.Law { return oracle.Random{} }},
	{func(int) policies.Policy { return policies.LeastRequest{} }, func(int) oracle.Law { return oracle.LeastRequest{} }},
	{func(d int) policies.Policy { return policies.PowerOfD{D: d} }, func(d int) oracle.Law { return oracle.PowerOfD{D: d} }},
	{func(d int) policies.Policy { return policies.PowerOfD{D: d, Replacement: true} },
		func(d int) oracle.Law { return oracle.PowerOfD{D: d, Replacement: true} }},
	{func(int) policies.Policy { return &policies.RoundRobin{} }, func(int) oracle.Law { return oracle.RoundRobin{} }},
}

// A scripted source of coins takes them from an input.
type scripted struct{ *input }

func (s scripted) IntN(n int) int { return int(s.word() % uint32(n)) }

func (s scripted) Weighted(w []uint64) int {
	for k := range w {
		if i := (k + s.below(len(w))) % len(w); w[i] > 0 {
			return i
		}
	}
	panic("fuzz: a coin without a positive weight")
}

// FuzzPickLaw compares the exact law of a policy with the law of the oracle.
//
//	byte 0     the policy, by its index in ruled
//	byte 1     d: 1 to 6
//	byte 2     picks before the one that is looked at: 0 to 15
//	4 each     the coins of these picks
//	1 each     the load of every server, up to 7 of them
func FuzzPickLaw(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		rule := ruled[in.below(len(ruled))]
		d, picks := 1+in.below(6), in.below(16)
		coins := &input{in.rest[:min(4*picks, len(in.rest))]}
		in.rest = in.rest[min(4*picks, len(in.rest)):]
		var loads []float64
		for len(loads) < 7 && !in.empty() {
			loads = append(loads, float64(in.byte()))
		}
		if len(loads) == 0 {
			return
		}
		fleet := policies.Fleet(len(loads))
		view := &policies.Snapshot{Servers: fleet, Loads: loads}
		policy := policies.Join(rule.policy(d), fleet)
		var history []int
		for range picks {
			history = append(history, policy.Pick(policies.Request{}, view, scripted{coins}))
		}
		want, err := rule.law(d).Probabilities(oracle.State{Loads: loads, History: history})
		if err != nil {
			t.Fatal(err)
		}
		got, err := queue.Enumerate(policy, policies.Request{}, view)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got.P[i].Cmp(want[i]) != 0 {
				t.Fatalf("%v with loads %v after picks %v: server %d has probability %v, want %v",
					rule.law(d), loads, history, i, got.P[i].RatString(), want[i].RatString())
			}
		}
	})
}
