package spec

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// engineProperties hold the engines against closed forms.
var engineProperties = []*Property{
	{
		Name: "queueing/solve-closed-form", Level: Must,
		Sentence: "What Solve computes from the code of a policy is the closed form wherever there is one: one server under any policy, and each server under random routing.",
		Source:   "M/M/1/B: Kleinrock 1975, section 3.6",
		Applies:  isWorld, Exact: exactSolve,
	},
	{
		Name: "queueing/stationary", Level: Must,
		Sentence: "Started from the geometric law, queues under random routing have that law at any later time.",
		Source:   "M/M/1; Burke 1956 on what leaves it",
		Applies:  isWorld, Sampled: sampledStationary, Statistical: true,
	},
}

// solveBound is what Solve may be off by: it iterates until the estimated error of
// the mean is below 1e-12 of it, and a sum of fewer than 1000 probabilities,
// each rounded to 2^-53, adds 1e-13. The estimate comes from the contraction of
// the last steps and is given a factor of ten.
const solveBound = 1e-11

func exactSolve(r *Run) Result {
	solved := 0
	for _, c := range []queue.Chain{
		{Policy: policies.LeastRequest{}, Servers: 1, Rho: 0.7, Buffer: 8},
		{Policy: policies.PowerOfD{D: 2}, Servers: 1, Rho: 1.3, Buffer: 5, Speeds: []float64{2}},
		{Policy: &policies.RoundRobin{}, Servers: 1, Rho: 0.9, Buffer: 1},
		{Policy: policies.Random{}, Servers: 2, Rho: 0.9, Buffer: 6},
		{Policy: policies.Random{}, Servers: 3, Rho: 0.8, Buffer: 4, Speeds: []float64{1, 0.5, 2}},
		{Policy: &policies.WeightedRandom{}, Servers: 3, Rho: 0.8, Buffer: 4, Weights: []uint64{1, 2, 5}},
	} {
		c.Tolerance = 1e-12
		var s *queue.Solution
		r.try("Solve", func() {
			var err error
			if s, err = queue.Solve(c); err != nil {
				panic(fmt.Sprintf("spec: a chain was refused: %v", err))
			}
		})
		sum := 0.0
		for i := range c.Servers {
			sum += at(c.Speeds, i)
		}
		weights := 0.0
		for i := range c.Servers {
			weights += weightAt(c.Weights, i)
		}
		for i := range c.Servers {
			share := weightAt(c.Weights, i) / weights
			m := oracle.MM1B{Rho: c.Rho * sum * share / at(c.Speeds, i), B: c.Buffer}
			for k, want := range m.Tails() {
				if got := s.TailsOf[i][k]; math.Abs(got-want) > solveBound {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("server %d holds %d or more with probability %.12f", i, k, want),
						Observed: fmt.Sprintf("%.12f, under %T with rho %v", got, c.Policy, c.Rho)}
				}
			}
			if math.Abs(s.Shares[i]-share) > solveBound {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("a share of %.12f at server %d", share, i), Observed: fmt.Sprintf("%.12f", s.Shares[i])}
			}
		}
		solved++
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d chains within %v", solved, solveBound)}
}

// at is the i-th of some speeds, 1 without any.
func at(speeds []float64, i int) float64 {
	if speeds == nil {
		return 1
	}
	return speeds[i]
}

func weightAt(weights []uint64, i int) float64 {
	if weights == nil {
		return 1
	}
	return float64(weights[i])
}

// sampledStationary starts every replication from the geometric law and looks
// once, at the horizon: these are independent draws of that law, so their sum has
// an exact test. Their number follows from a mean that is wrong by a tenth.
func sampledStationary(r *Run) Result {
	const servers, horizon, wrong = 10, 3.0, 1.1
	text, samples := "", 0
	rhos := []float64{0.5, 0.8}
	alpha, beta := r.Alpha/float64(len(rhos)), r.Beta/float64(len(rhos))
	for _, rho := range rhos {
		mean := rho / (1 - rho)
		replications := (geometricDraws(mean, mean*wrong, alpha, beta) + servers - 1) / servers
		start := queue.NewPCG(r.Seed, "start")
		sum := 0
		for k := range replications {
			w := queue.World{Servers: servers, Rho: rho, Horizon: horizon}
			for range servers {
				w.Initial = append(w.Initial, int(math.Log(1-start.Float64())/math.Log(rho)))
			}
			r.try("Simulate", func() {
				out, err := queue.Simulate(w, func() policies.Policy { return policies.Random{} }, r.Seed+uint64(k))
				if err != nil {
					panic(fmt.Sprintf("spec: a world was refused: %v", err))
				}
				for _, jobs := range out.Final {
					sum += jobs
				}
			})
		}
		draws := replications * servers
		samples += draws
		p, err := oracle.GeometricSumTest(sum, draws, rho)
		if err != nil {
			panic(err)
		}
		observed := fmt.Sprintf("a mean of %.4f in %d queues at rho %v", float64(sum)/float64(draws), draws, rho)
		if p < alpha {
			return Result{Verdict: Violated, Finding: WrongLaw, Samples: samples, Expected: fmt.Sprintf("a mean of %.4f", mean),
				Observed: observed, Evidence: fmt.Sprintf("p = %.2g, and %.2g convicts", p, alpha)}
		}
		text += observed + "; "
	}
	return Result{Verdict: Holds, Samples: samples, Observed: text, Evidence: fmt.Sprintf("exact tests at %.2g each", alpha)}
}

// geometricDraws is how many draws of a geometric law with mean a tell it from
// one with mean b > a, at error probabilities alpha and beta, by Chernoff: a sum
// above n·m has probability exp(-n·D(m,a)) at most under a, and one below it
// exp(-n·D(m,b)) under b.
func geometricDraws(a, b, alpha, beta float64) int {
	divergence := func(m, of float64) float64 {
		return m*math.Log(m/of) - (1+m)*math.Log((1+m)/(1+of))
	}
	for n := 100; ; n += n/10 + 1 {
		low, high := a, b // the m at which alpha is reached
		for range 60 {
			m := (low + high) / 2
			if float64(n)*divergence(m, a) < math.Log(2/alpha) {
				low = m
			} else {
				high = m
			}
		}
		if high < b && float64(n)*divergence(high, b) >= math.Log(1/beta) {
			return n
		}
	}
}
