package queue

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/picklaw/picklaw/policies"
)

// An Asymmetry is a proof that a policy tells servers apart by more than their
// loads and weights: the loads and weights were handed around among the servers,
// and the probabilities did not go with them.
type Asymmetry struct {
	// Permutation says who got whose: server Permutation[i] was given the load
	// and the weight of server i.
	Permutation []int
	Server      int      // a server i whose probability did not go with its load
	Before      *big.Rat // its probability
	After       *big.Rat // the probability of server Permutation[i] afterwards
}

// String tells the story in one sentence.
func (a *Asymmetry) String() string {
	return fmt.Sprintf("server %d is picked with probability %s, but server %d, given its load and weight by the permutation %v, with %s",
		a.Server, a.Before.RatString(), a.Permutation[a.Server], a.Permutation, a.After.RatString())
}

// exhaustive is the largest fleet for which Commutes tries every permutation:
// 6! = 720 of them.
const exhaustive = 6

// Commutes decides whether the law of a policy goes with the servers when their
// loads and weights are handed around among them. Ids and names stay where they
// are, so a policy that prefers low indices does not commute, and one that
// hashes names does not either. It returns nil when the policy commutes at this
// view, and otherwise a permutation that shows that it does not.
//
// Up to 6 servers every permutation is tried. Beyond that, the exchanges of
// neighbours, the rotation by one and the reversal are; they generate all
// others, but only a policy that commutes with them at every view that they lead
// to commutes with all.
//
// Laws that are intervals (see Picks.Cut) must be disjoint to be told apart. A
// policies.Stateful policy is examined in the state it is in, and only a fresh
// one can be expected to commute. Errors and options are those of Enumerate.
func Commutes(p policies.Policy, q policies.Request, v policies.View, o ...Option) (*Asymmetry, error) {
	n := v.Len()
	laws := make(map[string]*Picks) // by what the servers were given
	of := func(perm []int) (*Picks, error) {
		s := relabel(v, perm)
		key := s.key()
		if law := laws[key]; law != nil {
			return law, nil
		}
		law, err := Enumerate(p, q, s, o...)
		laws[key] = law
		return law, err
	}
	before, err := of(identity(n))
	if err != nil {
		return nil, err
	}
	for _, perm := range permutations(n) {
		after, err := of(perm)
		if err != nil {
			return nil, err
		}
		for i, j := range perm {
			if disjoint(before.P[i], before.Cut, after.P[j], after.Cut) {
				return &Asymmetry{Permutation: perm, Server: i, Before: before.P[i], After: after.P[j]}, nil
			}
		}
	}
	return nil, nil
}

// disjoint compares the intervals [a, a+wa] and [b, b+wb].
func disjoint(a, wa, b, wb *big.Rat) bool {
	if a.Cmp(b) == 0 {
		return false
	}
	return new(big.Rat).Add(a, wa).Cmp(b) < 0 || new(big.Rat).Add(b, wb).Cmp(a) < 0
}

// relabelled is a view in which loads and weights have changed hands.
type relabelled struct {
	policies.View
	from []int // whose load and weight server j has
}

func relabel(v policies.View, perm []int) relabelled {
	from := make([]int, len(perm))
	for i, j := range perm {
		from[j] = i
	}
	return relabelled{v, from}
}

func (r relabelled) Load(j int) (load float64, known bool) { return r.View.Load(r.from[j]) }

func (r relabelled) Server(j int) policies.Server {
	s := r.View.Server(j)
	s.Weight = r.View.Server(r.from[j]).Weight
	return s
}

// key is equal for equal views.
func (r relabelled) key() string {
	var b []byte
	for _, i := range r.from {
		load, known := r.View.Load(i)
		if !known {
			load = math.NaN()
		}
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(load))
		b = binary.BigEndian.AppendUint64(b, r.View.Server(i).Weight)
	}
	return string(b)
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// permutations are the permutations that Commutes tries, the gentlest first.
func permutations(n int) [][]int {
	if n < 2 {
		return nil
	}
	var list [][]int
	for i := range n - 1 {
		p := identity(n)
		p[i], p[i+1] = p[i+1], p[i]
		list = append(list, p)
	}
	rotation, reversal := make([]int, n), make([]int, n)
	for i := range n {
		rotation[i], reversal[i] = (i+1)%n, n-1-i
	}
	list = append(list, rotation, reversal)
	if n <= exhaustive {
		list = append(list, arrangements(identity(n), 0)...)
	}
	return list
}

// arrangements lists all orders of p[k:] behind p[:k].
func arrangements(p []int, k int) [][]int {
	if k == len(p) {
		return [][]int{append([]int(nil), p...)}
	}
	var list [][]int
	for i := k; i < len(p); i++ {
		p[k], p[i] = p[i], p[k]
		list = append(list, arrangements(p, k+1)...)
		p[k], p[i] = p[i], p[k]
	}
	return list
}
