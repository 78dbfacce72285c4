//go:build !mutants

package policies

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sort"
)

// Ring is consistent hashing (Karger et al. 1997): every server owns points on
// a circle of hashes, as many as its weight times Points, and a key belongs to
// the owner of the first point at or after its own hash. When that server is
// not eligible, the key moves on to the next point: only the keys of that
// server move, and they spread over the others.
type Ring struct {
	Points int // points of a server of weight 1, at least 1

	points []point             // ascending
	hash   func([]byte) uint64 // nil: the first 64 bits of SHA-256
}

type point struct {
	hash  uint64
	name  string // decides between colliding points, so insertion order cannot
	owner ServerID
}

// Pick walks the circle from the hash of the key to the first eligible owner.
func (r *Ring) Pick(q Request, v View, _ Coins) int {
	h := r.hashOf([]byte(q.Key))
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
	for _, s := range all {
		for k := range s.Weight * uint64(r.Points) {
			// The number has a fixed width, so no two servers share a label.
			label := append(binary.BigEndian.AppendUint64(nil, k), s.Name...)
			r.points = append(r.points, point{r.hashOf(label), s.Name, s.ID})
		}
	}
	slices.SortFunc(r.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name))
	})
}

func (r *Ring) hashOf(data []byte) uint64 {
	if r.hash != nil {
		return r.hash(data)
	}
	sum := sha256.Sum256(data)
	return binary.BigEndian.Uint64(sum[:])
}

// Clone returns a copy that shares the circle, which no pick changes and an
// update replaces.
func (r *Ring) Clone() Policy { twin := *r; return &twin }

// State is empty: a pick leaves no trace.
func (r *Ring) State() string { return "" }
