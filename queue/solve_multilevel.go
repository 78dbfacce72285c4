package queue

// Gauss-Seidel sweeps settle differences between neighbouring states fast and
// shifts of probability over many levels slowly. Those are taken out by
// aggregation and disaggregation (Takahashi 1975; Koury, McAllister and Stewart
// 1984), in two ways that complement each other:
//
//   - cycle, over a hierarchy of coarser chains, each of which halves all levels
//     (the multilevel method of Horton and Leutenegger 1994);
//   - chain.aggregate, over the number of jobs at one position or in total,
//     where the aggregated chain is a birth and death chain.
//
// Both only multiply probabilities, so none becomes negative, and a probability
// of 0 stays.

// A coarsening leads from a grid to a coarser one.
type coarsening struct {
	grid   *grid
	group  []uint32  // the coarse state that each state belongs to
	joined []int32   // the coarse transition that each transition belongs to; -1 within a group
	mass   []float64 // of each coarse state
}

// sweeps before and after each visit to the coarser grid.
const sweeps = 2

// cycle is one W-cycle: sweeps, two cycles on the coarser grid, sweeps.
func (g *grid) cycle() {
	c := g.coarse
	if c == nil {
		for range 50 { // 2^n states and few memories: cheap, and accurate enough
			g.sweep(true)
			g.sweep(false)
		}
		g.normalize()
		return
	}
	for i := range sweeps {
		g.sweep(i%2 == 1)
	}
	c.restrict(g)
	c.grid.cycle()
	c.grid.cycle()
	for x, h := range c.group {
		if c.mass[h] > 0 {
			g.p[x] *= c.grid.p[h] / c.mass[h]
		}
	}
	for i := range sweeps {
		g.sweep(i%2 == 0)
	}
	g.normalize()
}

// restrict computes the rates of the coarser chain: flows of the finer one,
// added up and divided by the probability that they come from.
func (c *coarsening) restrict(g *grid) {
	clear(c.mass)
	for x, h := range c.group {
		c.mass[h] += g.p[x]
	}
	coarse := c.grid
	copy(coarse.p, c.mass)
	clear(coarse.rate)
	clear(coarse.out)
	for e, j := range c.joined {
		if j >= 0 {
			coarse.rate[j] += g.p[g.from[e]] * g.rate[e]
		}
	}
	if g.source != nil {
		c.restrictSource(g)
	}
	for j, y := range coarse.from {
		if c.mass[y] > 0 {
			coarse.rate[j] /= c.mass[y]
			coarse.out[y] += coarse.rate[j]
		}
	}
}

// restrictSource adds up what feeds the coarser chain and the rates at which it
// is left. What comes to the state held has left, whatever group that is in.
func (c *coarsening) restrictSource(g *grid) {
	coarse := c.grid
	coarse.source, coarse.lost, coarse.hold = make([]float64, len(coarse.p)), make([]float64, len(coarse.p)), -1
	for x, h := range c.group {
		coarse.source[h] += g.source[x]
		coarse.lost[h] += g.p[x] * g.lost[x]
	}
	if g.hold >= 0 {
		for e := g.into[g.hold]; e < g.into[g.hold+1]; e++ {
			if j := c.joined[e]; j >= 0 {
				coarse.rate[j] -= g.p[g.from[e]] * g.rate[e]
			}
		}
		for j, rate := range coarse.rate {
			coarse.rate[j] = max(rate, 0)
		}
	}
	for h, mass := range c.mass {
		if mass > 0 {
			coarse.lost[h] /= mass
			coarse.out[h] += coarse.lost[h]
		}
	}
}

// coarsen builds the hierarchy under a grid whose states are memories times the
// vectors of a space, with these levels.
func (g *grid) coarsen(s *space, memories int, levels []uint16) {
	if s.buffer <= 1 {
		return
	}
	t := newSpace(s.n, s.buffer/2, s.sorted)
	size, coarseSize := int(s.size()), int(t.size())
	states := memories * coarseSize
	c := &coarsening{
		grid:   &grid{into: make([]int, states+1), out: make([]float64, states), p: make([]float64, states)},
		group:  make([]uint32, memories*size),
		joined: make([]int32, len(g.from)),
		mass:   make([]float64, states),
	}
	coarseLevels := make([]uint16, coarseSize*s.n)
	for v := range size {
		half := make([]uint16, 0, 8)
		for _, k := range levels[v*s.n : (v+1)*s.n] {
			half = append(half, k/2)
		}
		rank := t.rank(half)
		copy(coarseLevels[rank*s.n:], half)
		for m := range memories {
			c.group[m*size+v] = uint32(m*coarseSize + rank)
		}
	}
	c.join(g)
	g.coarse = c
	c.grid.coarsen(t, memories, coarseLevels)
}

// join finds the transitions of the coarser chain: one for each pair of groups
// that a transition of the finer chain leads between.
func (c *coarsening) join(g *grid) {
	coarse := c.grid
	states := len(coarse.out)
	first := make([]int, states+1) // members of group h: members[first[h]:first[h+1]]
	for _, h := range c.group {
		first[h+1]++
	}
	for h := range states {
		first[h+1] += first[h]
	}
	members, place := make([]uint32, len(c.group)), append([]int(nil), first[:states]...)
	for x, h := range c.group {
		members[place[h]] = uint32(x)
		place[h]++
	}
	for h := range states {
		for _, x := range members[first[h]:first[h+1]] {
			for e := g.into[x]; e < g.into[x+1]; e++ {
				c.joined[e] = coarse.transition(h, c.group[g.from[e]])
			}
		}
		coarse.into[h+1] = len(coarse.from)
	}
	coarse.rate = make([]float64, len(coarse.from))
}

// transition finds the transition from y into the last state x, or adds it. It
// is -1 when the two are the same.
func (g *grid) transition(x int, y uint32) int32 {
	if int(y) == x {
		return -1
	}
	for j := g.into[x]; j < len(g.from); j++ {
		if g.from[j] == y {
			return int32(j)
		}
	}
	g.from = append(g.from, y)
	return int32(len(g.from) - 1)
}
