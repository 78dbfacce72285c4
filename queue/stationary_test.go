package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// Under random routing with Poisson arrivals and exponential work every server
// is an M/M/1 queue, independent of the others. Started from the geometric law,
// with fresh work for every job, it has that law at any later time too, and a
// request that arrives then spends an exponential time with rate 1-rho in the
// system. So each replication gives exact, independent draws and needs no
// warm-up.
//
// The smallest wrongness that matters: a mean wrong by 3% for the numbers in
// system, by 10% for the times, a tail probability wrong by 10%.
func TestRandomRoutingStaysGeometric(t *testing.T) {
	const servers, horizon = 10, 4.0
	newPolicy := func() policies.Policy { return policies.Random{} }
	for _, rho := range []float64{0.5, 0.9} {
		if rho == 0.5 && testing.Short() {
			continue // the higher utilization says more
		}
		t.Run(name(rho), func(t *testing.T) {
			mean := geometricSum.mean(rho) * 1.03
			draws := geometricSum.sampleSize(rho, mean/(1+mean))
			tail := math.Ceil(math.Log(0.1) / math.Log(rho)) // a level that a tenth of the servers reach
			draws = max(draws, bernoulliSum.sampleSize(math.Pow(rho, tail), 0.9*math.Pow(rho, tail)))
			replications := max((draws+servers-1)/servers, exponentialSum.sampleSize(1-rho, (1-rho)/1.1))

			initial := NewPCG(1, t.Name())
			total, busy, high, times, late := 0, 0, 0, 0.0, 0
			for i := range replications {
				w := World{Servers: servers, Rho: rho, Horizon: horizon, Initial: geometric(initial, servers, rho)}
				r, err := newSimulation(w, newPolicy, seedOf(i))
				require.NoError(t, err)
				r.Observe = func(j Job) { // overwritten until the tagged request, the last
					r.sum = j.Finish - j.Arrival
				}
				for r.step() {
				}
				for j := range r.servers {
					n := r.servers[j].inSystem(horizon)
					total += n
					if n >= 1 {
						busy++
					}
					if n >= int(tail) {
						high++
					}
				}
				r.now = horizon
				require.True(t, r.arrive(0, r.nextWork(), policies.Request{}))
				times += r.sum
				if r.sum > math.Log(10)/(1-rho) {
					late++
				}
			}
			m := replications * servers
			geometricSum.check(t, "jobs at a server", m, rho, float64(total))
			bernoulliSum.check(t, "busy servers", m, rho, float64(busy))
			bernoulliSum.check(t, "servers with a long queue", m, math.Pow(rho, tail), float64(high))
			exponentialSum.check(t, "time in system of a tagged request", replications, 1-rho, times)
			bernoulliSum.check(t, "tagged requests beyond the 90% quantile", replications, 0.1, float64(late))
		})
	}
}
