package fuzz

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/picklaw/picklaw/policies"
)

// FuzzBalancer plays a history on a Balancer and keeps the plainest possible
// books beside it.
//
//	byte 0     the policy: random, least request, two choices, rotation
//	2 each     an operation, modulo 8, and its operand
//
//	0, 1, 2    acquire; the operand is a mask of the servers that were tried
//	3          release the operand-th open lease
//	4          the same, as failed
//	5          the same, as canceled
//	6          release the operand-th lease of all, ended or not
//	7          update: bit i of the operand says whether "s<i>" is in the fleet
func FuzzBalancer(f *testing.F) {
	made := []func() policies.Policy{
		func() policies.Policy { return policies.Random{} },
		func() policies.Policy { return policies.LeastRequest{} },
		func() policies.Policy { return policies.PowerOfD{D: 2} },
		func() policies.Policy { return &policies.RoundRobin{} },
	}
	type request struct {
		lease *policies.Lease
		ended bool
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		b, err := policies.NewBalancer(made[in.below(len(made))](), policies.Endpoints("s0", "s1", "s2"), policies.WithCoins(policies.NewCoins(1)))
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{"s0": 0, "s1": 0, "s2": 0} // of the fleet
		ids := map[string]policies.ServerID{"s0": 0, "s1": 1, "s2": 2}
		next, open := policies.ServerID(3), 0
		var all []*request
		release := func(r *request, o policies.Outcome) {
			err := r.lease.Release(o)
			if r.ended != errors.Is(err, policies.ErrReleased) || !r.ended && err != nil {
				t.Fatalf("ended before: %v; released: %v", r.ended, err)
			}
			if r.ended {
				return
			}
			r.ended = true
			open--
			if s := r.lease.Server(); ids[s.Name] == s.ID {
				if _, member := counts[s.Name]; member {
					counts[s.Name]--
				}
			}
		}
		for steps := 0; !in.empty() && steps < 400; steps++ {
			op, operand := in.below(8), int(in.byte())
			switch op {
			case 0, 1, 2:
				var q policies.Request
				eligible := len(counts)
				for name := range counts {
					if id := ids[name]; id < 8 && operand&(1<<id) != 0 {
						q.Tried = append(q.Tried, id)
						eligible--
					}
				}
				lease, err := b.Acquire(context.Background(), q)
				if (eligible == 0) != errors.Is(err, policies.ErrNoServer) || eligible > 0 && err != nil {
					t.Fatalf("%d eligible: %v", eligible, err)
				}
				if err != nil {
					continue
				}
				s := lease.Server()
				if _, member := counts[s.Name]; !member || ids[s.Name] != s.ID {
					t.Fatalf("leased %v of %v", s, counts)
				}
				for _, id := range q.Tried {
					if id == s.ID {
						t.Fatalf("leased %v, which was tried", s)
					}
				}
				counts[s.Name]++
				open++
				all = append(all, &request{lease: lease})
			case 3, 4, 5, 6:
				for k := range all {
					if r := all[(operand+k)%len(all)]; op == 6 || !r.ended {
						release(r, policies.Outcome{Failed: op == 4, Canceled: op == 5})
						break
					}
				}
			case 7:
				var fleet []policies.Endpoint
				for i := range 8 {
					if operand&(1<<i) != 0 {
						fleet = append(fleet, policies.Endpoint{Name: fmt.Sprint("s", i), Weight: 1})
					}
				}
				err := b.Update(fleet)
				if (err == nil) != (len(fleet) > 0) {
					t.Fatalf("an update to %d servers: %v", len(fleet), err)
				}
				if err != nil {
					continue
				}
				after := make(map[string]int)
				for _, e := range fleet {
					n, stays := counts[e.Name]
					if after[e.Name] = n; !stays {
						ids[e.Name] = next
						next++
					}
				}
				counts = after
			}
			if got := b.InFlight(); !maps.Equal(got, counts) || b.Open() != open {
				t.Fatalf("after step %d: %v in flight and %d open, want %v and %d", steps, got, b.Open(), counts, open)
			}
		}
	})
}
