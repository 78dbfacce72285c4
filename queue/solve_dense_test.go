package queue_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// state is a state of the second method: jobs and the last pick of a rotation.
type state struct {
	jobs [3]int
	last int
}

// dense is the second method to the stationary law, sharing nothing with the
// first: laws derived by hand in place of enumerated code, a map in place of
// ranks, and elimination in place of iteration (Grassmann, Taksar and Heyman
// 1985). That elimination never subtracts, so every probability has a relative
// error of at most about 2 n^3 times the rounding unit (O'Cinneide 1993), which
// is 3e-9 for 250 states in the worst case and 1e-14 in practice.
func dense(start state, next func(state) map[state]float64) map[state]float64 {
	number, states := map[state]int{start: 0}, []state{start}
	for k := 0; k < len(states); k++ {
		for to := range next(states[k]) {
			if _, known := number[to]; !known {
				number[to] = len(states)
				states = append(states, to)
			}
		}
	}
	n := len(states)
	rates := make([][]float64, n)
	for i, s := range states {
		rates[i] = make([]float64, n)
		for to, rate := range next(s) {
			if to != s {
				rates[i][number[to]] += rate
			}
		}
	}
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for j := range k {
			out += rates[k][j]
		}
		for i := range k {
			rates[i][k] /= out
			for j := range k {
				if j != i {
					rates[i][j] += rates[i][k] * rates[k][j]
				}
			}
		}
	}
	p, sum := make([]float64, n), 1.0
	p[0] = 1
	for k := 1; k < n; k++ {
		for i := range k {
			p[k] += p[i] * rates[i][k]
		}
		sum += p[k]
	}
	law := make(map[state]float64, n)
	for k, s := range states {
		law[s] = p[k] / sum
	}
	return law
}

func TestSolveAgainstDenseElimination(t *testing.T) {
	const buffer, rho = 4, 0.9
	speeds := []float64{1, 2, 0.5}
	lambda := rho * 3.5
	// serve adds the departures, which are the same under every policy.
	serve := func(s state, rates map[state]float64) map[state]float64 {
		for i, v := range speeds {
			if s.jobs[i] > 0 {
				to := s
				to.jobs[i]--
				rates[to] += v
			}
		}
		return rates
	}
	arrive := func(s state, i int, rate float64, rates map[state]float64) {
		if s.jobs[i] < buffer {
			s.jobs[i]++
		}
		rates[s] += rate
	}
	for _, c := range []struct {
		name   string
		policy policies.Policy
		start  state
		next   func(state) map[state]float64
	}{
		{"power of 2", policies.PowerOfD{D: 2}, state{}, func(s state) map[state]float64 {
			rates := map[state]float64{}
			for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} { // each with probability 1/3
				a, b := pair[0], pair[1]
				switch x, y := s.jobs[a], s.jobs[b]; {
				case x < y:
					arrive(s, a, lambda/3, rates)
				case y < x:
					arrive(s, b, lambda/3, rates)
				default:
					arrive(s, a, lambda/6, rates)
					arrive(s, b, lambda/6, rates)
				}
			}
			return serve(s, rates)
		}},
		{"rotation", &policies.RoundRobin{}, state{last: 2}, func(s state) map[state]float64 {
			rates := map[state]float64{}
			to := s
			to.last = (s.last + 1) % 3
			arrive(to, to.last, lambda, rates)
			return serve(s, rates)
		}},
		{"lowest index", pick(lowest), state{}, func(s state) map[state]float64 {
			rates, best := map[state]float64{}, 0
			for i := range 3 {
				if s.jobs[i] < s.jobs[best] {
					best = i
				}
			}
			arrive(s, best, lambda, rates)
			return serve(s, rates)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := dense(c.start, c.next)
			got := solve(t, queue.Chain{Policy: c.policy, Servers: 3, Speeds: speeds, Rho: rho, Buffer: buffer, Tolerance: 1e-12})
			found := 0
			got.Each(func(jobs []int, p policies.Policy, probability float64) bool {
				s := state{jobs: [3]int(jobs)}
				if r, ok := p.(*policies.RoundRobin); ok {
					_, err := fmt.Sscan(r.State(), &s.last)
					require.NoError(t, err)
				}
				found++
				// Both methods have errors far below; see their comments.
				assert.InDelta(t, want[s], probability, 1e-10, "%v", s)
				return true
			})
			assert.Equal(t, len(want), found, "the same states can be reached")

			var jobs, idle, loss, boundary float64
			var shares [3]float64
			for s, p := range want {
				for i, k := range s.jobs {
					jobs += p * float64(k) / 3
					_ = i
				}
				for to, rate := range c.next(s) {
					for i := range 3 {
						if to.jobs[i] > s.jobs[i] {
							shares[i] += p * rate / lambda
							if s.jobs[i] == 0 {
								idle += p * rate / lambda
							}
						}
					}
				}
			}
			accepted := shares[0] + shares[1] + shares[2]
			loss, boundary = 1-accepted, (1-accepted)*lambda
			assert.InDelta(t, jobs, got.MeanJobs, 1e-10)
			assert.InDelta(t, idle, got.IdlePick, 1e-10)
			assert.InDelta(t, loss, got.Loss, 1e-10)
			assert.InDelta(t, boundary, got.Boundary, 1e-9)
			assert.InDelta(t, 3*jobs/(lambda*accepted), got.MeanTime, 1e-9)
			if c.name == "rotation" {
				assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, got.Shares, 1e-10)
			}
		})
	}
}

// Draws follow the law: a chi-square-like count would need a normal limit, so
// each state's count is held to its own binomial by Chernoff's bound,
// P(|count - np| deviates) <= 2 exp(-n KL(count/n || p)); with 40 states at
// 1e-14 each the test raises a false alarm with probability below 1e-12.
func TestSolutionDraw(t *testing.T) {
	for _, form := range []queue.Form{queue.Full, queue.Sorted} {
		s := solve(t, queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 3, Rho: 0.9, Buffer: 2, Form: form})
		full := solve(t, queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 3, Rho: 0.9, Buffer: 2, Form: queue.Full})
		const draws = 20000
		counts, stream := map[[3]int]int{}, queue.NewPCG(1, "draws")
		for range draws {
			jobs, _ := s.Draw(stream)
			counts[[3]int(jobs)]++
		}
		states := 0
		full.Each(func(jobs []int, _ policies.Policy, p float64) bool {
			states++
			part := float64(counts[[3]int(jobs)]) / draws
			assert.Less(t, draws*kl(part, p), 33.0, "%v: %v drawn, %v expected", jobs, part, p) // ln(2e14) = 32.9
			return true
		})
		assert.Equal(t, 27, states)
	}
	rotation := solve(t, queue.Chain{Policy: &policies.RoundRobin{}, Servers: 2, Rho: 0.5, Buffer: 2})
	_, a := rotation.Draw(queue.NewPCG(1, "a"))
	_, b := rotation.Draw(queue.NewPCG(1, "a"))
	assert.Equal(t, a, b)
	assert.NotSame(t, a, b, "each draw has a policy of its own")
}

// kl is the divergence of Bernoulli(a) from Bernoulli(b).
func kl(a, b float64) float64 {
	term := func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(x/y)
	}
	return term(a, b) + term(1-a, 1-b)
}
