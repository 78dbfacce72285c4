package queue

import (
	"fmt"
	"testing"

	"github.com/picklaw/picklaw/policies"
)

// BenchmarkSimulate prints jobs per second: the aim is 10 million on one core
// for random and power of 2 at n = 100 without quantiles, 7 million with them.
func BenchmarkSimulate(b *testing.B) {
	laws := []struct {
		name string
		new  func() policies.Policy
	}{
		{"random", func() policies.Policy { return policies.Random{} }},
		{"power-of-d:2", func() policies.Policy { return policies.PowerOfD{D: 2} }},
		{"least-request", func() policies.Policy { return policies.LeastRequest{} }},
	}
	for _, law := range laws {
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/n=%d", law.name, n), func(b *testing.B) {
				benchmark(b, World{Servers: n, Rho: 0.9}, law.new)
			})
		}
		b.Run(law.name+"/n=100/quantiles", func(b *testing.B) {
			benchmark(b, World{Servers: 100, Rho: 0.9, Quantiles: true}, law.new)
		})
	}
}

// BenchmarkViews is power of 2 and least request at n = 100 under views that
// are not fresh.
func BenchmarkViews(b *testing.B) {
	worlds := []struct {
		name string
		World
	}{
		{"shared-stale", World{Servers: 100, Rho: 0.9, View: SharedStale, Refresh: 1}},
		{"stale/k=8", World{Servers: 100, Rho: 0.9, View: Stale, Refresh: 1, Dispatchers: 8}},
		{"local/k=8", World{Servers: 100, Rho: 0.9, View: Local, Dispatchers: 8}},
		{"work", World{Servers: 100, Rho: 0.9, Metric: WorkLeft}},
	}
	for _, w := range worlds {
		b.Run(w.name+"/power-of-d:2", func(b *testing.B) {
			benchmark(b, w.World, func() policies.Policy { return policies.PowerOfD{D: 2} })
		})
		b.Run(w.name+"/least-request", func(b *testing.B) {
			benchmark(b, w.World, func() policies.Policy { return policies.LeastRequest{} })
		})
	}
}

// BenchmarkTicks is the tick world with errors, four backends.
func BenchmarkTicks(b *testing.B) {
	f := PublishedTicks()
	f.RNG = PCG
	f.Ticks = max(1, int(float64(b.N)/f.Rate))
	out, err := f.World().Simulate(policies.LeastRequest{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(out.Requests)/b.Elapsed().Seconds(), "jobs/s")
}

func benchmark(b *testing.B, w World, newPolicy func() policies.Policy) {
	w.Jobs = b.N
	b.ReportAllocs()
	if _, err := Simulate(w, newPolicy, 1); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
