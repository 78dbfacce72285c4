package policies

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// BenchmarkPick is one pick of power of two in fleets of several sizes.
func BenchmarkPick(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			v, coins := bigView(n), NewCoins(1)
			b.ReportAllocs()
			for b.Loop() {
				PowerOfD{D: 2}.Pick(Request{}, v, coins)
			}
		})
	}
}

// BenchmarkPolicies is one pick of every policy among 100 servers.
func BenchmarkPolicies(b *testing.B) {
	all := everyPolicy()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			p, v, coins := all[name], bigView(100), NewCoins(1)
			Join(p, v.Servers)
			q := Request{Key: "/a/path/like/any/other", Cookie: "s7"}
			b.ReportAllocs()
			for b.Loop() {
				p.Pick(q, v, coins)
			}
		})
	}
}

// BenchmarkAcquireRelease is a whole lease of power of two among 100 servers, by
// several goroutines at once; the time is that of one lease.
func BenchmarkAcquireRelease(b *testing.B) {
	names := make([]string, 100)
	for i, server := range Fleet(100) {
		names[i] = server.Name
	}
	for _, goroutines := range []int{1, 2, 8} {
		b.Run(fmt.Sprint(goroutines), func(b *testing.B) {
			balancer := mustBalancer(b, PowerOfD{D: 2}, Endpoints(names...))
			b.ReportAllocs()
			done := make(chan error)
			for g := range goroutines {
				leases := (b.N + g) / goroutines
				go func() {
					for range leases {
						lease, err := balancer.Acquire(background, Request{})
						if err == nil {
							err = lease.Release(Outcome{})
						}
						if err != nil {
							done <- err
							return
						}
					}
					done <- nil
				}()
			}
			for range goroutines {
				if err := <-done; err != nil {
					b.Error(err)
				}
			}
		})
	}
}
