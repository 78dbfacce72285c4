package policies

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestMaglevFillsTheTableByHand(t *testing.T) {
	// The example of the paper (table 1): seven places; the orders start at 3, 0, 3
	// with skips 4, 2, 1. The table is then B1 B0 B1 B0 B2 B2 B0.
	numbers := map[string]uint64{"place B0": 3, "skip B0": 3, "place B1": 0, "skip B1": 1, "place B2": 3, "skip B2": 0}
	fill := func(names string) *Maglev {
		m := &Maglev{Size: 7, hash: func(text string) uint64 { return numbers[text] }}
		m.Update(serversNamed(strings.Fields(names)...))
		return m
	}
	assert.Equal(t, []ServerID{1, 0, 1, 0, 2, 2, 0}, fill("B0 B1 B2").table)
	assert.Equal(t, []ServerID{0, 2, 0, 2, 1, 1, 2}, fill("B1 B2 B0").table, "the order of the list does not matter")
	// And without B1: B0 B0 B0 B0 B2 B2 B2.
	assert.Equal(t, []ServerID{0, 0, 0, 0, 1, 1, 1}, fill("B0 B2").table)
	// With weight 2, B1 has a turn in every round, the others in the first and in
	// the third: B0 takes 3, B1 0, B2 4; B1 2; B0 1, B1 6, B2 5.
	m := fill("")
	fleet := serversNamed("B0", "B1", "B2")
	fleet[1].Weight = 2
	m.Update(fleet)
	assert.Equal(t, []ServerID{1, 0, 1, 0, 2, 2, 1}, m.table)

	// With weights 2 and 3, B0 sits out the second round. B0 takes 3, B1 0; B1 2; B0 1,
	// after 2 is taken, B1 4; B0 6, B1 5.
	numbers["skip B0"] = 5
	fleet = serversNamed("B0", "B1")
	fleet[0].Weight, fleet[1].Weight = 2, 3
	m.Update(fleet)
	assert.Equal(t, []ServerID{1, 0, 1, 0, 1, 1, 0}, m.table)

	// The longest skip is one place back: B0 takes 3, B1 0, B0 2, B1 6, B0 1, B1 5,
	// and B0 4, after 0, 6 and 5 are taken.
	numbers["skip B0"], numbers["skip B1"] = 5, 5
	assert.Equal(t, []ServerID{1, 0, 0, 0, 0, 1, 1}, fill("B0 B1").table)
}

// The keys of a server that is not eligible go to the owner of the next place.
func TestMaglevWalksOn(t *testing.T) {
	m := &Maglev{Size: 5, table: []ServerID{3, 0, 1, 2, 0}, hash: func(text string) uint64 { return uint64(len(text)) }}
	all := Fleet(4)
	v := &Snapshot{Servers: []Server{all[0], all[2], all[3]}}
	assert.Equal(t, ServerID(2), v.Servers[m.Pick(Request{Key: "22"}, v, nil)].ID)
	v.Servers = all[1:3]
	assert.Equal(t, ServerID(1), v.Servers[m.Pick(Request{Key: "4444"}, v, nil)].ID, "around the end")
}

func serversNamed(names ...string) []Server {
	fleet := Fleet(len(names))
	for i, name := range names {
		fleet[i].Name = name
	}
	return fleet
}

func TestMaglevSharesFollowTheWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 12), rapid.Uint64Range(1, MaxWeight)), 1, 8).Draw(t, "weights")
		if sum(weights) == 0 {
			return
		}
		m := &Maglev{Size: 1009}
		m.Update(weighted(weights...))
		counts := map[ServerID]float64{}
		for _, id := range m.table {
			counts[id]++
		}
		for i, s := range weighted(weights...) {
			// After r rounds a server has 1 + floor((r-1)·w/heaviest) places, or one less
			// in the last round, which may be cut short. So with x = (r-1)/heaviest, all
			// counts are within w·x - 1 and w·x + 1, thus |1009 - W·x| <= n, and
			// |count - 1009·w/W| <= 1 + n·w/W.
			share := float64(s.Weight) / float64(sum(weights))
			if math.Abs(counts[s.ID]-1009*share) > 1+float64(len(weights))*share {
				t.Fatalf("weights %v: server %d has %g places of 1009, want about %g", weights, i, counts[s.ID], 1009*share)
			}
			if (counts[s.ID] > 0) != (s.Weight > 0) {
				t.Fatalf("weight %d has %g places", s.Weight, counts[s.ID])
			}
		}
	})
}

func TestMaglevEdges(t *testing.T) {
	m := &Maglev{Size: 11}
	assert.Equal(t, None, m.Pick(Request{}, at(0), nil), "no table yet")
	m.Update([]Server{{0, "a", 0}})
	assert.Equal(t, None, m.Pick(Request{}, at(0), nil), "nobody owns a place")
	m.Update(Fleet(1))
	assert.Equal(t, 0, m.Pick(Request{}, at(0), nil))
	m.Update([]Server{{0, "a", 0}})
	assert.Equal(t, None, m.Pick(Request{}, at(0), nil), "nor does anybody any more")
	big := &Maglev{}
	big.Update(Fleet(3))
	assert.Len(t, big.table, 65537)
	assert.Equal(t, None, big.Pick(Request{}, at(), nil))
	assert.Equal(t, None, big.Pick(Request{}, &Snapshot{Servers: []Server{{ID: 7}}}, nil), "a stranger owns no place")
}
