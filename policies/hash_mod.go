//go:build !mutants

package policies

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// HashMod sends a key to the server whose place is the hash of the key modulo
// the number of servers, in the order of their names and whatever their weights.
// The count is over the whole fleet: when the server of a key is not eligible,
// only its keys move, each to its own next choice by rendezvous hashing. A change
// of the fleet, though, moves nearly all keys.
type HashMod struct {
	// Hash makes one big-endian number of a key, such as md5.Sum does; nil takes
	// half of SHA-256. With 128 bits, no server is favoured by more than n/2^128.
	Hash func(key []byte) [16]byte

	places []ServerID // in the order of their names
	next   Rendezvous
}

// Pick computes the place of the key.
func (h *HashMod) Pick(q Request, v View, c Coins) int {
	if len(h.places) == 0 {
		return None
	}
	home := h.places[h.place(q.Key, uint64(len(h.places)))]
	if i := v.Index(home); i >= 0 {
		return i
	}
	return h.next.Pick(q, v, c)
}

// place is the hash of a key modulo n.
func (h *HashMod) place(key string, n uint64) uint64 {
	var sum [16]byte
	if h.Hash != nil {
		sum = h.Hash([]byte(key))
	} else {
		sum = digest(key)
	}
	high, low := binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:])
	_, remainder := bits.Div64(high%n, low, n)
	return remainder
}

// Update learns the places.
func (h *HashMod) Update(all []Server) {
	h.places = make([]ServerID, len(all))
	equal := slices.Clone(all)
	for place, i := range byName(all) {
		h.places[place] = all[i].ID
		equal[i].Weight = 1
	}
	h.next.Update(equal)
}

// Clone returns a copy that shares the places, which no pick changes and an
// update replaces.
func (h *HashMod) Clone() Policy { twin := *h; return &twin }

// State is empty: a pick leaves no trace.
func (h *HashMod) State() string { return "" }
