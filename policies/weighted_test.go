package policies

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestWeightedRandomLaw(t *testing.T) {
	for _, weights := range [][]uint64{{1, 2, 4}, {7}, {3, 3, 3}, {1, MaxWeight, 5}} {
		v := &Snapshot{Servers: weighted(weights...)}
		wantLaw(t, fair(weights...), pickLaw(v, Request{}, func() Policy { return &WeightedRandom{} }))
	}
	wantLaw(t, map[int]string{None: "1"}, pickLaw(at(), Request{}, func() Policy { return &WeightedRandom{} }))
}

func TestWeightedLeastRequestLaw(t *testing.T) {
	for _, c := range []struct {
		name    string
		d       int
		weights []uint64
		loads   []float64
		want    map[int]string
	}{
		{"idle: the heaviest", 0, []uint64{1, 3, 2}, []float64{0, 0, 0}, map[int]string{1: "1"}},
		{"3/3 = 1/1 < 4/3", 0, []uint64{1, 3, 3}, []float64{0, 2, 3}, map[int]string{0: "1/2", 1: "1/2"}},
		{"2/3 in three spellings", 0, []uint64{3, 6, 9, 1}, []float64{1, 3, 5, 0}, map[int]string{0: "1/3", 1: "1/3", 2: "1/3"}},
		{"it is not load/weight", 0, []uint64{1, 100}, []float64{0, 1}, map[int]string{1: "1"}},
		// Scores 1, 1/3, 1: server 1 wins two of three pairs.
		{"two of them", 2, []uint64{1, 3, 1}, []float64{0, 0, 0}, map[int]string{1: "2/3", 0: "1/6", 2: "1/6"}},
		{"an unknown load loses", 0, []uint64{1, MaxWeight}, []float64{1000, math.NaN()}, map[int]string{0: "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &Snapshot{Servers: weighted(c.weights...), Loads: c.loads}
			wantLaw(t, c.want, pickLaw(v, Request{}, func() Policy { return WeightedLeastRequest{D: c.d} }))
			wantLaw(t, c.want, pickLaw(v, Request{}, func() Policy { return Least{D: c.d, Of: WeightedLeastRequest{}} }))
		})
	}
}

// Weights are below 2^26: the rule compares quotients as exactly as whole numbers
// do when multiplied out.
func TestWeightedLeastRequestComparesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight, load := rapid.Uint64Range(1, 1<<26-1), rapid.Uint64Range(0, 1<<26-2)
		v := &Snapshot{Servers: weighted(weight.Draw(t, "w0"), weight.Draw(t, "w1"))}
		a, b := load.Draw(t, "load0"), load.Draw(t, "load1")
		if rapid.Bool().Draw(t, "close") { // as near to equal scores as it gets
			b = (a + 1) * v.Servers[1].Weight / v.Servers[0].Weight
		}
		v.Loads = []float64{float64(a), float64(b)}
		left, right := (a+1)*v.Servers[1].Weight, (b+1)*v.Servers[0].Weight
		p := WeightedLeastRequest{}
		s0, s1 := p.Score(v, 0), p.Score(v, 1)
		if (left < right) != (s0 < s1) || (left == right) != (s0 == s1) {
			t.Fatalf("(%d+1)/%d and (%d+1)/%d: scores %g and %g", a, v.Servers[0].Weight, b, v.Servers[1].Weight, s0, s1)
		}
	})
}

func TestWeightedRoundRobinStartsAtARandomTick(t *testing.T) {
	for _, weights := range [][]uint64{{1, 2}, {5, 1, 1}, {4, 6, 2}, {7}, {1, 1, 1}, {10, 10, 30}} {
		v := &Snapshot{Servers: weighted(weights...)}
		fresh := func() Policy { return &WeightedRoundRobin{} }
		wantLaw(t, fair(weights...), pickLaw(v, Request{}, fresh))
		// And so has every later pick, when the start is random.
		third := lawOf(func(c Coins) int {
			p := fresh()
			p.Pick(Request{}, v, c)
			p.Pick(Request{}, v, c)
			return p.Pick(Request{}, v, c)
		})
		for i, want := range fair(weights...) {
			assert.Equal(t, want, third[i].RatString())
		}
	}
}

func TestWeightedRoundRobinFollowsTheTicks(t *testing.T) {
	fleet := Fleet(3)
	fleet[0].Weight, fleet[1].Weight = 3, 2
	v := &Snapshot{Servers: fleet}
	// Ticks at 1/6, 3/6, 5/6 of 0; 1/4, 3/4 of 1; 1/2 of 2. In order:
	// 1/6:0, 1/4:1, 1/2:0, 1/2:2, 3/4:1, 5/6:0.
	p := &WeightedRoundRobin{started: true, time: moment{5 * phases, 6 * phases}, last: 0}
	assert.Equal(t, []ServerID{0, 1, 0, 2, 1, 0, 0, 1, 0, 2}, picks(p, v, nil, 10))
	assert.Equal(t, "2 at 1/2", p.State())
	twin := p.Clone()
	assert.Equal(t, []ServerID{1, 0, 0}, picks(twin, v, nil, 3))
	assert.Equal(t, "2 at 1/2", p.State())
	assert.Equal(t, "fresh", (&WeightedRoundRobin{}).State())
	assert.Equal(t, None, p.Pick(Request{}, at(), nil))
}

func TestWeightedRoundRobinOfEqualWeightsIsRoundRobin(t *testing.T) {
	p := &WeightedRoundRobin{started: true, time: moment{1 * phases, 2 * phases}, last: 1}
	r := &RoundRobin{started: true, last: 1}
	for _, v := range []*Snapshot{at(0, 0, 0, 0), at(0, 0, 0), {Servers: Fleet(6)[2:]}, at(0, 0, 0, 0, 0)} {
		assert.Equal(t, picks(r, v, nil, 7), picks(p, v, nil, 7))
	}
}

func TestWeightedRoundRobinEveryWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := weighted(weightsGen(t)...)
		p, coins := &WeightedRoundRobin{}, NewCoins(rapid.Uint64().Draw(t, "seed"))
		checkWindows(t, picks(p, &Snapshot{Servers: fleet}, coins, 90), fleet)
		// Whoever is left keeps an exact rotation from the first pick on.
		some := slices.DeleteFunc(slices.Clone(fleet), func(Server) bool { return rapid.Bool().Draw(t, "gone") })
		if len(some) > 0 {
			checkWindows(t, picks(p, &Snapshot{Servers: some}, coins, 90), some)
		}
		// New weights hold at once, too.
		for i := range fleet {
			fleet[i].Weight = rapid.Uint64Range(1, 9).Draw(t, "weight")
		}
		p.Update(fleet)
		checkWindows(t, picks(p, &Snapshot{Servers: fleet}, coins, 90), fleet)
	})
}

// New weights at every pick favour nobody: the picks of a server follow the sum
// of its shares a(j) = w(j)/W(j) as its weight grows. Let t(j) be the virtual
// time from pick j-1 to pick j. Up to any pick, the ticks of each of the two
// servers are within 1 of the sum of its w(j)·t(j) (phases go on through a
// change), so the sum of the W(j)·t(j) - 1 is within 2 of 0. As the a(j) grow from
// 0 to 2/3, Abel's summation bounds the sum of the a(j)·(W(j)·t(j) - 1) by
// 2·(2/3 + 2/3), and with the 1 of the server itself the difference is below 3.7;
// 2000 roundings of a phase by 2^-30 are nothing.
func TestWeightedRoundRobinFollowsAGrowingWeight(t *testing.T) {
	for seed := range uint64(20) {
		p, n, want := &WeightedRoundRobin{}, 0.0, 0.0
		coins := NewCoins(seed)
		for k := range 2000 {
			v := &Snapshot{Servers: weighted(1000, uint64(k+1))}
			p.Update(v.Servers)
			n += float64(p.Pick(Request{}, v, coins))
			want += float64(k+1) / float64(1000+k+1)
		}
		assert.InDelta(t, want, n, 3.7)
	}
}

// A fleet that is replaced as a whole, again and again, starts at random again.
func TestWeightedRoundRobinOfNewFleets(t *testing.T) {
	second := lawOf(func(c Coins) int {
		p, fleet := &WeightedRoundRobin{}, weighted(5, 1, 1)
		for range 2 {
			p.Update(fleet)
			p.Pick(Request{}, &Snapshot{Servers: fleet}, c)
			for i := range fleet {
				fleet[i].ID += 100
			}
		}
		p.Update(fleet)
		return p.Pick(Request{}, &Snapshot{Servers: fleet}, c)
	})
	for i, want := range fair(5, 1, 1) {
		assert.Equal(t, want, second[i].RatString())
	}
}

// One survivor is enough to go on from.
func TestWeightedRoundRobinGoesOnWithOneSurvivor(t *testing.T) {
	fleet := weighted(1, 1)
	r := Join(&WeightedRoundRobin{}, fleet).(*WeightedRoundRobin)
	r.Pick(Request{}, &Snapshot{Servers: fleet}, NewCoins(1))
	r.Update([]Server{fleet[1], {ID: 100, Name: "new", Weight: 1}})
	assert.True(t, r.started)
	r.Update([]Server{{ID: 101, Name: "newer", Weight: 1}})
	assert.False(t, r.started)
}

// A clock that gets another weight has as long to wait as before, in units of its
// own; one without a weight, before or after, keeps its phase.
func TestWeightedRoundRobinKeepsThePhase(t *testing.T) {
	for _, c := range []struct {
		from, to    uint64
		phase, want uint64
	}{
		{1, 2, phases / 2, 3 * phases / 4},     // now 1/4 of a turn, 1/4 left; then now is 1/2
		{2, 1, phases * 5 / 8, 3 * phases / 8}, // now 1/2, 1/8 left; then now is 1/4
		{0, 2, phases / 8, phases / 8},
		{2, 0, phases / 8, phases / 8},
	} {
		r := &WeightedRoundRobin{started: true, last: 9, time: moment{1, 4}, clocks: []clock{{3, c.from, c.phase}}}
		r.Update([]Server{{ID: 3, Weight: c.to}})
		assert.Equal(t, []clock{{3, c.to, c.want}}, r.clocks, "from weight %d to %d", c.from, c.to)
	}
}

func TestWeightedRoundRobinClonesItsClocks(t *testing.T) {
	r := &WeightedRoundRobin{started: true, clocks: append(make([]clock, 0, 8), clock{3, 1, 5}, clock{4, 1, 6})}
	twin := r.Clone().(*WeightedRoundRobin)
	r.find(Server{ID: 1, Weight: 1}, 0)
	assert.Len(t, r.clocks, 3)
	assert.Equal(t, []clock{{3, 1, 5}, {4, 1, 6}}, twin.clocks)
}

// A tick at the very end of a unit of time is at the start of the next.
func TestWeightedRoundRobinState(t *testing.T) {
	fleet := weighted(1)
	r := &WeightedRoundRobin{started: true, time: moment{1, 2}, clocks: []clock{{fleet[0].ID, 1, 0}}}
	assert.Equal(t, 0, r.Pick(Request{}, &Snapshot{Servers: fleet}, nil))
	assert.Equal(t, "3 at 0/1 3:0", r.State())
	r.clocks[0].phase = 7
	assert.Equal(t, "3 at 0/1 3:7", r.State())
}

func TestWeightedRoundRobinStandsHugeWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Uint64Range(1<<31, MaxWeight), 2, 6).Draw(t, "weights")
		v := &Snapshot{Servers: weighted(weights...)}
		p, coins := &WeightedRoundRobin{}, NewCoins(rapid.Uint64().Draw(t, "seed"))
		counts := map[ServerID]int{}
		const n = 50
		for _, id := range picks(p, v, coins, n) {
			counts[id]++
		}
		// Ticks of i in a span T number within 1 of w·T; n picks, up to 1 for each
		// of the k servers, span between (n-k)/W and (n+k)/W.
		k := float64(len(weights))
		for i, s := range v.Servers {
			share := float64(weights[i]) / float64(sum(weights))
			if diff := math.Abs(float64(counts[s.ID]) - n*share); diff > 1+k*share {
				t.Fatalf("server %d of weights %v: %d of %d picks, want %g", i, weights, counts[s.ID], n, n*share)
			}
		}
	})
}
