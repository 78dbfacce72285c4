package queue_test

import (
	"testing"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// BenchmarkSolve solves fleets without a buffer at rho 0.9 to 1e-8.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		name  string
		chain queue.Chain
	}{
		{"random of two", queue.Chain{Policy: policies.Random{}, Servers: 2}},
		{"power of 2 of two", queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 2}},
		{"power of 2 of three, full", queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 3, Form: queue.Full}},
		{"power of 2 of four, sorted", queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 4, Form: queue.Sorted}},
		{"round robin of two", queue.Chain{Policy: &policies.RoundRobin{}, Servers: 2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.chain.Rho = 0.9
			b.ReportAllocs()
			for b.Loop() {
				s := solve(b, c.chain)
				b.ReportMetric(float64(s.States), "states")
				b.ReportMetric(s.MeanJobs, "jobs/server")
				b.ReportMetric(s.Error*1e9, "error/1e-9")
			}
		})
	}
}
