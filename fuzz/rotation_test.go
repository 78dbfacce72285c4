package fuzz

import (
	"testing"

	"github.com/picklaw/picklaw/policies"
)

// FuzzRotation counts the picks of a rotation: in every window of one cycle each
// server has exactly its share.
//
//	byte 0     the rotation: round robin, smooth weighted, weighted round robin
//	4          the coins of its start
//	1 each     the weight of every server, 1 to 32, up to 6 of them
func FuzzRotation(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		kind := in.below(3)
		coins := scripted{&input{in.rest[:min(4, len(in.rest))]}}
		in.rest = in.rest[len(coins.rest):]
		var fleet []policies.Server
		for !in.empty() && len(fleet) < 6 {
			s := policies.Fleet(len(fleet) + 1)[len(fleet)]
			s.Weight = uint64(1 + in.below(32))
			if kind == 0 {
				s.Weight = 1
			}
			fleet = append(fleet, s)
		}
		if len(fleet) == 0 {
			return
		}
		policy := []policies.Policy{&policies.RoundRobin{}, &policies.SmoothWeighted{}, &policies.WeightedRoundRobin{}}[kind]
		policies.Join(policy, fleet)
		view := &policies.Snapshot{Servers: fleet, Loads: make([]float64, len(fleet))}
		divisor, cycle := uint64(0), 0
		for _, s := range fleet {
			for a := s.Weight; a > 0; {
				divisor, a = a, divisor%a
			}
		}
		for _, s := range fleet {
			cycle += int(s.Weight / divisor)
		}
		picks := make([]int, 3*cycle)
		for k := range picks {
			picks[k] = policy.Pick(policies.Request{}, view, coins)
		}
		counts := make([]int, len(fleet))
		for k, i := range picks {
			counts[i]++
			if k < cycle-1 {
				continue
			}
			if k >= cycle {
				counts[picks[k-cycle]]--
			}
			for i, s := range fleet {
				if counts[i] != int(s.Weight/divisor) {
					t.Fatalf("weights %v: server %d has %d of picks %d to %d, want %d", weightsOf(fleet), i, counts[i], k-cycle+2, k+1, s.Weight/divisor)
				}
			}
		}
	})
}

func weightsOf(fleet []policies.Server) []uint64 {
	weights := make([]uint64, len(fleet))
	for i, s := range fleet {
		weights[i] = s.Weight
	}
	return weights
}
