package oracle

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// A view is the memory of one frozen state: what was claimed and what was picked.
type view struct {
	loads     []float64
	weights   []uint64
	order     int     // of first appearance, from 1
	groups    [][]int // the outcomes that the audit tells apart
	groupOf   []int   // by server
	servers   [][]int // the same without ties
	laws      []prepared
	picks     int
	counts    []int       // picks of each server
	claimed   []float64   // of each group, summed over the open picks: see Bound
	open      []int       // open picks of each group
	certain   int         // picks that the claim left no choice for
	forbidden bool        // a pick that the claim forbids was seen
	strays    bool        // any pick may be a stray
	after     map[int]row // what followed each server
}

// row counts the successors of one server.
type row struct {
	counts []int
	total  *int
}

func newView(s State, groups [][]int, order int) *view {
	n := len(s.Loads)
	// In the order of their first servers, so that groups of one are the servers.
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	v := &view{
		loads:   slices.Clone(s.Loads),
		weights: slices.Clone(s.Weights),
		order:   order,
		groups:  groups,
		groupOf: make([]int, n),
		servers: strictly([][]int{indices(n)}),
		counts:  make([]int, n),
		claimed: make([]float64, len(groups)),
		open:    make([]int, len(groups)),
		after:   make(map[int]row),
	}
	for g, members := range groups {
		for _, i := range members {
			v.groupOf[i] = g
		}
	}
	return v
}

// shows tells whether the view is that of the state. A state without weights is
// not the same as one with equal weights.
func (v *view) shows(s State) bool {
	return slices.Equal(v.loads, s.Loads) && slices.Equal(v.weights, s.Weights)
}

// key is equal for equal views only.
func (s State) key() string {
	b := make([]byte, 0, 8*(len(s.Loads)+len(s.Weights)+1))
	b = binary.BigEndian.AppendUint64(b, uint64(len(s.Loads)))
	for _, load := range s.Loads {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(max(load, 0))) // -0 is 0
	}
	for _, w := range s.Weights {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	return string(b)
}

func (v *view) learn(m *moment, pick int) {
	if last, ok := m.last(); ok {
		r, seen := v.after[last]
		if !seen {
			r = row{make([]int, len(v.counts)), new(int)}
			v.after[last] = r
		}
		r.counts[pick]++
		*r.total++
	}
	claim, group := v.grouped(m.claim()), v.groupOf[pick]
	v.forbidden = v.forbidden || claim[group] == 0
	if possible(claim) == 1 && !v.strays {
		v.certain++
	} else {
		v.open[group]++
		for g, p := range claim {
			v.claimed[g] += p
		}
	}
	v.counts[pick]++
	v.picks++
}

// sum is the probability of a group.
func (v *view) sum(p []float64, group int) float64 {
	s := 0.0
	for _, i := range v.groups[group] {
		s += p[i]
	}
	return s
}

// grouped adds up the probabilities of each group.
func (v *view) grouped(p []float64) []float64 {
	if len(v.groups) == len(p) {
		return p
	}
	sums := make([]float64, len(v.groups))
	for i, x := range p {
		sums[v.groupOf[i]] += x
	}
	return sums
}

// possible counts the probabilities that are not 0.
func possible(p []float64) int {
	n := 0
	for _, x := range p {
		if x > 0 {
			n++
		}
	}
	return n
}
