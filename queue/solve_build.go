package queue

import (
	"fmt"
	"math"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// edge is a transition on its way to its place.
type edge struct {
	to   uint32
	kind int8
	rate float64
}

// bytes estimates the memory of a chain, its hierarchy and its construction. A
// transition takes 16 bytes as an edge, then 13 in the grid and 4 towards the
// coarser one; a state takes 24 in the grid, 20 on the way to it and 8 for its
// draws. The coarser grids together take at most as much as the finest one
// (one server) and usually much less.
func bytes(n, buffer int, sorted bool, memories int) float64 {
	perState := float64(2*n*(16+13+4) + 24 + 20 + 8)
	hierarchy := 1 / (1 - math.Pow(2, -float64(n)))
	return sizeOf(n, buffer, sorted) * (float64(memories)*perState*hierarchy + float64(2*n))
}

// builder fills a chain.
type builder struct {
	*chain
	model  model
	sample sample
	known  map[string]int // memories by state
	edges  []edge
	ends   []int // the edges out of state x end at ends[x]
	runs   int   // of the policy so far, and those that verify is about to make
	// permutations is how many orders of the servers verify tries.
	permutations int

	view policies.Snapshot
	x    []int // the vector that the view shows
}

// build enumerates the policy at every vector and in every memory that it comes
// to.
func (m model) build(buffer int, sorted bool) (*chain, error) {
	if err := m.fits(buffer, sorted, 1); err != nil {
		return nil, err
	}
	n := len(m.speeds)
	s := newSpace(n, buffer, sorted)
	b := &builder{
		chain: &chain{space: s, size: int(s.size())}, model: m,
		known: make(map[string]int),
		view:  policies.Snapshot{Servers: m.servers, Loads: make([]float64, n)},
		x:     make([]int, n),
	}
	b.levels = make([]uint16, 0, n*b.size)
	b.sample, b.permutations = newSample(b.size, n, sorted), len(permutations(n))
	if _, err := b.memory(m.policy); err != nil {
		return nil, err
	}
	for k := 0; k < len(b.memories); k++ { // grows as memories are found
		if err := b.expand(k); err != nil {
			return nil, fmt.Errorf("queue: with %v jobs and the policy in state %q: %w", b.x, stateOf(b.memories[k]), err)
		}
	}
	b.transpose()
	b.p = make([]float64, len(b.out))
	b.coarsen(s, len(b.memories), b.levels)
	return b.chain, nil
}

// fits fails with a *TooLarge when the chain does not fit into memory.
func (m model) fits(buffer int, sorted bool, memories int) error {
	n := len(m.speeds)
	need := bytes(n, buffer, sorted, memories)
	if need <= float64(m.memory) && sizeOf(n, buffer, sorted)*float64(memories) < math.MaxUint32 {
		return nil
	}
	return &TooLarge{Servers: n, Buffer: buffer, Sorted: sorted, Memories: memories, Limit: m.memory}
}

// memory numbers the state of a policy.
func (b *builder) memory(p policies.Policy) (int, error) {
	state := stateOf(p)
	if k, ok := b.known[state]; ok {
		return k, nil
	}
	k := len(b.memories)
	if k > 0 && b.space.sorted {
		return 0, &NotSymmetric{State: state}
	}
	if err := b.model.fits(b.space.buffer, b.space.sorted, k+1); err != nil {
		return 0, err
	}
	b.known[state] = k
	b.memories = append(b.memories, p)
	return k, nil
}

// expand adds the transitions out of every vector in a memory.
func (b *builder) expand(memory int) error {
	clear(b.x)
	b.edges = slices.Grow(b.edges, 2*len(b.x)*b.size)
	b.ends = slices.Grow(b.ends, b.size)
	law := newFloats(b.memories[memory], b.model.request, &b.view, b.model.options)
	rates := make([]arriving, 0, 8)
	for rank := 0; ; rank++ {
		for i, k := range b.x {
			b.view.Loads[i] = float64(k)
			if memory == 0 {
				b.levels = append(b.levels, uint16(k))
			}
		}
		var err error
		if rates, err = b.rates(law, rates[:0]); err != nil {
			return err
		}
		if err := b.pay(rank, law.leaves); err != nil {
			return err
		}
		if b.sample.has(rank) {
			if err := b.verify(memory, rank, law); err != nil {
				return err
			}
		}
		state := memory*b.size + rank
		b.arrivals(state, rank, rates)
		b.departures(state)
		b.ends = append(b.ends, len(b.edges))
		if !b.space.next(b.x) {
			return nil
		}
	}
}

// mostRuns is how often a policy is run to build one chain: 10 to 60 seconds.
const mostRuns = 1 << 27

// pay fails when the runs of the policy have become too many. Verify runs every
// leaf twice, in the sorted form once more for every permutation.
func (b *builder) pay(rank, leaves int) error {
	b.runs += leaves
	if b.sample.has(rank) {
		times := 2
		if b.space.sorted {
			times += 2 * b.permutations
		}
		b.runs += leaves * times
	}
	if b.runs > mostRuns {
		return fmt.Errorf("the coins have %d outcomes here, and so many at the %d vectors before that the policy would be run more than %d times: "+
			"use fewer servers, a smaller buffer, or fewer coins", leaves, rank, mostRuns)
	}
	return nil
}

// arriving is a rate of arrivals that join a position, or none, and leave the
// policy in a memory.
type arriving struct {
	memory, position int
	rate             float64
}

// maxCut is how much of a law may be missing: no more than rounding takes away.
const maxCut = 0x1p-50

// rates enumerates the policy at the vector that the view shows.
func (b *builder) rates(law *floats, rates []arriving) ([]arriving, error) {
	var failure error
	err := law.each(func(r run, mass float64) {
		a := arriving{position: r.pick, rate: b.model.lambda * mass}
		if a.position != policies.None {
			a.position = b.space.first(b.x, a.position)
		}
		if law.work.stateful != nil {
			var err error
			if a.memory, err = b.memory(r.policy); err != nil {
				failure = err
			}
		}
		for i := range rates {
			if rates[i].memory == a.memory && rates[i].position == a.position {
				rates[i].rate += a.rate
				return
			}
		}
		rates = append(rates, a)
	})
	switch {
	case err != nil:
		return nil, err
	case failure != nil:
		return nil, failure
	case law.cut > maxCut:
		return nil, fmt.Errorf("the law of the pick is known only to within %.3g, want at most %.3g: allow more coins by MaxDepth and MinMass",
			law.cut, float64(maxCut))
	}
	b.roundings = max(b.roundings, law.leaves+4*law.depth)
	b.cut = b.cut || law.cut > 0
	return rates, nil
}

// arrivals adds the transitions of arrivals.
func (b *builder) arrivals(state, rank int, rates []arriving) {
	for _, a := range rates {
		target, kind := a.memory*b.size+rank, int8(0)
		if a.position == policies.None || b.x[a.position] == b.space.buffer {
			b.turned = append(b.turned, turned{uint32(state), int32(a.position), a.rate})
		} else {
			target += b.space.step[a.position][b.x[a.position]]
			kind = int8(a.position + 1)
		}
		if target != state {
			b.edges = append(b.edges, edge{uint32(target), kind, a.rate})
		}
	}
}

// departures adds the transitions of finished work. In the sorted form the last
// of equal servers stands for all of them.
func (b *builder) departures(state int) {
	n := len(b.x)
	for i, k := range b.x {
		if k == 0 || b.space.sorted && i+1 < n && b.x[i+1] == k {
			continue
		}
		equals := i - b.space.first(b.x, i) + 1
		target := state - b.space.step[i][k-1]
		b.edges = append(b.edges, edge{uint32(target), int8(-(i + 1)), b.model.speeds[i] * float64(equals)})
	}
}

// transpose sorts the transitions by the state that they lead into.
func (b *builder) transpose() {
	states := len(b.ends)
	b.into, b.out = make([]int, states+1), make([]float64, states)
	for _, e := range b.edges {
		b.into[e.to+1]++
	}
	for x := range states {
		b.into[x+1] += b.into[x]
	}
	b.from, b.rate, b.kind = make([]uint32, len(b.edges)), make([]float64, len(b.edges)), make([]int8, len(b.edges))
	place, start := append([]int(nil), b.into[:states]...), 0
	for x, end := range b.ends {
		for _, e := range b.edges[start:end] {
			k := place[e.to]
			place[e.to]++
			b.from[k], b.rate[k], b.kind[k] = uint32(x), e.rate, e.kind
			b.out[x] += e.rate
		}
		start = end
	}
	b.edges, b.ends = nil, nil
}
