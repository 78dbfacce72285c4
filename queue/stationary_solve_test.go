package queue

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// On a finite model Simulate must agree with Solve. Every replication starts
// from the stationary law that Solve found, the state of the policy included, so
// its state at the horizon follows that law again, and a request that comes then
// meets it: probabilities of events are exact binomial tests.
//
// The smallest wrongness that matters: a probability wrong by a quarter, for
// events of 2% and more. Solve's own error is below 1e-7 of a probability, which
// moves a binomial of m < 1e6 draws by less than 1e-4 of its deviation.
func TestSimulateStaysInTheLawOfSolve(t *testing.T) {
	const horizon = 3.0
	for name, c := range map[string]Chain{
		"power of 2":    {Policy: policies.PowerOfD{D: 2}, Servers: 3, Rho: 0.9, Buffer: 4},
		"least request": {Policy: policies.LeastRequest{}, Servers: 3, Rho: 1.2, Buffer: 3, Speeds: []float64{1, 0.5, 2}},
		"round robin":   {Policy: new(policies.RoundRobin), Servers: 3, Rho: 0.8, Buffer: 3, Speeds: []float64{2, 1, 1}},
		"smooth":        {Policy: new(policies.SmoothWeighted), Servers: 3, Rho: 0.8, Buffer: 3, Weights: []uint64{3, 1, 1}},
		"lowest index":  {Policy: replayScan{replayLoad}, Servers: 3, Rho: 0.5, Buffer: 4},
	} {
		if _, remembers := c.Policy.(policies.Stateful); remembers && testing.Short() {
			continue // the most replications of all
		}
		t.Run(name, func(t *testing.T) {
			solution, err := Solve(c)
			require.NoError(t, err)
			type event struct {
				what string
				p    float64
				seen func(final []int, tagged Job) bool
			}
			events := []event{
				{"a request is lost", solution.Loss, func(_ []int, j Job) bool { return j.Lost }},
				{"a request meets an idle server", solution.IdlePick, func(_ []int, j Job) bool { return j.InSystemBefore == 0 }},
			}
			for i := range c.Servers {
				events = append(events, event{fmt.Sprintf("a request goes to server %d", i), solution.Shares[i],
					func(_ []int, j Job) bool { return j.Server == i }})
				for _, k := range []int{1, c.Buffer} {
					events = append(events, event{fmt.Sprintf("server %d holds %d or more", i, k), solution.TailsOf[i][k],
						func(final []int, _ Job) bool { return final[i] >= k }})
				}
			}
			replications, kept := 0, events[:0]
			for _, e := range events {
				if e.p >= 0.02 && e.p <= 0.98 {
					replications = max(replications, bernoulliSum.sampleSize(e.p, 0.75*e.p))
					kept = append(kept, e)
				}
			}
			initial, count := NewPCG(1, t.Name()), make([]float64, len(kept))
			for rep := range replications {
				jobs, memory := solution.Draw(initial)
				w := World{Servers: c.Servers, Speeds: c.Speeds, Weights: c.Weights, Rho: c.Rho, Capacity: c.Buffer, Initial: jobs, Horizon: horizon}
				var last Job
				w.Observe = func(j Job) { last = j }
				r, err := newSimulation(w, func() policies.Policy { return memory }, seedOf(rep))
				require.NoError(t, err)
				for r.step() {
				}
				final := r.result().Final
				r.now = horizon
				require.True(t, r.arrive(0, r.nextWork(), policies.Request{}))
				for i, e := range kept {
					if e.seen(final, last) {
						count[i]++
					}
				}
			}
			for i, e := range kept {
				bernoulliSum.check(t, e.what, replications, e.p, count[i])
			}
		})
	}
}
