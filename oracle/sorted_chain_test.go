package oracle

import "math"

// sortedChain solves the exact Markov chain of power of d choices on a small
// fleet whose servers hold at most top jobs; an arrival at a full server is lost.
// The servers are interchangeable, so a state is the number of servers with k or
// more jobs for k = 1..top. It returns the stationary mean of s_1, s_2, ....
func sortedChain(n, d, top int, rho float64, replacement bool) []float64 {
	var states [][]int
	index := map[string]int{}
	key := func(x []int) string {
		b := make([]byte, len(x))
		for i, v := range x {
			b[i] = byte(v)
		}
		return string(b)
	}
	var grow func(prefix []int, most int)
	grow = func(prefix []int, most int) {
		if len(prefix) == top {
			index[key(prefix)] = len(states)
			states = append(states, append([]int(nil), prefix...))
			return
		}
		for v := 0; v <= most; v++ {
			grow(append(prefix, v), v)
		}
	}
	grow(nil, n)
	// all is the probability that every choice is among x servers.
	all := func(x int) float64 {
		p := 1.0
		for i := range d {
			if replacement {
				p *= float64(x) / float64(n)
			} else {
				p *= max(0, float64(x-i)) / float64(n-i)
			}
		}
		return p
	}
	type move struct {
		to   int
		rate float64
	}
	moves, out := make([][]move, len(states)), make([]float64, len(states))
	for s, x := range states {
		add := func(level, step int, rate float64) {
			if rate == 0 {
				return
			}
			y := append([]int(nil), x...)
			y[level] += step
			moves[s] = append(moves[s], move{index[key(y)], rate})
			out[s] += rate
		}
		below := n
		for k, v := range x {
			add(k, 1, rho*float64(n)*(all(below)-all(v)))
			next := 0
			if k+1 < top {
				next = x[k+1]
			}
			add(k, -1, float64(v-next))
			below = v
		}
	}
	// Gauss-Seidel on the balance of each state, over incoming moves.
	type from struct {
		state int
		rate  float64
	}
	in := make([][]from, len(states))
	for s, list := range moves {
		for _, m := range list {
			in[m.to] = append(in[m.to], from{s, m.rate})
		}
	}
	p := make([]float64, len(states))
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	for range 10_000 {
		change, whole := 0.0, 0.0
		for s := range p {
			flow := 0.0
			for _, f := range in[s] {
				flow += p[f.state] * f.rate
			}
			flow /= out[s]
			change += math.Abs(flow - p[s])
			p[s] = flow
			whole += flow
		}
		for s := range p {
			p[s] /= whole
		}
		if change/whole < 1e-14 {
			break
		}
	}
	tails := make([]float64, top)
	for s, x := range states {
		for k, v := range x {
			tails[k] += p[s] * float64(v) / float64(n)
		}
	}
	return tails
}
