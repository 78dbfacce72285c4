package queue

import "math"

// Bounds says of each measure of a Solution how far it can be from the truth.
type Bounds struct {
	MeanTime, MeanJobs, IdlePick, Loss, Boundary float64
	Jobs, Tails, Shares                          []float64
	TailsOf                                      [][]float64
}

// The bounds are found after the fact, whatever the iteration did. Let p be the
// vector that it ended with, r = p·Q what p lacks of being stationary, z a state,
// and c = p(z)/pi(z) for the stationary law pi. Then e = p - c·pi is 0 at z and
// e·Q = r. Without the row and the column of z, -Q is an M-matrix, whose inverse
// has no negative entry. So if y >= 0 is 0 at z and
//
//	y·(-Q) >= |r| at every other state,
//
// then |e| <= y, state by state. For a measure f, a sum of p·f with f >= 0, this
// gives |e·f| <= y·f; with g = sum of y, |sum of p - c| <= g; and
//
//	|p·f - pi·f| <= (g·(p·f) + y·f)/(1 - g).
//
// Such a y is looked for by the same iteration, which for every other state may
// end anywhere: that the inequality holds is checked, with allowance for the
// rounding of the check and of the rates themselves, and a y that falls short of
// it is scaled up. (y·f is |r| times the expected time to come to z, weighed by
// f. So the bound grows with the time the chain takes to forget.)

// whole tells whether the chain is that of the policy: no law is cut short, and in
// the sorted form the policy was shown to commute everywhere and not on a sample.
func (c *chain) whole() bool {
	return !c.cut && (!c.space.sorted || len(c.checked) == c.size)
}

// certify bounds the errors of a solution against the law of its chain. It returns
// nil when it finds no y, or one that bounds nothing.
func (c *chain) certify(m model, s *Solution) *Bounds {
	y := c.majorant()
	if y == nil {
		return nil
	}
	p := c.p
	c.p = y
	of := c.solution(m) // the measures are linear in p, but for MeanTime
	c.p = p
	// Sequential sums of positive terms, one for each transition and state, then
	// for each level and server.
	u := float64(len(c.from)+len(c.p)+len(c.turned)+4*c.space.buffer+4*c.space.n+10) * 0x1p-52
	g := u // what normalize leaves of 1
	for _, v := range y {
		g += v * (1 + u)
	}
	if !(g < 0.5) {
		return nil
	}
	bound := func(x, y float64) float64 { return (g*x+y*(1+u))/(1-g) + u*x + math.SmallestNonzeroFloat64 }
	list := func(x, y []float64) []float64 {
		b := make([]float64, len(x))
		for i := range x {
			b[i] = bound(x[i], y[i])
		}
		return b
	}
	b := &Bounds{
		MeanJobs: bound(s.MeanJobs, of.MeanJobs), IdlePick: bound(s.IdlePick, of.IdlePick), Loss: bound(s.Loss, of.Loss),
		Boundary: bound(s.Boundary, of.Boundary), Jobs: list(s.Jobs, of.Jobs), Tails: list(s.Tails, of.Tails), Shares: list(s.Shares, of.Shares),
		MeanTime: math.Inf(1),
	}
	for i := range s.TailsOf {
		b.TailsOf = append(b.TailsOf, list(s.TailsOf[i], of.TailsOf[i]))
	}
	// A quotient of numbers with relative errors a and l < 1 is off by at most
	// (a+l)/(1-l), relative.
	if l := (b.Loss + 0x1p-52) / (1 - s.Loss); s.MeanJobs == 0 {
		b.MeanTime = 0
	} else if l < 1 {
		b.MeanTime = s.MeanTime * ((b.MeanJobs/s.MeanJobs+l)/(1-l) + u)
	}
	return b
}

// majorant looks for the y above. It uses the hierarchy of the chain for a chain
// that is left when it comes to z, and that is fed by the residual.
func (c *chain) majorant() []float64 {
	z := 0
	for x, p := range c.p {
		if p > c.p[z] {
			z = x
		}
	}
	slack := c.slack()
	source := make([]float64, len(c.p))
	y := make([]float64, len(c.p))
	for x, p := range c.p {
		in, out := c.flow(x), p*c.out[x]
		// The least addend keeps y away from underflow, and far above what is left
		// where the probabilities end at leastProbability.
		source[x] = math.Abs(in-out) + slack*(in+out) + 1e-200
		y[x] = p + source[x]
	}
	source[z], y[z] = 0, 0
	lost := make([]float64, len(c.p))
	for e := c.into[z]; e < c.into[z+1]; e++ {
		lost[c.from[e]] += c.rate[e]
	}
	p := c.p
	c.p, c.source, c.lost, c.hold = y, source, lost, z
	defer func() {
		for g := &c.grid; ; g = g.coarse.grid {
			g.source, g.lost, g.hold = nil, nil, -1
			if g.coarse == nil {
				break
			}
		}
		c.p = p
	}()
	c.balance()
	for range c.cycles() {
		c.cycle()
		part := c.covers(source, slack)
		if math.IsNaN(part) {
			return nil
		}
		if part > 0.5 {
			for x := range y {
				y[x] /= part * (1 - 0x1p-50)
			}
			return y
		}
	}
	return nil
}

// slack bounds the relative error of a flow that comes from rounding: of the
// probabilities of picks (see floats), of the rates made of them, and of the
// sums over the transitions into and out of a state; doubled for their products.
func (c *chain) slack() float64 {
	most := 0
	for x := range c.p {
		most = max(most, c.into[x+1]-c.into[x])
	}
	// Out of a state lead the departures and at most as many others as leaves.
	return float64(most+2*c.roundings+2*c.space.n+8) * 0x1p-52
}

// covers is the largest part of the source that y·(-Q) is sure to reach at every
// state.
func (c *chain) covers(source []float64, slack float64) float64 {
	part := math.Inf(1)
	for x, y := range c.p {
		if x == c.hold {
			continue
		}
		in, out := c.flow(x), y*c.out[x]
		part = min(part, (out-in-slack*(in+out))/source[x]) // NaN stays NaN
	}
	return part
}
