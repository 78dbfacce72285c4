package policies

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// fair is the law in proportion to the weights.
func fair(weights ...uint64) map[int]string {
	law := map[int]string{}
	for i, w := range weights {
		if w > 0 {
			law[i] = big.NewRat(int64(w), int64(sum(weights))).RatString()
		}
	}
	return law
}

// phase is coins for a rotation that show one fixed phase.
type phase int

func (p phase) IntN(int) int          { return int(p) }
func (p phase) Weighted([]uint64) int { return int(p) }

func TestSmoothWeightedFollowsItsRule(t *testing.T) {
	// Worked out on paper with credits; the first two are the examples that nginx
	// describes the rule by, and both are among the published sequences (R1).
	for _, c := range []struct {
		weights []uint64
		want    []ServerID
	}{
		{[]uint64{5, 1, 1}, []ServerID{0, 0, 1, 0, 2, 0, 0}},
		{[]uint64{3, 2, 1}, []ServerID{0, 1, 0, 2, 1, 0}},
		{[]uint64{1, 1, 1}, []ServerID{0, 1, 2, 0, 1, 2}},
	} {
		fleet := Fleet(len(c.weights))
		for i, w := range c.weights {
			fleet[i].Weight = w
		}
		p := Join(&SmoothWeighted{}, fleet)
		assert.Equal(t, c.want, picks(p, &Snapshot{Servers: fleet}, phase(0), len(c.want)))
	}
}

func TestSmoothWeightedStartsAtARandomPhase(t *testing.T) {
	for _, weights := range [][]uint64{{5, 1, 1}, {3, 2, 1}, {4, 6, 2}, {7}, {1, 1, 1}, {1, MaxWeight - 1}, {MaxWeight, 7, MaxWeight}} {
		fleet := weighted(weights...)
		fresh := func() Policy { return Join(&SmoothWeighted{}, fleet) }
		wantLaw(t, fair(weights...), pickLaw(&Snapshot{Servers: fleet}, Request{}, fresh))
	}
}

// weightsGen draws a few small weights.
// thrown tells which coin was thrown.
type thrown struct{ n, weighted int }

func (c *thrown) IntN(n int) int                { c.n = n; return 0 }
func (c *thrown) Weighted(weights []uint64) int { c.weighted = len(weights); return 0 }

// The walk to a random phase touches 2^20 credits at most; a longer cycle starts
// with one coin.
func TestSmoothWeightedDoesNotWalkFar(t *testing.T) {
	for _, c := range []struct {
		weights []uint64
		want    thrown
	}{
		{[]uint64{1<<19 - 1, 1}, thrown{n: 1 << 19}},
		{[]uint64{3<<19 - 3, 3}, thrown{n: 1 << 19}},
		{[]uint64{1 << 19, 1}, thrown{weighted: 2}},
		{[]uint64{3 << 19, 3}, thrown{weighted: 2}},
		{[]uint64{1<<20 - 6, 2, 2, 2}, thrown{weighted: 4}},
	} {
		var coins thrown
		new(SmoothWeighted).Pick(Request{}, &Snapshot{Servers: weighted(c.weights...)}, &coins)
		assert.Equal(t, c.want, coins, "%v", c.weights)
	}
}

func weightsGen(t *rapid.T) []uint64 {
	return rapid.SliceOfN(rapid.Uint64Range(1, 7), 1, 5).Draw(t, "weights")
}

// checkWindows says which window of sum/gcd picks in a row has wrong counts.
func checkWindows(t *rapid.T, got []ServerID, fleet []Server) {
	weights := weightsOf(&Snapshot{Servers: fleet})
	g := gcd(weights)
	period := int(sum(weights) / g)
	for from := 0; from+period <= len(got); from++ {
		for i, s := range fleet {
			n := 0
			for _, id := range got[from : from+period] {
				if id == s.ID {
					n++
				}
			}
			if n != int(weights[i]/g) {
				t.Fatalf("weights %v: picks %d to %d, %v, contain %d %d times, want %d",
					weights, from, from+period-1, got[from:from+period], s.ID, n, weights[i]/g)
			}
		}
	}
}

func TestSmoothWeightedEveryWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := weighted(weightsGen(t)...)
		p := Join(&SmoothWeighted{}, fleet)
		coins := NewCoins(rapid.Uint64().Draw(t, "seed"))
		checkWindows(t, picks(p, &Snapshot{Servers: fleet}, coins, 90), fleet)
	})
}

// Servers come and go for a few picks at a time, and each one that takes part gets
// its share of the picks. Every credit is above -1 pick after it is settled (the
// largest is above 0 before), and all n add up to 0: so each stays between -1 and
// n-1 picks, and a count is less than n from the sum of the shares. Rescaling
// moves a credit by half of 1/1024 of a weight at most, less than 0.001 picks.
func TestSmoothWeightedWithoutSome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := weighted(rapid.SliceOfN(rapid.SampledFrom([]uint64{1, 2, 3, 50, 1000}), 2, 5).Draw(t, "weights")...)
		p, coins := Join(&SmoothWeighted{}, fleet), NewCoins(rapid.Uint64().Draw(t, "seed"))
		counts, shares := map[ServerID]float64{}, map[ServerID]float64{}
		phases := rapid.IntRange(1, 12).Draw(t, "phases")
		for range phases {
			some := slices.DeleteFunc(slices.Clone(fleet), func(Server) bool { return rapid.Bool().Draw(t, "gone") })
			if len(some) == 0 {
				continue
			}
			v := &Snapshot{Servers: some}
			n := rapid.SampledFrom([]int{1, 2, 30}).Draw(t, "picks")
			for _, id := range picks(p, v, coins, n) {
				counts[id]++
			}
			for _, s := range some {
				shares[s.ID] += float64(n) * float64(s.Weight) / float64(sum(weightsOf(v)))
			}
		}
		for _, s := range fleet {
			if diff := counts[s.ID] - shares[s.ID]; math.Abs(diff) >= float64(len(fleet))+0.001*float64(phases) {
				t.Fatalf("fleet %v: %d got %g picks, its shares add up to %g", fleet, s.ID, counts[s.ID], shares[s.ID])
			}
		}
	})
}

func TestSmoothWeightedCreditsAddUpToNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ids := &SmoothWeighted{}, ServerID(0)
		var fleet []Server
		for range rapid.IntRange(1, 8).Draw(t, "updates") {
			fleet = slices.DeleteFunc(fleet, func(Server) bool { return rapid.Bool().Draw(t, "leaves") })
			for i := range fleet {
				fleet[i].Weight = rapid.Uint64Range(1, MaxWeight).Draw(t, "weight")
			}
			for range rapid.IntRange(0, 3).Draw(t, "newcomers") {
				fleet = append(fleet, Server{ID: ids, Name: fmt.Sprint(ids), Weight: rapid.Uint64Range(1, 9).Draw(t, "weight")})
				ids++
			}
			if len(fleet) == 0 {
				continue
			}
			p.Update(fleet)
			picks(p, &Snapshot{Servers: fleet}, NewCoins(1), rapid.IntRange(0, 9).Draw(t, "picks"))
			total := int64(0)
			for _, c := range p.credits {
				total += c.value
			}
			if total != 0 || len(p.credits) != len(fleet) {
				t.Fatalf("credits %v of fleet %v", p.credits, fleet)
			}
		}
	})
}

// A weight that grows with every pick: the picks of a server follow the sum of
// its shares. With two servers a credit is always less than one pick either way,
// at the start and at the end, so the difference is below 2, and 1000 roundings by
// half a unit of more than 1024·1000 units a pick add less than 0.001.
// An excess is taken from all of them, as evenly as whole numbers can be.
func TestSmoothWeightedSpreadsTheExcess(t *testing.T) {
	s := &SmoothWeighted{credits: []credit{{0, 10}, {1, 0}, {2, 1}, {3, 0}}}
	s.settle()
	assert.Equal(t, []credit{{0, 8}, {1, -3}, {2, -2}, {3, -3}}, s.credits) // 11 = 2 + 3 + 3 + 3
	s.credits[0].value -= 5
	s.settle()
	assert.Equal(t, []credit{{0, 4}, {1, -2}, {2, -1}, {3, -1}}, s.credits) // -5 = -1 - 1 - 1 - 2
}

func TestSmoothWeightedFollowsAGrowingWeight(t *testing.T) {
	p, n, want := &SmoothWeighted{}, 0.0, 0.0
	coins := NewCoins(1)
	for k := range uint64(1000) {
		fleet := weighted(1000, k+1)
		p.Update(fleet)
		n += float64(p.Pick(Request{}, &Snapshot{Servers: fleet}, coins))
		want += float64(k+1) / float64(1000+k+1)
	}
	assert.InDelta(t, want, n, 2.001)
}

// New weights rule at once: from 300:100 to 1:1, the old credits are less than one
// pick, so of 20 picks each server gets 10, give or take 2.
func TestSmoothWeightedRescalesItsCredits(t *testing.T) {
	for start := range 4 {
		p := Join(&SmoothWeighted{}, weighted(300, 100))
		picks(p, &Snapshot{Servers: weighted(300, 100)}, phase(start), 5)
		p.(*SmoothWeighted).Update(weighted(1, 1))
		n := 0
		for _, id := range picks(p, &Snapshot{Servers: weighted(1, 1)}, nil, 20) {
			if id == 3 {
				n++
			}
		}
		assert.InDelta(t, 10, n, 2)
	}
}

func TestSmoothWeightedState(t *testing.T) {
	fleet := weighted(3, 1)
	p := Join(&SmoothWeighted{}, fleet).(*SmoothWeighted)
	twin := p.Clone().(*SmoothWeighted)
	assert.Equal(t, "fresh", p.State())
	v := &Snapshot{Servers: fleet}
	picks(p, v, phase(0), 1)
	assert.Equal(t, "4096 3:-1024 13:1024", p.State())
	assert.Equal(t, "fresh", twin.State())
	picks(p, v, phase(0), 3)
	assert.Equal(t, "4096", p.State(), "the cycle is closed")
	assert.Equal(t, None, p.Pick(Request{}, &Snapshot{}, nil))
}
