//go:build !mutants

package policies

import (
	"math"
)

// Rendezvous is highest random weight hashing (Thaler and Ravishankar 1998):
// every pair of a key and a server has a hash, and the eligible server with the
// highest score takes the key. A server that leaves or is not eligible passes
// each of its keys to that key's second choice; nobody else's keys move.
//
// With u in (0, 1) from the hash, the score is weight / -ln(u): shares are then
// as the weights are (Schindelhauer and Schomaker 2005, the logarithmic method).
type Rendezvous struct {
	nodes []node              // in increasing order of ids
	hash  func(string) uint64 // nil: SHA-256
}

type node struct {
	id     ServerID
	hash   uint64
	rank   int // among the names: decides between equal scores
	weight float64
}

// Pick scores every eligible server.
func (r *Rendezvous) Pick(q Request, v View, _ Coins) int {
	key := r.hashOf(q.Key)
	pick, most, rank := None, 0.0, 0
	i := 0
	for _, n := range r.nodes {
		if i == v.Len() {
			break
		}
		if n.id != v.Server(i).ID {
			continue
		}
		if s := n.score(key); pick == None || s > most || s == most && n.rank < rank {
			pick, most, rank = i, s, n.rank
		}
		i++
	}
	return pick
}

// score is exponential in distribution, with the weight as its mean's inverse.
func (n node) score(key uint64) float64 {
	// The hash of the pair. For any two servers, exchanging their roles pairs the
	// keys up, so each of the two wins exactly half of all hashes.
	h := mix(key ^ n.hash)
	u := (float64(h>>11) + 0.5) / (1 << 53)
	return n.weight / -math.Log(u)
}

// Update hashes the names.
func (r *Rendezvous) Update(all []Server) {
	r.nodes = make([]node, len(all))
	for i, s := range all {
		r.nodes[i] = node{id: s.ID, hash: r.hashOf(s.Name), weight: float64(s.Weight)}
	}
	for rank, i := range byName(all) {
		r.nodes[i].rank = rank
	}
}

func (r *Rendezvous) hashOf(text string) uint64 {
	if r.hash != nil {
		return r.hash(text)
	}
	return hash64(text)
}

// Clone returns a copy that shares the hashes, which no pick changes and an
// update replaces.
func (r *Rendezvous) Clone() Policy { twin := *r; return &twin }

// State is empty: a pick leaves no trace.
func (r *Rendezvous) State() string { return "" }
