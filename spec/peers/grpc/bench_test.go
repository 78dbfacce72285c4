package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/balancer"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

// BenchmarkPickAndRelease sets the reference Balancer beside gRPC's picker on the
// same work in the same run: power of two with replacement, one pick and its end,
// over 100 servers. They take turns, so that whatever else the machine does
// slows both; the ratio is what to read. The picker keeps its counters in
// atomics, the Balancer keeps them, the fleet and a lease under one mutex.
func BenchmarkPickAndRelease(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n, "-servers"), func(b *testing.B) {
			fleet, names := policies.Fleet(n), make([]string, n)
			for i, s := range fleet {
				names[i] = s.Name
			}
			c, err := channel.New("least_request_experimental", `{}`, fleet)
			if err != nil {
				b.Fatal(err)
			}
			picker, info := c.Picker(), balancer.PickInfo{FullMethodName: "/bench/Pick", Ctx: context.Background()}
			theirs := func() {
				result, err := picker.Pick(info)
				if err != nil {
					b.Fatal(err)
				}
				result.Done(balancer.DoneInfo{})
			}
			ref, err := policies.NewBalancer(policies.PowerOfD{D: 2, Replacement: true}, policies.Endpoints(names...))
			if err != nil {
				b.Fatal(err)
			}
			ours := func() {
				lease, err := ref.Acquire(context.Background(), spec.Request{})
				if err == nil {
					err = lease.Release(policies.Outcome{})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			const turn = 64
			var spent [2]time.Duration
			for b.Loop() {
				for k, work := range []func(){theirs, ours} {
					start := time.Now()
					for range turn {
						work()
					}
					spent[k] += time.Since(start)
				}
			}
			b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N*turn), "ns/grpc")
			b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N*turn), "ns/balancer")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "balancer/grpc")
		})
	}
}
