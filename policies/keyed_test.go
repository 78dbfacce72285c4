package policies

import (
	"crypto/md5"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// keyed makes each policy that routes by keys anew; the hashes are the real ones.
var keyed = map[string]func() Policy{
	"ring":       func() Policy { return &Ring{Points: 10} },
	"hash mod":   func() Policy { return &HashMod{} },
	"rendezvous": func() Policy { return &Rendezvous{} },
	"maglev":     func() Policy { return &Maglev{Size: 307} },
}

// The published hash spread (S1): MD5 as one big-endian number, modulo 4.
func TestHashModAgainstThePublishedSpread(t *testing.T) {
	fleet := Fleet(4)
	h, v := Join(&HashMod{Hash: md5.Sum}, fleet), &Snapshot{Servers: fleet}
	for key, want := range map[string]int{"aX9kR2q": 3, "bY0lS3r": 2, "cZ1mT4s": 3} {
		assert.Equal(t, want, h.Pick(Request{Key: key}, v, nil), key)
	}
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var counts [4]int
	for i := range 100_000 {
		var key [7]byte
		for at, n := len(key)-1, 100_000_000+i; at >= 0; at, n = at-1, n/62 {
			key[at] = digits[n%62]
		}
		counts[h.Pick(Request{Key: string(key[:])}, v, nil)]++
	}
	assert.Equal(t, [4]int{25036, 24685, 25307, 24972}, counts)
}

func TestHashModOfANumberByHand(t *testing.T) {
	// 2^64·3 + 5 modulo 7: 2^64 = 2 modulo 7 (2^3 = 1), so 3·2 + 5 = 4.
	h := &HashMod{Hash: func([]byte) [16]byte { return [16]byte{7: 3, 15: 5} }}
	fleet := Fleet(7)
	assert.Equal(t, 4, Join(h, fleet).Pick(Request{}, &Snapshot{Servers: fleet}, nil))
}

// A few properties that every keyed policy has.
func TestKeyedPolicies(t *testing.T) {
	for name, fresh := range keyed {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				fleet := fleetOf(t, "names")
				p := Join(fresh(), fleet)
				before := ownerNames(p, fleet, 60)

				shuffled := rapid.Permutation(fleet).Draw(t, "order")
				for i := range shuffled {
					shuffled[i].ID = ServerID(100 + i)
				}
				assert.Equal(t, before, ownerNames(Join(fresh(), shuffled), shuffled, 60), "another order and other ids")
				assert.Equal(t, before, ownerNames(Join(Join(fresh(), fleetOf(t, "earlier")), fleet), fleet, 60), "after another fleet")
				assert.Equal(t, before, ownerNames(p.(Stateful).Clone(), fleet, 60), "a copy")

				// One server after another goes: only its keys move, to the same places
				// whatever went before it, and in the end nobody is left.
				for rest := slices.Clone(fleet); len(rest) > 1; {
					gone := rapid.IntRange(0, len(rest)-1).Draw(t, "gone")
					name := rest[gone].Name
					rest = slices.Delete(rest, gone, gone+1)
					after := ownerNames(p, rest, 60)
					for k := range before {
						if before[k] != name && before[k] != after[k] {
							t.Fatalf("key %d moved from %s to %s when %s went", k, before[k], after[k], name)
						}
					}
					before = after
				}
				assert.Equal(t, None, p.Pick(Request{Key: "k"}, &Snapshot{}, nil))
			})
		})
	}
}

// The keys of a server that is not eligible go to all the others: of 300 keys at
// one of five servers, each other server gets some. A fair choice leaves one out
// with probability at most 4·(3/4)^300 < 1e-36 for rendezvous; for the points of
// a ring this is a fact of the fixed hashes.
func TestKeyedPoliciesShareOutTheKeysOfTheMissing(t *testing.T) {
	for name, fresh := range keyed {
		fleet := Fleet(5)
		p, taken := Join(fresh(), fleet), map[string]int{}
		rest, moved := slices.Delete(slices.Clone(fleet), 2, 3), 0
		for k := 0; moved < 300 && k < 15_000; k++ {
			q := Request{Key: fmt.Sprint(k)}
			if p.Pick(q, &Snapshot{Servers: fleet}, nil) == 2 {
				moved++
				taken[rest[p.Pick(q, &Snapshot{Servers: rest}, nil)].Name]++
			}
		}
		assert.Equal(t, 300, moved, "keys of one of five servers among 15,000")
		assert.Len(t, taken, 4, "%s: %v", name, taken)
	}
}

func TestRendezvousFollowsTheWeights(t *testing.T) {
	fleet := weighted(1, 2, 5)
	r, v := Join(&Rendezvous{}, fleet), &Snapshot{Servers: fleet}
	var counts [3]float64
	const n = 16_000
	for k := range n {
		counts[r.Pick(Request{Key: fmt.Sprint(k)}, v, nil)]++
	}
	// Hoeffding: P(|count - np| >= d) <= 2·exp(-2d²/n); three counts and 1e-12
	// give d = sqrt(n·ln(6e12)/2) = 486 at n = 16,000.
	for i, want := range []float64{n / 8, n / 4, n * 5 / 8} {
		assert.InDelta(t, want, counts[i], 486)
	}
}

// Weights do not count for HashMod, not even where the keys of a server go that is
// missing: those are shared out as among servers of weight 1.
func TestHashModSharesOutWithoutWeights(t *testing.T) {
	heavy, equal := weighted(1, 100, 10000, 1), weighted(1, 1, 1, 1)
	p, want := Join(&HashMod{}, heavy), Join(&HashMod{}, equal)
	for k := range 64 {
		q := Request{Key: strconv.Itoa(k)}
		for _, there := range [][]int{{0, 1, 2, 3}, {1, 2, 3}, {0, 3}} {
			var a, b Snapshot
			for _, i := range there {
				a.Servers, b.Servers = append(a.Servers, heavy[i]), append(b.Servers, equal[i])
			}
			assert.Equal(t, want.Pick(q, &b, nil), p.Pick(q, &a, nil), "key %d, servers %v", k, there)
		}
	}
}

// TestMixIsTheFinalizerOfSplitMix64 walks that generator from the seed 1234567,
// whose first five numbers are published with its implementations.
func TestMixIsTheFinalizerOfSplitMix64(t *testing.T) {
	x := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		x += 0x9e3779b97f4a7c15
		assert.Equal(t, want, mix(x))
	}
}

func TestRendezvousScoresByHand(t *testing.T) {
	n := node{hash: 9, weight: 3}
	// mix is one to one with mix(0) = 0: the smallest u is half of 2^-53, and the
	// score is 3 / (54·ln 2).
	assert.InDelta(t, 3/(54*0.6931471805599453), n.score(9), ulps(1))
	assert.Zero(t, mix(0))
	tied := &Rendezvous{hash: func(string) uint64 { return 5 }} // all hashes collide
	fleet := []Server{{0, "b", 1}, {1, "a", 1}, {2, "c", 1}}
	assert.Equal(t, 1, Join(tied, fleet).Pick(Request{}, &Snapshot{Servers: fleet}, nil), "the first name wins")
}

func TestRingStandsHugeWeights(t *testing.T) {
	r := &Ring{Points: 100}
	r.Update([]Server{{0, "a", MaxWeight}, {1, "b", MaxWeight}, {2, "c", 1}, {3, "d", 0}, {4, "e", MaxWeight - 1}})
	counts := map[ServerID]int{}
	for _, p := range r.points {
		counts[p.owner]++
	}
	third := mostPoints / 3
	assert.Equal(t, map[ServerID]int{0: third, 1: third, 2: 1, 4: third}, counts)
}

func TestStickyFollowsTheCookieWhileItCan(t *testing.T) {
	fleet := Fleet(4)
	p := Join(&Sticky{Fallback: &RoundRobin{started: true, last: 3}}, fleet)
	v := &Snapshot{Servers: fleet}
	without2 := &Snapshot{Servers: slices.Delete(slices.Clone(fleet), 2, 3)}
	pick := func(cookie string, v *Snapshot) string {
		return v.Servers[p.Pick(Request{Cookie: cookie}, v, nil)].Name
	}
	assert.Equal(t, "s2", pick("s2", v))
	assert.Equal(t, "s2", pick("s2", v), "again")
	assert.Equal(t, "s0", pick("", v), "a new client")
	assert.Equal(t, "s1", pick("s2", without2), "its server is not eligible")
	assert.Equal(t, "s2", pick("", v), "the rotation goes on")
	assert.Equal(t, "s3", pick("nobody", v))
	p.(Member).Update(fleet[:2])
	assert.Equal(t, "s0", pick("s3", &Snapshot{Servers: fleet[:2]}), "its server has left")
	assert.Equal(t, None, p.Pick(Request{Cookie: "s0"}, &Snapshot{}, nil))
	assert.Equal(t, "0", p.(Stateful).State())
}

func TestStickyClonesItsFallback(t *testing.T) {
	fallback := &RoundRobin{started: true, last: 1}
	twin := (&Sticky{Fallback: fallback}).Clone().(*Sticky)
	assert.Equal(t, fallback, twin.Fallback)
	assert.NotSame(t, fallback, twin.Fallback)
	assert.Equal(t, Random{}, (&Sticky{Fallback: Random{}}).Clone().(*Sticky).Fallback)
}

func TestStickyTellsItsFallbackOfTheFleet(t *testing.T) {
	fleet := Fleet(3)
	p := Join(&Sticky{Fallback: &HashMod{}}, fleet)
	alone := Join(&HashMod{}, fleet)
	v, q := &Snapshot{Servers: fleet}, Request{Key: "k"}
	assert.Equal(t, alone.Pick(q, v, nil), p.Pick(q, v, nil))
}

func TestStickyPassesOutcomesOn(t *testing.T) {
	p := &Sticky{Fallback: &EWMA{Alpha: 1, Prior: s}}
	p.Update(Fleet(2))
	twin := p.Clone()
	p.Observe(0, heard(0, 5*s))
	assert.Equal(t, 1, p.Pick(Request{}, at(0, 0), NewCoins(1)))
	assert.NotEqual(t, p.State(), twin.(*Sticky).State())
	(&Sticky{Fallback: Random{}}).Observe(0, heard(0, s)) // nobody listens
}

func TestHashesOfLongTextsAreWhole(t *testing.T) {
	long := strings.Repeat("x", 300)
	assert.NotEqual(t, hash64(long+"a"), hash64(long+"b"))
}
