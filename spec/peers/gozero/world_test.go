package main

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/picklaw/picklaw/spec/peers"
)

// Every server is tried again, however slow it is: when its last request is a
// second old, the next pair that has it decides for it. Of five servers a pair
// has a given one with probability 2/5, and 64 pairs in a row miss it with
// probability (3/5)^64 < 1e-14.
func TestEveryServerIsTried(t *testing.T) {
	peers.Host(t)
	c, err := newClient(5)
	if err != nil {
		t.Fatal(err)
	}
	const misses = 64
	ms := time.Millisecond
	turns, err := c.run(20000, ms, always(1*ms, 1*ms, 1*ms, 1*ms, 900*ms))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for k, i := range turns {
		if i == 4 {
			last = k
		}
		if gap := time.Duration(k-last) * ms; gap > time.Second+misses*ms {
			t.Fatalf("s4 is not tried for %v", gap)
		}
	}
}

// With as many requests that they are seldom forced, the slow half is avoided,
// and the slow server of two too: what the deviations say is due to the rate.
func TestManyRequestsAvoidSlowServers(t *testing.T) {
	peers.Host(t)
	c, err := newClient(2)
	if err != nil {
		t.Fatal(err)
	}
	turns, err := c.run(5000, 20*time.Millisecond, always(10*time.Millisecond, 19*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	// One of fifty is forced.
	if n := at(turns[1000:], 1); n > 400 {
		t.Errorf("%d of 4000 requests at the slower server", n)
	}
}

// A server that keeps failing with Unavailable is avoided where it can be: of
// five servers three pairs in a row have it with probability (2/5)³.
func TestFailuresAreAvoidedInLargerFleets(t *testing.T) {
	peers.Host(t)
	c, err := newClient(5)
	if err != nil {
		t.Fatal(err)
	}
	turns, err := c.run(6000, 20*time.Millisecond, func(i int) answer {
		if i == 1 {
			return answer{time.Millisecond, status.Error(codes.Unavailable, "down")}
		}
		return answer{latency: 10 * time.Millisecond}
	})
	if err != nil {
		t.Fatal(err)
	}
	// 256 of 4000 on average. By Hoeffding more than 500 have probability
	// exp(-2·244²/4000) < 1e-12.
	if n := at(turns[2000:], 1); n == 0 || n > 500 {
		t.Errorf("%d of 4000 requests at the server that fails", n)
	}
}
