package queue

import "math"

// A grid is a finite Markov chain in continuous time, in the form that sweeps
// need: for every state the transitions that lead into it. p is the iterate for
// its stationary law, the p >= 0 with p·Q = 0 and sum 1.
type grid struct {
	into []int // the transitions into state x are into[x] to into[x+1]
	from []uint32
	rate []float64
	out  []float64 // total rate out of a state
	p    []float64

	// A chain that is fed and left (see certify): p·(-Q) = source at all states
	// but hold, where p is 0; lost is the rate at which a state is left for good,
	// a part of out. Otherwise source is nil.
	source, lost []float64
	hold         int

	coarse *coarsening // nil for the coarsest grid
}

// leastProbability is what counts as 0: far below it floats lose their digits,
// and the quotients of what is left would be noise.
const leastProbability = 1e-250

// sweep is one Gauss-Seidel sweep: p[x] becomes the flow into x over the rate
// out of x, in the order of the numbers or in the opposite order.
func (g *grid) sweep(up bool) {
	states := len(g.out)
	for k := range states {
		x := k
		if !up {
			x = states - 1 - k
		}
		if g.out[x] == 0 { // an absorbing state keeps what it started with
			continue
		}
		if g.source != nil {
			if x != g.hold {
				g.p[x] = (g.flow(x) + g.source[x]) / g.out[x]
			}
			continue
		}
		p := g.flow(x) / g.out[x]
		if p < leastProbability {
			p = 0
		}
		g.p[x] = p
	}
}

// flow is the probability flow into a state.
func (g *grid) flow(x int) float64 {
	flow := 0.0
	from, rate := g.from[g.into[x]:g.into[x+1]], g.rate[g.into[x]:g.into[x+1]]
	for e, y := range from {
		flow += g.p[y] * rate[e]
	}
	return flow
}

// start puts all probability on one state and spreads it by two sweeps that
// leave something wherever they come to, however far that is. States that cannot
// be reached keep the probability 0, exactly, for good.
func (g *grid) start(state int) {
	clear(g.p)
	g.p[state] = 1
	spread := func(x int) {
		if flow := g.flow(x); x != state && g.out[x] > 0 && flow > 0 {
			g.p[x] = max(flow/g.out[x], 1e-200)
		}
	}
	for x := range g.p {
		spread(x)
	}
	for x := len(g.p) - 1; x >= 0; x-- {
		spread(x)
	}
	g.normalize()
}

// balance scales p so that what is left for good is what is fed.
func (g *grid) balance() {
	fed, left := 0.0, 0.0
	for x, p := range g.p {
		fed += g.source[x]
		left += p * g.lost[x]
	}
	for x := range g.p {
		g.p[x] *= fed / left
	}
}

// normalize makes p a law, or balances it when the chain is fed.
func (g *grid) normalize() {
	if g.source != nil {
		g.balance()
		return
	}
	sum := 0.0
	for _, p := range g.p {
		sum += p
	}
	for x := range g.p {
		g.p[x] /= sum
	}
}

// residual is the sum of |p·Q| over the states, as a part of all flows.
func (g *grid) residual() float64 {
	wrong, all := 0.0, 0.0
	for x, p := range g.p {
		wrong += math.Abs(g.flow(x) - p*g.out[x])
		all += p * g.out[x]
	}
	if all == 0 {
		return 0
	}
	return wrong / all
}
