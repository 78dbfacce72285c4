//go:build !mutants

package policies

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

// Ring is consistent hashing (Karger et al. 1997): every server owns points on
// a circle of hashes, as many as its weight times Points, and a key belongs to
// the owner of the first point at or after its own hash. When that server is
// not eligible, the key moves on to the next point: only the keys of that
// server move, and they spread over the others.
//
// A circle of more than 2^18 points is thinned out: every server keeps the same
// part of its points, and at least one.
type Ring struct {
	Points int // points of a server of weight 1, at least 1

	points []point             // ascending
	hash   func(string) uint64 // nil: the first 64 bits of SHA-256
}

type point struct {
	hash  uint64
	name  string // decides between colliding points, so insertion order cannot
	owner ServerID
}

// Pick walks the circle from the hash of the key to the first eligible owner.
func (r *Ring) Pick(q Request, v View, _ Coins) int {
	h := r.hashOf(q.Key)
	start := sort.Search(len(r.points), func(i int) bool { return r.points[i].hash >= h })
	for k := range r.points {
		owner := r.points[(start+k)%len(r.points)].owner
		if i := v.Index(owner); i >= 0 {
			return i
		}
	}
	return None
}

// Update builds the circle of a fleet. It depends on nothing but the names and
// weights in it.
func (r *Ring) Update(all []Server) {
	r.points = nil
	for i, count := range r.counts(all) {
		s := all[i]
		for k := range count {
			// The number has a fixed width, so no two servers share a label.
			label := append(binary.BigEndian.AppendUint64(nil, k), s.Name...)
			r.points = append(r.points, point{r.hashOf(string(label)), s.Name, s.ID})
		}
	}
	slices.SortFunc(r.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name))
	})
}

// mostPoints bounds the circle, whatever the weights.
const mostPoints = 1 << 18

// counts is the number of points of each server.
func (r *Ring) counts(all []Server) []uint64 {
	counts := weightsOf(&Snapshot{Servers: all})
	whole := sum(counts)
	if whole <= mostPoints/uint64(r.Points) {
		for i := range counts {
			counts[i] *= uint64(r.Points)
		}
		return counts
	}
	for i, weight := range counts {
		if weight > 0 {
			high, low := bits.Mul64(weight, mostPoints)
			part, _ := bits.Div64(high, low, whole)
			counts[i] = max(part, 1)
		}
	}
	return counts
}

func (r *Ring) hashOf(text string) uint64 {
	if r.hash != nil {
		return r.hash(text)
	}
	return hash64(text)
}

// Check says what is wrong with Points.
func (r *Ring) Check() error { return checkD("Ring.Points", r.Points, 1) }

// Clone returns a copy that shares the circle, which no pick changes and an
// update replaces.
func (r *Ring) Clone() Policy { twin := *r; return &twin }

// State is empty: a pick leaves no trace.
func (r *Ring) State() string { return "" }
