//go:build unix

package queue

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// BenchmarkSimulate prints jobs per second: the aim is 10 million on one quiet
// core for random and power of 2 at n = 100 without quantiles, 7 million with
// them. On a busy machine look at draws/job: see meter.
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
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/n=%d/quantiles", law.name, n), func(b *testing.B) {
				benchmark(b, World{Servers: n, Rho: 0.9, Quantiles: true}, law.new)
			})
		}
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
	for _, law := range []struct {
		name   string
		policy policies.Policy
	}{
		{"least-request", policies.LeastRequest{}},
		{"ewma", &policies.EWMA{Alpha: 0.2, Prior: time.Second, Priors: f.Priors()}},
	} {
		b.Run(law.name, func(b *testing.B) {
			w := f.World()
			w.Ticks = max(1, int(float64(b.N)/f.Rate))
			meter := startMeter(b)
			out, err := w.Simulate(law.policy, 1)
			if err != nil {
				b.Fatal(err)
			}
			meter.report(out.Requests)
		})
	}
}

func benchmark(b *testing.B, w World, newPolicy func() policies.Policy) {
	w.Jobs = b.N
	b.ReportAllocs()
	meter := startMeter(b)
	if _, err := Simulate(w, newPolicy, 1); err != nil {
		b.Fatal(err)
	}
	meter.report(b.N)
}

// A meter takes processor time, which does not count what else runs on the
// machine, and sets it beside that of a fixed loop right after it, which is
// slowed by a busy machine just as much: the number of random draws that cost as
// much as one job can be compared between runs and machines.
type meter struct {
	b    *testing.B
	used time.Duration
}

func startMeter(b *testing.B) meter { return meter{b, processorTime(b)} }

func (m meter) report(jobs int) {
	m.b.StopTimer()
	simulated := processorTime(m.b) - m.used
	stream, sum, draws := NewPCG(1, "meter"), 0.0, 10*jobs
	for range draws {
		sum += stream.Float64()
	}
	reference := processorTime(m.b) - m.used - simulated
	if sum < 0 {
		m.b.Fatal("the sum of the draws is negative") // so nobody optimizes them away
	}
	m.b.ReportMetric(float64(jobs)/simulated.Seconds(), "jobs/s")
	m.b.ReportMetric(simulated.Seconds()/float64(jobs)/(reference.Seconds()/float64(draws)), "draws/job")
	m.b.ReportMetric(0, "ns/op") // of the clock on the wall
}

// processorTime is what this process has used up, of all cores.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
