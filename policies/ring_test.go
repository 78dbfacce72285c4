package policies

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// narrow is a hash of a few bits: collisions everywhere.
func narrow(bits int) func(string) uint64 {
	return func(text string) uint64 {
		h := uint64(14695981039346656037)
		for _, b := range []byte(text) {
			h = (h ^ uint64(b)) * 1099511628211
		}
		return h >> (64 - bits)
	}
}

// byHand is a ring whose points are given: key and label hash to what is asked.
func byHand(points ...point) *Ring {
	return &Ring{Points: 1, points: points, hash: func(key string) uint64 { return uint64(key[0]) }}
}

func TestRingTakesTheFirstPointAtOrAfterTheKey(t *testing.T) {
	r := byHand(point{20, "a", 0}, point{40, "b", 1}, point{60, "c", 2})
	for key, want := range map[byte]int{0: 0, 19: 0, 20: 0, 21: 1, 40: 1, 41: 2, 60: 2, 61: 0, 255: 0} {
		assert.Equal(t, want, r.Pick(Request{Key: string([]byte{key})}, at(0, 0, 0), nil), "key at %d", key)
	}
}

func TestRingWalksOnFromAnIneligibleOwner(t *testing.T) {
	r := byHand(point{20, "a", 0}, point{30, "b", 1}, point{40, "a", 0}, point{60, "c", 2})
	only := func(ids ...ServerID) *Snapshot {
		return &Snapshot{Servers: slices.DeleteFunc(Fleet(3), func(s Server) bool { return !slices.Contains(ids, s.ID) })}
	}
	pick := func(key byte, v *Snapshot) ServerID {
		return v.Server(r.Pick(Request{Key: string([]byte{key})}, v, nil)).ID
	}
	assert.Equal(t, ServerID(1), pick(10, only(1, 2)))
	assert.Equal(t, ServerID(2), pick(35, only(1, 2)), "a's two points pass their keys to different servers")
	assert.Equal(t, ServerID(0), pick(50, only(0, 1)), "over the top to the first point")
	assert.Equal(t, ServerID(1), pick(70, only(1)))
	assert.Equal(t, None, r.Pick(Request{Key: "x"}, at(), nil))
}

// fleetOf draws a fleet with awkward names: prefixes of each other, digits at the end.
func fleetOf(t *rapid.T, label string) []Server {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"s1", "s1:1", "s1:11", "s11", "s", "1", "x", "s2"}), 1, 6,
		func(s string) string { return s }).Draw(t, label)
	fleet := make([]Server, len(names))
	for i, name := range names {
		fleet[i] = Server{ID: ServerID(i), Name: name, Weight: rapid.Uint64Range(1, 4).Draw(t, "weight")}
	}
	return fleet
}

func ownerNames(r Policy, fleet []Server, keys int) []string {
	v := &Snapshot{Servers: fleet}
	var names []string
	for k := range keys {
		names = append(names, fleet[r.Pick(Request{Key: fmt.Sprint(k)}, v, nil)].Name)
	}
	return names
}

func TestRingDependsOnNamesAndWeightsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := fleetOf(t, "names")
		hash := narrow(rapid.SampledFrom([]int{2, 4, 6, 10}).Draw(t, "bits"))
		want := ownerNames(Join(&Ring{Points: 3, hash: hash}, fleet), fleet, 60)

		shuffled := rapid.Permutation(fleet).Draw(t, "order")
		for i := range shuffled {
			shuffled[i].ID = ServerID(i)
		}
		assert.Equal(t, want, ownerNames(Join(&Ring{Points: 3, hash: hash}, shuffled), shuffled, 60), "another order of the list")

		history := &Ring{Points: 3, hash: hash}
		Join(history, fleetOf(t, "earlier"))
		assert.Equal(t, want, ownerNames(Join(history, fleet), fleet, 60), "after another fleet")
	})
}

func TestRingMovesOnlyTheKeysOfTheServerThatLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := fleetOf(t, "names")
		if len(fleet) < 2 {
			return
		}
		gone := rapid.IntRange(0, len(fleet)-1).Draw(t, "gone")
		hash := narrow(rapid.SampledFrom([]int{2, 5, 12}).Draw(t, "bits"))
		r := Join(&Ring{Points: 5, hash: hash}, fleet)
		before := ownerNames(r, fleet, 80)
		rest := slices.Delete(slices.Clone(fleet), gone, gone+1)
		ejected := ownerNames(r, rest, 80)
		removed := ownerNames(Join(&Ring{Points: 5, hash: hash}, rest), rest, 80)
		assert.Equal(t, removed, ejected, "ejecting and removing are the same to the others")
		for k := range before {
			if before[k] != fleet[gone].Name {
				assert.Equal(t, before[k], ejected[k], "key %d moved although its server stayed", k)
			}
		}
	})
}

// More than 2^18 points in all are cut down to that, still in proportion.
func TestRingKeepsItsCircleSmall(t *testing.T) {
	r := &Ring{Points: 64}
	assert.Equal(t, []uint64{64 << 10, 0, 192 << 10}, r.counts(weighted(1<<10, 0, 3<<10)), "as many as there may be")
	assert.Equal(t, []uint64{1 << 16, 0, 3 << 16}, r.counts(weighted(1<<11, 0, 3<<11)), "half as many as asked for")
	// 2^18/50 = 5242.88: this is the largest sum of weights that is not cut down.
	assert.Equal(t, []uint64{50 * 5000, 50 * 242}, (&Ring{Points: 50}).counts(weighted(5000, 242)))
	assert.Equal(t, []uint64{52, 262091}, r.counts(weighted(1, 5000))) // 2^18/5001 = 52.4, 5000·2^18/5001 = 262091.6
	assert.Equal(t, []uint64{1<<18 - 1, 1}, r.counts(weighted(MaxWeight, 1)), "nobody is left without")
}

// What is hashed is up to the function, when there is one.
func TestKeyedPoliciesUseTheirHash(t *testing.T) {
	length := func(text string) uint64 { return uint64(len(text)) }
	assert.Equal(t, uint64(5), (&Ring{hash: length}).hashOf("seven"))
	assert.Equal(t, uint64(5), (&Rendezvous{hash: length}).hashOf("seven"))
	assert.Equal(t, uint64(5), (&Maglev{hash: length}).hashOf("seven"))
	assert.Equal(t, hash64("seven"), (&Ring{}).hashOf("seven"))
	assert.Equal(t, hash64("seven"), (&Rendezvous{}).hashOf("seven"))
	assert.Equal(t, hash64("seven"), (&Maglev{}).hashOf("seven"))
}

func TestRingHasWeightTimesPointsForEach(t *testing.T) {
	r := &Ring{Points: 7}
	r.Update([]Server{{0, "a", 1}, {1, "b", 3}, {2, "c", 0}})
	counts := map[ServerID]int{}
	for _, p := range r.points {
		counts[p.owner]++
	}
	assert.Equal(t, map[ServerID]int{0: 7, 1: 21}, counts)
	assert.True(t, slices.IsSortedFunc(r.points, func(a, b point) int {
		return slices.Compare(binary.BigEndian.AppendUint64(nil, a.hash), binary.BigEndian.AppendUint64(nil, b.hash))
	}))
}
