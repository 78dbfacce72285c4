package queue_test

import (
	"testing"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

func BenchmarkEnumerate(b *testing.B) {
	loads := make([]float64, 100)
	for i := range loads {
		loads[i] = float64(i * 37 % 5)
	}
	v := view(loads...)
	for _, c := range []struct {
		name   string
		policy policies.Policy
	}{
		{"power of 2", policies.PowerOfD{D: 2}},
		{"power of 2 with replacement", policies.PowerOfD{D: 2, Replacement: true}},
		{"least request", policies.LeastRequest{}},
		{"ring", policies.Join(&policies.Ring{Points: 100}, v.Servers)},
		{"peak EWMA of 2", &policies.PeakEWMA{D: 2, Tau: 1, Prior: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := queue.Enumerate(c.policy, policies.Request{Key: "k"}, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
