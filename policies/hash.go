package policies

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// digest is the first half of the SHA-256 of a text: good enough that every law
// that asks for a random hash may take it for one. Texts of up to 256 bytes
// allocate nothing.
func digest(text string) [16]byte {
	var room [256]byte
	sum := sha256.Sum256(append(room[:0], text...))
	return [16]byte(sum[:])
}

// hash64 is the first 64 bits of a digest.
func hash64(text string) uint64 {
	sum := digest(text)
	return binary.BigEndian.Uint64(sum[:])
}

// mix scatters 64 bits, one to one (the finalizer of SplitMix64; Steele, Lea and
// Flood 2014, with Stafford's 13th constants).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// byName lists the indices of servers in the order of their names.
func byName(all []Server) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(all[i].Name, all[j].Name) })
	return order
}
