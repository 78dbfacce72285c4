//go:build !mutants

package policies

import (
	"fmt"
	"math/big"
)

// Maglev is the hash table of Google's network load balancer (Eisenbud et al.
// 2016, section 3.4): every server goes through the places of the table in an
// order of its own and takes the next free one whenever it is its turn, until
// the table is full. A key belongs to the owner of its place, and when that
// server is not eligible, to the owner of the next place: only the keys of that
// server move.
//
// In each round the heaviest server takes a turn, and the others take turns in
// proportion to their weights, the first one in the first round: each owns its
// share of the table to within two places for every server.
type Maglev struct {
	Size int // places in the table, a prime, much larger than the fleet; 0 is 65537

	table []ServerID
	hash  func(string) uint64 // nil: SHA-256
}

// Pick walks the table from the place of the key to the first eligible owner.
func (m *Maglev) Pick(q Request, v View, _ Coins) int {
	if v.Len() == 0 || len(m.table) == 0 {
		return None
	}
	size := uint64(len(m.table))
	place := m.hashOf(q.Key) % size
	for range m.table {
		if i := v.Index(m.table[place]); i >= 0 {
			return i
		}
		place = (place + 1) % size
	}
	return None
}

// Update fills the table. It depends on nothing but the names and weights.
func (m *Maglev) Update(all []Server) {
	size := uint64(m.Size)
	if size == 0 {
		size = 65537
	}
	table, taken := make([]ServerID, size), make([]bool, size)
	var heaviest uint64
	for _, s := range all {
		heaviest = max(heaviest, s.Weight)
	}
	m.table = nil
	if heaviest == 0 {
		return
	}
	place, skip, credit := make([]uint64, len(all)), make([]uint64, len(all)), make([]uint64, len(all))
	for i, s := range all {
		place[i] = m.hashOf("place "+s.Name) % size
		skip[i] = m.hashOf("skip "+s.Name)%(size-1) + 1 // the size is prime: this visits every place
		credit[i] = heaviest - s.Weight
	}
	order := byName(all)
	for free := size; ; {
		for _, i := range order {
			if credit[i] += all[i].Weight; all[i].Weight == 0 || credit[i] < heaviest {
				continue
			}
			credit[i] -= heaviest
			for taken[place[i]] {
				place[i] = (place[i] + skip[i]) % size
			}
			table[place[i]], taken[place[i]] = all[i].ID, true
			if free--; free == 0 {
				m.table = table
				return
			}
		}
	}
}

func (m *Maglev) hashOf(text string) uint64 {
	if m.hash != nil {
		return m.hash(text)
	}
	return hash64(text)
}

// Clone returns a copy that shares the table, which no pick changes and an
// update replaces.
func (m *Maglev) Clone() Policy { twin := *m; return &twin }

// State is empty: a pick leaves no trace.
func (m *Maglev) State() string { return "" }

// Check says what is wrong with Size.
func (m *Maglev) Check() error {
	if m.Size != 0 && (m.Size < 0 || !big.NewInt(int64(m.Size)).ProbablyPrime(0)) {
		return fmt.Errorf("policies: Maglev.Size is %d, want a prime, or 0 for 65537", m.Size)
	}
	return nil
}
