//go:build !mutants

package queue

import "math/big"

// sums adds up probabilities, exactly, for any number of slots. Most leaves of
// a tree of coins share one denominator or a few, so numerators are added as
// integers for each denominator, and rationals appear only in the end.
type sums struct {
	groups map[uint64]*group
	last   *group           // the group added to last
	wide   map[int]*big.Rat // what does not fit into 64 bits
}

// group holds the numerators over one denominator. They cannot overflow: the
// leaves of a tree have a total probability of at most 1, so the numerators over
// den add up to at most den.
type group struct {
	den   uint64
	slots []uint64
}

// add adds the probability of the tree's path to a slot.
func (s *sums) add(slot int, t *tree) {
	num, den := uint64(1), uint64(1)
	if k := len(t.path); k > 0 {
		c := &t.path[k-1]
		if c.wide {
			s.addWide(slot, t)
			return
		}
		num, den = c.num, c.den
	}
	if s.last == nil || s.last.den != den {
		g := s.groups[den]
		if g == nil {
			if s.groups == nil {
				s.groups = make(map[uint64]*group)
			}
			g = &group{den: den}
			s.groups[den] = g
		}
		s.last = g
	}
	for len(s.last.slots) <= slot {
		s.last.slots = append(s.last.slots, 0)
	}
	s.last.slots[slot] += num
}

func (s *sums) addWide(slot int, t *tree) {
	if s.wide == nil {
		s.wide = make(map[int]*big.Rat)
	}
	if s.wide[slot] == nil {
		s.wide[slot] = new(big.Rat)
	}
	s.wide[slot].Add(s.wide[slot], t.probability())
}

// probability is the exact probability of the path.
func (t *tree) probability() *big.Rat {
	num, den, x := big.NewInt(1), big.NewInt(1), new(big.Int)
	for i := range t.path {
		c := &t.path[i]
		if c.weighted {
			num.Mul(num, x.SetUint64(c.weights[c.outcome]))
		}
		den.Mul(den, x.SetUint64(c.total))
	}
	return new(big.Rat).SetFrac(num, den)
}

// of returns the sum of a slot.
func (s *sums) of(slot int) *big.Rat {
	sum := new(big.Rat)
	if w := s.wide[slot]; w != nil {
		sum.Set(w)
	}
	for den, g := range s.groups {
		if slot < len(g.slots) && g.slots[slot] > 0 {
			num, den := new(big.Int).SetUint64(g.slots[slot]), new(big.Int).SetUint64(den)
			sum.Add(sum, new(big.Rat).SetFrac(num, den))
		}
	}
	return sum
}
