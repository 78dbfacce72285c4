package queue

import "fmt"

// recurrent returns a state that the chain, started in state 0, comes back to
// forever. It fails when the chain may settle into one of several regimes that
// it never leaves, since its stationary law then depends on chance at the
// start.
func (c *chain) recurrent() (int, error) {
	next, to := c.reversed()
	reach := func(state int) []bool { return search(state, next, to) }
	lead := func(state int) []bool { return search(state, c.into, c.from) }
	started, state := reach(0), 0
	for {
		ahead, behind := reach(state), lead(state)
		// Every state that can be reached from a recurrent one leads back to it. A
		// state that does not never comes back, so the search gets on.
		if astray := without(ahead, behind); astray >= 0 {
			state = astray
			continue
		}
		if astray := without(started, behind); astray >= 0 {
			return 0, fmt.Errorf("queue: the policy settles into one of several regimes: with %v jobs and in state %q it never comes to state %q again",
				c.vector(astray), c.memoryOf(astray), c.memoryOf(state))
		}
		return state, nil
	}
}

func (c *chain) memoryOf(state int) string { return stateOf(c.memories[state/c.size]) }

// without finds an element of a that is not in b, or -1.
func without(a, b []bool) int {
	for x := range a {
		if a[x] && !b[x] {
			return x
		}
	}
	return -1
}

// reversed lists the transitions by the state that they lead out of: those out
// of state y lead to to[next[y]:next[y+1]].
func (c *chain) reversed() (next []int, to []uint32) {
	states := len(c.out)
	next, to = make([]int, states+1), make([]uint32, len(c.from))
	for _, y := range c.from {
		next[y+1]++
	}
	for y := range states {
		next[y+1] += next[y]
	}
	place := append([]int(nil), next[:states]...)
	for x := range states {
		for _, y := range c.from[c.into[x]:c.into[x+1]] {
			to[place[y]] = uint32(x)
			place[y]++
		}
	}
	return next, to
}

// search marks every state that the links lead to from a state: the links of
// state x are links[first[x]:first[x+1]].
func search(state int, first []int, links []uint32) []bool {
	found, open := make([]bool, len(first)-1), []uint32{uint32(state)}
	found[state] = true
	for len(open) > 0 {
		x := open[len(open)-1]
		open = open[:len(open)-1]
		for _, y := range links[first[x]:first[x+1]] {
			if !found[y] {
				found[y] = true
				open = append(open, y)
			}
		}
	}
	return found
}
