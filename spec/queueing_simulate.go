package spec

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// simulationProperties hold the two engines against each other.
var simulationProperties = []*Property{
	{
		Name: "queueing/simulate-equals-solve", Level: Must,
		Sentence: "Started from the stationary law of Solve, a simulation of the same finite model has that law at any later time.",
		Source:   "stationarity; two programs that share nothing but the code of the policy",
		Applies:  isWorld, Sampled: sampledSimulation, Statistical: true, Delta: 0.1,
	},
}

// sampledSimulation looks once at the end of every replication, so events are
// independent and their counts binomial. Solve's own error, below 1e-10 of a
// probability, moves a count of these numbers by far less than one.
func sampledSimulation(r *Run) Result {
	chains := []queue.Chain{
		{Policy: policies.PowerOfD{D: 2}, Servers: 3, Rho: 0.9, Buffer: 4},
		{Policy: policies.LeastRequest{}, Servers: 3, Rho: 1.2, Buffer: 3, Speeds: []float64{1, 0.5, 2}},
		{Policy: &policies.RoundRobin{}, Servers: 3, Rho: 0.8, Buffer: 3, Speeds: []float64{2, 1, 1}},
		{Policy: &policies.SmoothWeighted{}, Servers: 3, Rho: 0.8, Buffer: 3, Weights: []uint64{3, 1, 1}},
	}
	events := 0
	for _, c := range chains {
		events += c.Servers * c.Buffer
	}
	alpha, beta := r.Alpha/float64(events), r.Beta/float64(events)
	spread := math.Sqrt(math.Log(2/alpha)) + math.Sqrt(math.Log(1/beta)) // Hoeffding, as for keys
	replications := int(math.Ceil(spread * spread / (2 * r.Property.Delta * r.Property.Delta)))
	for _, c := range chains {
		var s *queue.Solution
		r.try("Solve", func() {
			var err error
			if s, err = queue.Solve(c); err != nil {
				panic(fmt.Sprintf("spec: a chain was refused: %v", err))
			}
		})
		initial := queue.NewPCG(r.Seed, fmt.Sprintf("%T", c.Policy))
		counts := make([][]int, c.Servers) // of replications in which a server holds k or more
		for i := range counts {
			counts[i] = make([]int, c.Buffer+1)
		}
		for k := range replications {
			jobs, memory := s.Draw(initial)
			w := queue.World{Servers: c.Servers, Speeds: c.Speeds, Weights: c.Weights, Rho: c.Rho, Capacity: c.Buffer, Initial: jobs, Horizon: 2}
			r.try("Simulate", func() {
				out, err := queue.Simulate(w, func() policies.Policy { return memory }, r.Seed+uint64(k))
				if err != nil {
					panic(fmt.Sprintf("spec: a world was refused: %v", err))
				}
				for i, held := range out.Final {
					for level := 1; level <= held; level++ {
						counts[i][level]++
					}
				}
			})
		}
		for i := range counts {
			for level := 1; level <= c.Buffer; level++ {
				p, err := oracle.BinomialTest(counts[i][level], replications, s.TailsOf[i][level])
				if err != nil {
					panic(err)
				}
				if p < alpha {
					return Result{Verdict: Violated, Finding: WrongLaw, Samples: replications,
						Expected: fmt.Sprintf("server %d holds %d or more with probability %.4f, under %T", i, level, s.TailsOf[i][level], c.Policy),
						Observed: fmt.Sprintf("in %d of %d replications", counts[i][level], replications),
						Evidence: fmt.Sprintf("p = %.2g, and %.2g convicts", p, alpha)}
				}
			}
		}
	}
	return Result{Verdict: Holds, Samples: replications * len(chains),
		Observed: fmt.Sprintf("%d events, in %d replications each", events, replications)}
}
