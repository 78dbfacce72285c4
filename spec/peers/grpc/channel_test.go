package main

import (
	"math/big"
	"testing"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// The channel itself: servers of weight 0 get nothing while they are there,
// come back, join and leave.
func TestChannel(t *testing.T) {
	for _, name := range []string{"least_request_experimental", "round_robin"} {
		t.Run(name, func(t *testing.T) {
			c, err := channel.New(name, `{}`, fleet(4))
			if err != nil {
				t.Fatal(err)
			}
			sick := fleet(6)
			sick[1].Weight, sick[4].Weight = 0, 0
			for _, f := range [][]spec.Server{fleet(4), sick, fleet(6), fleet(2), fleet(5)} {
				if err := c.Update(f); err != nil {
					t.Fatal(err)
				}
				// An eligible server has a share of at least 1/36, as the most loaded of six.
				eligible := make(map[spec.ServerID]bool)
				for _, s := range f {
					eligible[s.ID] = s.Weight > 0
				}
				seen := make(map[spec.ServerID]bool)
				for picks := 0; len(seen) < count(eligible); picks++ {
					if picks == 2000 { // (35/36)^2000 < 1e-24
						t.Fatalf("after an update to %v only %v are picked", f, seen)
					}
					id, done, err := c.Pick(t.Context(), spec.Request{})
					if err != nil {
						t.Fatal(err)
					}
					if !eligible[id] {
						t.Fatalf("after an update to %v server %d is picked", f, id)
					}
					seen[id] = true
					if err := done(spec.Outcome{}); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func count(eligible map[spec.ServerID]bool) int {
	n := 0
	for _, e := range eligible {
		if e {
			n++
		}
	}
	return n
}

// The rotation is complete in every window, whatever the order: that of more
// than eight endpoints is not the order of the list.
func TestRoundRobinOfManyIsARotation(t *testing.T) {
	const n = 12
	c, err := channel.New("round_robin", `{}`, fleet(n))
	if err != nil {
		t.Fatal(err)
	}
	var turns []spec.ServerID
	for range 4 * n {
		id, _, err := c.Pick(t.Context(), spec.Request{})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, id)
	}
	for k := n; k < len(turns); k++ {
		if turns[k] != turns[k-n] {
			t.Fatalf("pick %d is server %d, %d picks after server %d", k+1, turns[k], n, turns[k-n])
		}
	}
	seen := make(map[spec.ServerID]bool)
	for _, id := range turns[:n] {
		seen[id] = true
	}
	if len(seen) != n {
		t.Fatalf("%d of %d servers in a window", len(seen), n)
	}
}

// Without the failed health check the requests in flight do count.
func TestBusyServerIsAvoided(t *testing.T) {
	share, err := shareOfBusy(false)
	if err != nil {
		t.Fatal(err)
	}
	if want := "s0 gets 1/9 of the picks, as with 5 0 0 in flight"; share != want {
		t.Errorf("%s, want %s", share, want)
	}
}
