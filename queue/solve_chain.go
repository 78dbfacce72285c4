package queue

import (
	"math"

	"github.com/picklaw/picklaw/policies"
)

// A chain is the grid of a fleet under a policy. States are numbered memory by
// memory: state m·size + rank is the vector of that rank with the policy in
// memory m.
type chain struct {
	grid
	space    *space
	size     int // vectors, that is states for each memory
	memories []policies.Policy
	levels   []uint16 // of each vector, space.n numbers
	kind     []int8   // of each transition: i+1: a job joined position i; -(i+1): one left; 0: only the memory changed

	roundings int  // of the probability of a pick, at most
	cut       bool // some laws are cut short, by no more than maxCut

	turned  []turned // arrivals that no server accepts
	checked []uint32 // vectors at which the policy was shown to commute, in the sorted form
}

// turned is a rate of arrivals that are lost in a state: picked to a server that
// is full, or not picked at all.
type turned struct {
	state  uint32
	server int32 // position, or policies.None
	rate   float64
}

// vector returns the levels of a state.
func (c *chain) vector(state int) []uint16 {
	n := c.space.n
	v := state % c.size * n
	return c.levels[v : v+n]
}

// total stands for the number of jobs at all positions.
const total = -1

// level is the level of a state at a position, or in total.
func (c *chain) level(position, state int) int {
	x := c.vector(state)
	if position != total {
		return int(x[position])
	}
	sum := 0
	for _, k := range x {
		sum += int(k)
	}
	return sum
}

// jobs is the mean number of jobs in the system.
func (c *chain) jobs() float64 {
	sum := 0.0
	for x, p := range c.p {
		sum += p * float64(c.level(total, x))
	}
	return sum
}

// aggregate scales p so that the levels at a position, or in total, have the
// stationary law of the chain aggregated by them. Every transition changes that
// level by at most one, so the flows across each cut between two levels must be
// equal, and the law is a product of quotients.
func (c *chain) aggregate(position int) {
	top := c.space.buffer
	if position == total {
		top *= c.space.n
	}
	up, down := make([]float64, top+1), make([]float64, top+1)
	mass := make([]float64, top+1)
	for x, p := range c.p {
		k := c.level(position, x)
		mass[k] += p
		for e := c.into[x]; e < c.into[x+1]; e++ {
			kind := int(c.kind[e])
			switch {
			case kind > 0 && (position == total || kind == position+1):
				up[k-1] += c.p[c.from[e]] * c.rate[e]
			case kind < 0 && (position == total || -kind == position+1):
				down[k+1] += c.p[c.from[e]] * c.rate[e]
			}
		}
	}
	// In logarithms, since the products of a rough p may leave the range.
	scale, greatest := make([]float64, top+1), 0.0
	for k := range top {
		scale[k+1] = scale[k]
		if up[k] > 0 && down[k+1] > 0 {
			scale[k+1] += math.Log(up[k] / down[k+1])
		}
		greatest = max(greatest, scale[k+1])
	}
	sum := 0.0
	for k := range scale {
		scale[k] = math.Exp(scale[k] - greatest)
		sum += mass[k] * scale[k]
	}
	for x := range c.p {
		c.p[x] *= scale[c.level(position, x)] / sum
	}
}
