package queue_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// view shows servers of equal weight with these loads.
func view(loads ...float64) *policies.Snapshot {
	return &policies.Snapshot{Servers: policies.Fleet(len(loads)), Loads: loads}
}

// law enumerates and writes the probabilities as words.
func law(t *testing.T, p policies.Policy, v policies.View, o ...queue.Option) []string {
	t.Helper()
	picks, err := queue.Enumerate(p, policies.Request{Key: "k"}, v, o...)
	require.NoError(t, err)
	words := make([]string, len(picks.P))
	for i, x := range picks.P {
		words[i] = x.RatString()
	}
	assert.Zero(t, picks.Cut.Sign())
	assert.Zero(t, picks.None.Sign())
	return words
}

// The expected laws are counted by hand, in the comments.
func TestEnumerateKnownLaws(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy policies.Policy
		loads  []float64
		want   []string
	}{
		{"random", policies.Random{}, []float64{5, 0, 2}, []string{"1/3", "1/3", "1/3"}},
		// Of the 3 pairs, {0,1} and {0,2} are won by 0, {1,2} by 1.
		{"two distinct of three", policies.PowerOfD{D: 2}, []float64{0, 1, 2}, []string{"2/3", "1/3", "0"}},
		// Of the 9 ordered pairs, 5 hold a 0; of the other 4, 3 hold a 1.
		{"two of three with replacement", policies.PowerOfD{D: 2, Replacement: true}, []float64{0, 1, 2}, []string{"5/9", "1/3", "1/9"}},
		// {0,2}, {1,2} are won by 2; {0,1} is a fair tie.
		{"tie", policies.PowerOfD{D: 2}, []float64{1, 1, 0}, []string{"1/6", "1/6", "2/3"}},
		// Ordered pairs: 5 hold 2; (0,0), (1,1), (0,1), (1,0): 2 for each.
		{"tie with replacement", policies.PowerOfD{D: 2, Replacement: true}, []float64{1, 1, 0}, []string{"2/9", "2/9", "5/9"}},
		// Of the 10 triples of five, the best of a triple: C(4,2), C(3,2), C(2,2).
		{"three of five", policies.PowerOfD{D: 3}, []float64{4, 3, 2, 1, 0}, []string{"0", "0", "1/10", "3/10", "3/5"}},
		{"all of three", policies.PowerOfD{D: 7}, []float64{4, 2, 3}, []string{"0", "1", "0"}},
		{"one of two", policies.PowerOfD{D: 1}, []float64{4, 2}, []string{"1/2", "1/2"}},
		{"least request", policies.LeastRequest{}, []float64{3, 1, 2, 1, 1}, []string{"0", "1/3", "0", "1/3", "1/3"}},
		{"one server", policies.PowerOfD{D: 2}, []float64{9}, []string{"1"}},
		{"fresh rotation", &policies.RoundRobin{}, []float64{1, 2, 3, 4}, []string{"1/4", "1/4", "1/4", "1/4"}},
		{"weighted coin", weighted{}, []float64{1, 0, 3}, []string{"1/4", "0", "3/4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, law(t, c.policy, view(c.loads...)))
		})
	}
}

// weighted picks a server in proportion to its load.
type weighted struct{}

func (weighted) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	w := make([]uint64, v.Len())
	for i := range w {
		load, _ := v.Load(i)
		w[i] = uint64(load)
	}
	return c.Weighted(w)
}

// Probabilities that need more than 64 bits are exact too: three coins of
// weights 1 and 2^40 make a denominator of (2^40+1)^3.
func TestEnumerateWideProbabilities(t *testing.T) {
	p := pick(func(v policies.View, c policies.Coins) int {
		heads := 0
		for range 3 {
			heads += c.Weighted([]uint64{1 << 40, 1})
		}
		return heads
	})
	den := new(big.Int).Exp(big.NewInt(1<<40+1), big.NewInt(3), nil)
	w := big.NewInt(1 << 40)
	want := []string{}
	for heads, ways := range []int64{1, 3, 3, 1} { // binomial(3, heads)
		num := new(big.Int).Exp(w, big.NewInt(int64(3-heads)), nil)
		want = append(want, new(big.Rat).SetFrac(num.Mul(num, big.NewInt(ways)), den).RatString())
	}
	assert.Equal(t, want, law(t, p, view(0, 0, 0, 0), queue.MinMass(0)))
}

func TestEnumerateCountsLeavesAndReads(t *testing.T) {
	picks, err := queue.Enumerate(policies.PowerOfD{D: 2}, policies.Request{}, view(make([]float64, 100)...))
	require.NoError(t, err)
	assert.Equal(t, 100*99, picks.Leaves)
	assert.Equal(t, 2, picks.MaxReads)
	for _, x := range picks.P {
		assert.Equal(t, "1/100", x.RatString())
	}
	picks, err = queue.Enumerate(weighted{}, policies.Request{}, view(1, 0, 3, 0))
	require.NoError(t, err)
	assert.Equal(t, 2, picks.Leaves, "outcomes of weight zero are no leaves")
	picks, err = queue.Enumerate(policies.LeastRequest{}, policies.Request{}, view(1, 0, 0))
	require.NoError(t, err)
	assert.Equal(t, 2, picks.Leaves)
	assert.Equal(t, 3, picks.MaxReads)
}

func TestEnumerateKeepsTheOriginalAndFindsSuccessors(t *testing.T) {
	v := view(0, 0, 0)
	r := &policies.RoundRobin{}
	fresh := r.State()
	picks, err := queue.Enumerate(r, policies.Request{}, v, queue.Successors())
	require.NoError(t, err)
	assert.Equal(t, fresh, r.State())
	require.Len(t, picks.Successors, 3)
	for i, s := range picks.Successors {
		assert.Equal(t, i, s.Pick)
		assert.Equal(t, fmt.Sprint(i), s.State)
		assert.Equal(t, s.State, s.Policy.(policies.Stateful).State())
		assert.Equal(t, "1/3", s.P.RatString())
		next, err := queue.Enumerate(s.Policy, policies.Request{}, v, queue.Successors())
		require.NoError(t, err)
		require.Len(t, next.Successors, 1)
		assert.Equal(t, (i+1)%3, next.Successors[0].Pick)
		assert.Equal(t, "1", next.P[(i+1)%3].RatString())
	}

	picks, err = queue.Enumerate(policies.PowerOfD{D: 2}, policies.Request{}, view(0, 1, 2), queue.Successors())
	require.NoError(t, err)
	require.Len(t, picks.Successors, 2, "a policy without memory has one successor for each pick")
	assert.Equal(t, "2/3", picks.Successors[0].P.RatString())
}

func TestEnumeratePeakEWMA(t *testing.T) {
	p := &policies.PeakEWMA{Tau: time.Second, Prior: time.Second}
	v := view(0, 0, 1)
	assert.Equal(t, []string{"1/2", "1/2", "0"}, law(t, p, v))
	p.Observe(0, policies.Outcome{Latency: 10 * time.Second})
	assert.Equal(t, []string{"0", "1", "0"}, law(t, p, v)) // scores 10, 1, 2
	p.D = 2
	assert.Equal(t, []string{"0", "2/3", "1/3"}, law(t, p, v)) // 2 wins {0,2} only
}

func TestEnumerateRing(t *testing.T) {
	v := view(0, 0, 0)
	p := policies.Join(&policies.Ring{Points: 50}, v.Servers)
	for k := range 20 {
		q := policies.Request{Key: fmt.Sprint(k)}
		picks, err := queue.Enumerate(p, q, v)
		require.NoError(t, err)
		assert.Equal(t, 1, picks.Leaves)
		assert.Equal(t, 0, picks.MaxReads)
		assert.Equal(t, "1", picks.P[p.Pick(q, v, nil)].RatString())
	}
}

// Every policy answers for fleets of none and one.
func TestEnumerateTinyFleets(t *testing.T) {
	for _, p := range []policies.Policy{
		policies.Random{}, policies.LeastRequest{}, policies.PowerOfD{D: 2}, policies.PowerOfD{D: 2, Replacement: true},
		&policies.RoundRobin{}, &policies.PeakEWMA{Tau: 1, Prior: 1},
	} {
		none, err := queue.Enumerate(p, policies.Request{}, view())
		require.NoError(t, err)
		assert.Equal(t, "1", none.None.RatString(), "%T", p)
		assert.Empty(t, none.P)
		assert.Equal(t, []string{"1"}, law(t, p, view(3)), "%T", p)
	}
}

// redraw is two choices that draw the second until it differs from the first,
// with no end in sight.
type redraw struct{}

func (redraw) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	a, b := c.IntN(v.Len()), 0
	for b = c.IntN(v.Len()); b == a; {
		b = c.IntN(v.Len())
	}
	la, _ := v.Load(a)
	if lb, _ := v.Load(b); lb < la {
		return b
	}
	return a
}

// A branch still undecided after depth coins has drawn its first server again
// depth-1 times, so n^-(depth-1) is the mass left over. The law of distinct
// choices lies in the interval.
func TestEnumerateRejectionLoop(t *testing.T) {
	for _, depth := range []int{2, 3, 7} {
		picks, err := queue.Enumerate(redraw{}, policies.Request{}, view(0, 1, 2), queue.MaxDepth(depth))
		require.NoError(t, err)
		left := new(big.Rat).SetFrac64(1, 1)
		for range depth - 1 {
			left.Mul(left, big.NewRat(1, 3))
		}
		assert.Equal(t, left.RatString(), picks.Cut.RatString())
		for i, want := range []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3), new(big.Rat)} {
			assert.LessOrEqual(t, picks.P[i].Cmp(want), 0)
			assert.GreaterOrEqual(t, new(big.Rat).Add(picks.P[i], picks.Cut).Cmp(want), 0)
		}
	}
	// Below a mass of 1/20 no third coin is thrown: paths have 1/3, 1/9, 1/27.
	picks, err := queue.Enumerate(redraw{}, policies.Request{}, view(0, 1, 2), queue.MinMass(0.05))
	require.NoError(t, err)
	assert.Equal(t, "1/9", picks.Cut.RatString(), "three branches of 1/27 ask for a fourth coin")

	// A branch of exactly that mass still throws.
	heads := pick(func(_ policies.View, c policies.Coins) int {
		for c.IntN(2) == 0 {
		}
		return 0
	})
	picks, err = queue.Enumerate(heads, policies.Request{}, view(0), queue.MinMass(0.25))
	require.NoError(t, err)
	assert.Equal(t, "1/8", picks.Cut.RatString())

	// With the default limits, at 2^-64 or 64 coins, one coin in two: exact width.
	picks, err = queue.Enumerate(heads, policies.Request{}, view(0))
	require.NoError(t, err)
	assert.Equal(t, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64)).RatString(), picks.Cut.RatString())
	assert.Equal(t, 65, picks.Leaves)
}

func TestEnumerateSumsToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.Float64Range(0, 4), 0, 6).Draw(t, "loads")
		for i := range loads {
			loads[i] = float64(int(loads[i]))
		}
		d := rapid.IntRange(1, 4).Draw(t, "d")
		p := rapid.SampledFrom([]policies.Policy{
			policies.Random{}, policies.LeastRequest{}, &policies.RoundRobin{}, policies.PowerOfD{D: d},
			policies.PowerOfD{D: d, Replacement: true}, &policies.PeakEWMA{D: d, Tau: 1, Prior: 1}, lossy{},
		}).Draw(t, "policy")
		depth := rapid.IntRange(0, 5).Draw(t, "depth")
		picks, err := queue.Enumerate(p, policies.Request{}, view(loads...), queue.MaxDepth(depth), queue.Successors())
		require.NoError(t, err)
		total := new(big.Rat).Add(picks.None, picks.Cut)
		for _, x := range picks.P {
			total.Add(total, x)
		}
		assert.Equal(t, "1", total.RatString())
		total.Set(picks.Cut)
		for _, s := range picks.Successors {
			total.Add(total, s.P)
		}
		assert.Equal(t, "1", total.RatString())
	})
}

// lossy picks none, or rejects until it accepts.
type lossy struct{}

func (lossy) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	if v.Len() == 0 || c.Weighted([]uint64{3, 0, 1}) == 2 {
		return policies.None
	}
	i := c.IntN(v.Len())
	for c.IntN(3) == 0 {
		i = c.IntN(v.Len())
	}
	return i
}

// Reversing the fleet reverses the law.
func TestEnumeratePermutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 2, 3}), 1, 5).Draw(t, "loads")
		d := rapid.IntRange(1, 3).Draw(t, "d")
		p := policies.PowerOfD{D: d, Replacement: rapid.Bool().Draw(t, "replacement")}
		a, err := queue.Enumerate(p, policies.Request{}, view(loads...))
		require.NoError(t, err)
		slices.Reverse(loads)
		b, err := queue.Enumerate(p, policies.Request{}, view(loads...))
		require.NoError(t, err)
		slices.Reverse(b.P)
		for i := range a.P {
			assert.Zero(t, a.P[i].Cmp(b.P[i]))
		}
	})
}
