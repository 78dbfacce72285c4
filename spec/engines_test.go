package spec

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// The interface was frozen once it carried four kinds of policies, each under
// every engine and leased to concurrent callers, without a special case.
func TestOneInterfaceCarriesFourKinds(t *testing.T) {
	for name, newPolicy := range map[string]func() policies.Policy{
		"a stateless choice":  func() policies.Policy { return policies.PowerOfD{D: 2} },
		"a rotation":          func() policies.Policy { return &policies.RoundRobin{} },
		"a decaying estimate": func() policies.Policy { return &policies.PeakEWMA{Tau: 10 * time.Second, Prior: time.Second} },
		"a hash ring":         func() policies.Policy { return &policies.Ring{Points: 20} },
	} {
		t.Run(name, func(t *testing.T) {
			fleet := fleetOf(5)
			view := &policies.Snapshot{Servers: fleet, Loads: []float64{2, 0, 1, 0, 3}}
			picks, err := queue.Enumerate(policies.Join(newPolicy(), fleet), policies.Request{Key: "k"}, view)
			require.NoError(t, err)
			sum := picks.P[0]
			for _, p := range picks.P[1:] {
				sum.Add(sum, p)
			}
			require.Equal(t, "1", sum.RatString())

			keys := queue.UniformKeys(100)
			result, err := queue.Simulate(queue.World{Servers: 5, Rho: 0.7, Jobs: 5000, Keys: &keys}, newPolicy, 1)
			require.NoError(t, err)
			require.Equal(t, 5000, result.Jobs)
			require.GreaterOrEqual(t, result.Mean, 0.9) // the work alone has mean 1; 5000 jobs are within 0.1 of it by 7 sigma

			b, err := policies.NewBalancer(newPolicy(), policies.Endpoints("a", "b", "c"))
			require.NoError(t, err)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					for k := range 200 {
						lease, err := b.Acquire(context.Background(), policies.Request{Key: fmt.Sprint(g, k)})
						if err != nil {
							t.Error(err)
							return
						}
						if err := lease.Release(policies.Outcome{}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			require.Zero(t, b.Open())
		})
	}
}
