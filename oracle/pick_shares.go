package oracle

import (
	"fmt"
	"slices"
)

// KeyShares says how far the share of a server, the part of all keys that it
// owns, is from weight/sum, over random hashes of the names of servers and of
// the keys.
//
// Rendezvous hashing scores every pair of a key and a server anew, so each key
// is owned with probability weight/sum, whatever became of the others; a hash
// modulo N, of equal weights, as well. Nothing varies with the names.
//
// The points of a ring cut it into arcs whose lengths are jointly Dirichlet(1,
// ..., 1), and the arcs of a server add up: with a points of its own and b of the
// others, its share is Beta(a, b), whose mean is weight/sum. Such a variable is
// sub-Gaussian with the variance proxy
//
//	1 / (4 (a + b + 1))
//
// (conjectured by Elder 2016, proved by Marchal and Arbel 2017), which is its
// variance for a = b.
//
// A Maglev table is filled in rounds, in which server i has taken r·w/max turns
// after round r, give or take less than two for where its credit began and where
// the last round broke off. So its places are off by e_i with |e_i| <= 2 beside r·w/max, and by
// |e_i - w/sum·(e_1 + ... + e_n)| <= 2n beside its part of the table (Eisenbud et al. 2016,
// section 3.4, for equal weights).
type KeyShares struct {
	Scheme string // one of KeyShareSchemes
	Size   int    // points of a server of weight 1 on a ring, or places of a Maglev table
}

// KeyShareSchemes lists the schemes that KeyShares knows.
func KeyShareSchemes() []string { return []string{"hash-mod", "maglev", "rendezvous", "ring"} }

// Validate tells which parameter is out of range.
func (k KeyShares) Validate() error {
	if !slices.Contains(KeyShareSchemes(), k.Scheme) {
		return fmt.Errorf("scheme is %s, want one of %v", quoted(k.Scheme), KeyShareSchemes())
	}
	if k.Scheme == "ring" || k.Scheme == "maglev" {
		return validRange("size", k.Size, 1, 1_000_000_000)
	}
	return nil
}

// Bias bounds how far the mean of a share is from weight/sum, over the hashes.
func (k KeyShares) Bias(weights []uint64) float64 {
	must(k)
	if k.Scheme == "maglev" {
		return 2 * float64(len(weights)) / float64(k.Size)
	}
	return 0
}

// Proxy is a variance proxy s2 of a share X around its mean, over the hashes of
// names: E exp(t (X - E X)) <= exp(t² s2/2) for every t.
func (k KeyShares) Proxy(weights []uint64) float64 {
	must(k)
	if k.Scheme != "ring" {
		return 0
	}
	points := 0.0
	for _, w := range weights {
		points += float64(w) * float64(k.Size)
	}
	return 1 / (4 * (points + 1))
}
