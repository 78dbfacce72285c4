//go:build !mutants

package policies

import (
	"fmt"
	"sort"
)

// RoundRobin picks the eligible servers one after another, in the cyclic order
// of their ids.
//
// It starts at a random server, so that a thousand fresh balancers do not send
// their first request to the same one, and remembers the last pick by id: when
// the fleet changes it goes on from there, and the share of a server that is
// not eligible goes to all the others.
type RoundRobin struct {
	started bool
	last    ServerID
}

// Pick returns the server that follows the last pick.
func (r *RoundRobin) Pick(_ Request, v View, c Coins) int {
	n := v.Len()
	if n == 0 {
		return None
	}
	var i int
	if r.started {
		i = sort.Search(n, func(i int) bool { return v.Server(i).ID > r.last }) % n
	} else {
		i = c.IntN(n)
	}
	r.started, r.last = true, v.Server(i).ID
	return i
}

// Clone returns an independent copy.
func (r *RoundRobin) Clone() Policy { twin := *r; return &twin }

// State is the id of the last pick.
func (r *RoundRobin) State() string {
	if !r.started {
		return "fresh"
	}
	return fmt.Sprint(r.last)
}
