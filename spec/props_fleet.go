package spec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// fleetProperties bind what a Balancer does when its fleet changes, when many
// call it, and when there are many of it.
var fleetProperties = []*Property{
	{
		Name: "continuity/fleet-update", Level: Must,
		Sentence: "An update keeps the ids and the requests of survivors, takes over their weights at once, and never uses an id twice.",
		Source:   "cloudwego/kitex#1393; envoyproxy/envoy#14360; traefik/traefik#2986",
		Applies:  isPart("leases"), Exact: exactFleetUpdate,
	},
	{
		Name: "continuity/failed-update", Level: Must,
		Sentence: "An update that fails changes nothing.",
		Source:   "a failed update that kills the task: cloudflare/pingora#1006",
		Applies:  isPart("leases"), Exact: exactFailedUpdate,
	},
	{
		Name: "concurrency/one-at-a-time", Level: Must,
		Sentence: "A policy is never called twice at once.",
		Source:   "a shared generator without a lock: traefik/traefik#11755",
		Applies:  isPart("leases"), Exact: exactOneAtATime,
	},
	{
		Name: "herd/own-coins", Level: Must,
		Sentence: "Balancers that nobody seeded do not throw the same coins.",
		Source:   "one seed in every process: zeromicro/go-zero#732",
		Applies:  isPart("leases"), Exact: exactOwnCoins,
	},
	{
		Name: "numeric/coins", Level: Must,
		Sentence: "A coin shows every outcome of positive probability, and never another one.",
		Source:   "AMReX-Codes/amrex#5545: a bound that is off by one",
		Applies:  isPart("leases"), Exact: exactCoins,
	},
}

func exactFleetUpdate(r *Run) Result {
	s := &spy{pick: func(_ policies.Request, v policies.View, _ policies.Coins) int { return v.Len() - 1 }}
	l := r.leasing(s, endpoint("a", 3), endpoint("b", 5))
	open := l.acquire(Request{})                                   // at b
	l.update(endpoint("c", 1), endpoint("b", 2), endpoint("a", 0)) // another order, other weights, one more
	l.counts("after an update", map[string]int{"a": 0, "b": 1, "c": 0}, 0)
	l.update(endpoint("c", 1), endpoint("b", 2))
	l.release(open, Outcome{})
	s.pick = nil
	l.update(endpoint("d", 7), endpoint("b", 4), endpoint("c", 1))
	want := [][]Server{
		{{ID: 0, Name: "a", Weight: 3}, {ID: 1, Name: "b", Weight: 5}},
		{{ID: 0, Name: "a", Weight: 0}, {ID: 1, Name: "b", Weight: 2}, {ID: 2, Name: "c", Weight: 1}},
		{{ID: 1, Name: "b", Weight: 2}, {ID: 2, Name: "c", Weight: 1}},
		{{ID: 1, Name: "b", Weight: 4}, {ID: 2, Name: "c", Weight: 1}, {ID: 3, Name: "d", Weight: 7}},
	}
	for k := range want {
		if k >= len(s.fleets) || !slices.Equal(s.fleets[k], want[k]) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("a policy that is told of %v at update %d", want[k], k),
				Observed: fmt.Sprint(s.fleets)}
		}
	}
	l.release(l.acquire(Request{}), Outcome{})
	if shown := s.shown[len(s.shown)-1]; !slices.Equal(shown, want[3]) {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("a pick among %v", want[3]), Observed: fmt.Sprint(shown)}
	}
	l.update(endpoint("b", 0), endpoint("c", 1))
	l.release(l.acquire(Request{}), Outcome{})
	if shown := s.shown[len(s.shown)-1]; len(shown) != 1 || shown[0].Name != "c" {
		return Result{Verdict: Violated, Finding: Ineligible, Expected: "only c, since b has weight 0 now", Observed: fmt.Sprint(shown)}
	}
	return Result{Verdict: Holds, Observed: "through 4 updates"}
}

func exactFailedUpdate(r *Run) Result {
	a, b := endpoint("a", 1), endpoint("b", 2)
	bad := map[string][]policies.Endpoint{
		"no server":      {},
		"no name":        {a, endpoint("", 1)},
		"a name twice":   {a, b, endpoint("a", 3)},
		"too heavy":      {a, endpoint("b", policies.MaxWeight+1)},
		"no weight":      {endpoint("a", 0), endpoint("b", 0)},
		"a policy panic": {b, endpoint("c", 9)},
	}
	for name, servers := range bad {
		s := &spy{}
		l := r.leasing(s, a, b)
		lease := l.acquire(Request{})
		if name == "a policy panic" {
			s.updated = func() { panic("in Update") }
		}
		var err error
		r.try("Update", func() { err = l.Update(servers) })
		if err == nil {
			return Result{Verdict: Violated, Finding: Refused, Expected: "an error", Observed: "an update was taken: " + name}
		}
		s.updated = nil
		l.counts("after an update that failed: "+name, map[string]int{"a": 1, "b": 0}, 0)
		l.release(l.acquire(Request{}), Outcome{})
		want := []Server{{ID: 0, Name: "a", Weight: 1}, {ID: 1, Name: "b", Weight: 2}}
		if shown := s.shown[len(s.shown)-1]; !slices.Equal(shown, want) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprint(want), Observed: fmt.Sprintf("%v after an update that failed: %s", shown, name)}
		}
		before := len(s.told)
		l.release(lease, Outcome{})
		if len(s.told) == before {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "news of a server that stayed", Observed: "none after an update that failed: " + name}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d kinds of failure", len(bad))}
}

// exactOneAtATime holds a policy up in its pick, and tries to get a second call
// in. Waiting longer could only find more: a conforming balancer is never
// convicted.
func exactOneAtATime(r *Run) Result {
	calls := map[string]func(l *leasing, open *policies.Lease){
		"Acquire":  func(l *leasing, _ *policies.Lease) { _, _ = l.Acquire(context.Background(), Request{}) },
		"Release":  func(_ *leasing, open *policies.Lease) { _ = open.Release(Outcome{}) },
		"Update":   func(l *leasing, _ *policies.Lease) { _ = l.Update(policies.Endpoints("a", "b", "c")) },
		"InFlight": func(l *leasing, _ *policies.Lease) { l.InFlight() },
	}
	for name, call := range calls {
		s := &spy{}
		l := r.leasing(s, policies.Endpoints("a", "b")...)
		open := l.acquire(Request{})
		inside, leave := make(chan struct{}), make(chan struct{})
		s.pick = func(policies.Request, policies.View, policies.Coins) int {
			s.pick = nil
			close(inside)
			<-leave
			return 0
		}
		held, second := make(chan struct{}), make(chan struct{})
		go func() { defer close(held); _, _ = l.Acquire(context.Background(), Request{}) }()
		<-inside
		go func() { defer close(second); call(l, open) }()
		var overlap bool
		select {
		case <-second:
			overlap = true
		case <-time.After(30 * time.Millisecond):
		}
		close(leave)
		<-held
		<-second
		if overlap {
			return Result{Verdict: Violated, Finding: Impure, Expected: name + " waits for a pick that is under way", Observed: "it did not"}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d kinds of calls wait for a pick", len(calls))}
}

// exactOwnCoins lets unseeded balancers draw 62 bits each: any two of nine agree
// with probability 36/2^62, which is below 1e-17.
func exactOwnCoins(r *Run) Result {
	seen := make(map[int]bool)
	for range 9 {
		s := &spy{pick: func(_ policies.Request, _ policies.View, c policies.Coins) int {
			x := c.IntN(1 << 62)
			if seen[x] {
				panic(&fault{Impure, fmt.Sprintf("two balancers both drew %d", x)})
			}
			seen[x] = true
			return 0
		}}
		var err error
		r.try("Acquire", func() {
			var b *policies.Balancer
			if b, err = policies.NewBalancer(s, policies.Endpoints("a")); err == nil {
				_, err = b.Acquire(context.Background(), Request{})
			}
		})
		if err != nil {
			return Result{Verdict: Violated, Finding: Impure, Expected: "different coins", Observed: err.Error()}
		}
	}
	return Result{Verdict: Holds, Observed: "nine balancers, nine first coins"}
}

// exactCoins throws fixed coins 600 times. One of 1/6 that never shows has
// probability (5/6)^600 < 1e-47, so a miss is no bad luck.
func exactCoins(r *Run) Result {
	coins := policies.NewCoins(r.Seed)
	for _, weights := range [][]uint64{{0, 1, 0, 2, 0}, {3}, {1, 1, 1, 1, 1, 1}, {0, 0, 5}} {
		seen := make([]int, len(weights))
		for range 600 {
			var i int
			r.try("Weighted", func() { i = coins.Weighted(weights) })
			seen[i]++
		}
		for i, w := range weights {
			if (w == 0) != (seen[i] == 0) {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("outcomes as %v allows", weights), Observed: fmt.Sprintf("%v of 600", seen)}
			}
		}
	}
	for n := 1; n <= 6; n++ {
		seen := make([]int, n)
		for range 600 {
			r.try("IntN", func() { seen[coins.IntN(n)]++ })
		}
		if slices.Contains(seen, 0) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("all of 0 to %d", n-1), Observed: fmt.Sprintf("%v of 600", seen)}
		}
	}
	return Result{Verdict: Holds, Observed: "10 coins, 600 throws each"}
}
