package oracle

import (
	"fmt"
	"math/big"
	"slices"
)

// Remap says which part of all keys changes its server, on average over the
// hashes, when one of N equal servers leaves or another one joins.
//
// At the least, the keys of the server that leaves must move, 1/N, and the
// newcomer must get its due, 1/(N+1). Schemes that rank hashes do no more: by
// symmetry each of the servers is as likely as any other to be first for a key,
// and the others keep their order. A ring is such a ranking, by the distance
// from the key to the nearest point of each server (Karger et al. 1997), and so
// is rendezvous (Thaler and Ravishankar 1998).
//
// A hash modulo the number of servers has two independent remainders, since N
// and N+1 have no common divisor: of the N(N+1) pairs, each equally likely, N
// name the same server. When a server leaves, whichever it is, N-1 of the N(N-1)
// pairs do. (The hash is uniform over so many values that what is left over does
// not count.)
type Remap struct {
	Scheme string // one of RemapSchemes
	N      int    // servers before the change, at least 1
}

// RemapSchemes lists the schemes that Remap knows.
func RemapSchemes() []string { return []string{"hash-mod", "ring", "rendezvous"} }

// Validate tells which parameter is out of range.
func (r Remap) Validate() error {
	if !slices.Contains(RemapSchemes(), r.Scheme) {
		return fmt.Errorf("scheme is %s, want one of %v", quoted(r.Scheme), RemapSchemes())
	}
	return validRange("n", r.N, 1, 1_000_000_000)
}

// Join is the part of the keys that moves when a server joins.
func (r Remap) Join() *big.Rat {
	must(r)
	n := int64(r.N)
	if r.Scheme == "hash-mod" {
		return big.NewRat(n, n+1)
	}
	return big.NewRat(1, n+1)
}

// Leave is the part of the keys that moves when a server leaves; all of them
// lose the only one.
func (r Remap) Leave() *big.Rat {
	must(r)
	n := int64(r.N)
	if r.Scheme == "hash-mod" && n > 1 {
		return big.NewRat(n-1, n)
	}
	return big.NewRat(1, n)
}
