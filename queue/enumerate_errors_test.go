package queue_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// pick is a policy made of one function.
type pick func(policies.View, policies.Coins) int

func (p pick) Pick(_ policies.Request, v policies.View, c policies.Coins) int { return p(v, c) }

func refusal(t *testing.T, p policies.Policy, o ...queue.Option) error {
	t.Helper()
	picks, err := queue.Enumerate(p, policies.Request{}, view(0, 1, 2), o...)
	require.Error(t, err)
	require.Nil(t, picks)
	return err
}

// A policy that draws from a generator of its own. The seed makes the test
// repeat itself; with 200 picks of 3 the two runs differ somewhere.
func TestEnumerateHiddenRandomness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
		if c.IntN(200) < 0 {
			return 0
		}
		return r.IntN(v.Len())
	}))
	var impure *queue.Impure
	require.ErrorAs(t, err, &impure)
	assert.Equal(t, "the pick", impure.What)
	assert.NotEqual(t, impure.First, impure.Second)
	assert.Contains(t, err.Error(), "IntN(200)=")
}

func TestEnumerateHiddenMemory(t *testing.T) {
	t.Run("in the pick", func(t *testing.T) {
		counter := 0
		err := refusal(t, pick(func(v policies.View, _ policies.Coins) int {
			counter++
			return counter % v.Len()
		}))
		assert.EqualError(t, err, "policy is not a function of its view, state and coins: before any coin, the pick was 1 in one run and 2 in the next")
	})
	// Constant over a leaf and its replay, so that only the first leaf, repeated
	// in the end, can tell.
	t.Run("slower than the replay", func(t *testing.T) {
		calls := 0
		err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
			c.IntN(2)
			calls++
			if calls <= 4 {
				return 0
			}
			return 1
		}))
		var impure *queue.Impure
		require.ErrorAs(t, err, &impure)
		assert.Equal(t, []queue.Toss{{N: 2, Outcome: 0}}, impure.Tosses)
	})
	t.Run("in the coins", func(t *testing.T) {
		calls := 0
		err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
			calls++
			return c.IntN(1 + calls%2)
		}))
		assert.ErrorContains(t, err, "coin 1 was IntN(2) in one run and IntN(1) in the next")
	})
	t.Run("in the kind of coin", func(t *testing.T) {
		calls := 0
		err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
			if calls++; calls%2 == 1 {
				return c.Weighted([]uint64{1, 1})
			}
			return c.IntN(2)
		}))
		assert.ErrorContains(t, err, "coin 1 was Weighted([1 1]) in one run and IntN(2) in the next")
	})
	for _, grows := range []bool{true, false} {
		t.Run(fmt.Sprint("in the number of coins, growing ", grows), func(t *testing.T) {
			calls := 0
			err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
				if calls++; (calls%2 == 0) == grows {
					c.IntN(2)
				}
				return 0
			}))
			assert.ErrorContains(t, err, "the number of coins")
		})
	}
	t.Run("in the reads", func(t *testing.T) {
		calls := 0
		err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
			if calls++; calls == 2 {
				v.Load(0)
			}
			return 0
		}))
		assert.ErrorContains(t, err, "the number of loads read was 0 in one run and 1 in the next")
	})
	t.Run("in a shallow clone", func(t *testing.T) {
		turns := []int{0}
		var impure *queue.Impure
		require.ErrorAs(t, refusal(t, shallow{turns}), &impure)
	})
	t.Run("in the state of the original", func(t *testing.T) {
		turns := []int{0}
		err := refusal(t, noted{shallow{turns}})
		assert.ErrorContains(t, err, "the state of the original")
	})
	t.Run("in the state of a successor", func(t *testing.T) {
		assert.ErrorContains(t, refusal(t, &moody{}, queue.Successors()), "the state after the pick")
	})
}

// shallow is a rotation whose clones share its memory.
type shallow struct{ turns []int }

func (s shallow) Pick(_ policies.Request, v policies.View, _ policies.Coins) int {
	s.turns[0]++
	return s.turns[0] % v.Len()
}
func (s shallow) Clone() policies.Policy { return shallow{s.turns} }
func (s shallow) State() string          { return fmt.Sprint(s.turns[0]) }

// noted shares its memory too, but it has not mattered yet.
type noted struct{ shallow }

func (s noted) Pick(policies.Request, policies.View, policies.Coins) int { s.turns[0]++; return 0 }
func (s noted) Clone() policies.Policy                                   { return noted{s.shallow} }

// moody describes itself differently every time.
type moody struct{ asked *int }

func (m *moody) Pick(policies.Request, policies.View, policies.Coins) int { return 0 }
func (m *moody) Clone() policies.Policy {
	if m.asked == nil {
		m.asked = new(int)
	}
	return &moody{m.asked}
}
func (m *moody) State() string {
	if m.asked == nil {
		return "new"
	}
	*m.asked++
	return fmt.Sprint(*m.asked)
}

func TestEnumerateOutOfRange(t *testing.T) {
	for _, i := range []int{3, -2, 1 << 40} {
		err := refusal(t, pick(func(policies.View, policies.Coins) int { return i }))
		var out *queue.OutOfRange
		require.ErrorAs(t, err, &out)
		assert.Equal(t, queue.OutOfRange{Op: "Pick", Index: i, Len: 3, Tosses: []queue.Toss{}}, *out)
		assert.EqualError(t, err, fmt.Sprintf("policy picked server %d, want an index from 0 to 2 before any coin", i))
	}
	err := refusal(t, pick(func(v policies.View, c policies.Coins) int { v.Load(c.IntN(v.Len() + 1)); return 0 }))
	assert.EqualError(t, err, "policy asked View.Load for server 3, want an index from 0 to 2 after IntN(4)=3")
	err = refusal(t, pick(func(v policies.View, c policies.Coins) int {
		defer func() { _ = recover() }() // what was seen cannot be hidden
		v.Server(-1)
		return 0
	}))
	assert.ErrorContains(t, err, "asked View.Server for server -1")

	_, err = queue.Enumerate(pick(func(policies.View, policies.Coins) int { return 0 }), policies.Request{}, view())
	assert.EqualError(t, err, "policy picked server 0 of none before any coin")
}

func TestEnumeratePanics(t *testing.T) {
	cause := errors.New("out of luck")
	err := refusal(t, pick(func(v policies.View, c policies.Coins) int {
		if c.Weighted([]uint64{0, 2, 5}) == 2 {
			panic(cause)
		}
		return 0
	}))
	var panicked *queue.Panicked
	require.ErrorAs(t, err, &panicked)
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, []queue.Toss{{Weights: []uint64{0, 2, 5}, Outcome: 2}}, panicked.Tosses)
	assert.Contains(t, string(panicked.Stack), "TestEnumeratePanics")
	assert.EqualError(t, err, "policy panicked after Weighted([0 2 5])=2: out of luck")

	_, err = queue.Enumerate(policies.PowerOfD{}, policies.Request{}, view(1))
	assert.ErrorContains(t, err, "PowerOfD.D is 0")
	_, err = queue.Enumerate(broken{}, policies.Request{}, view(1))
	assert.ErrorContains(t, err, "no state")
}

// broken panics when it is asked for its state.
type broken struct{ policies.Random }

func (b broken) Clone() policies.Policy { return b }
func (broken) State() string            { panic("no state") }

func TestEnumerateBadCoins(t *testing.T) {
	for want, toss := range map[string]func(policies.Coins) int{
		"policy called IntN(0) before any coin: the bound must be at least 1":                                  func(c policies.Coins) int { return c.IntN(0) },
		"policy called Weighted([0 0]) before any coin: no weight is positive":                                 func(c policies.Coins) int { return c.Weighted([]uint64{0, 0}) },
		"policy called Weighted([]) before any coin: no weight is positive":                                    func(c policies.Coins) int { return c.Weighted(nil) },
		"policy called Weighted([18446744073709551615 1]) before any coin: the weights add up to 2^64 or more": func(c policies.Coins) int { return c.Weighted([]uint64{1<<64 - 1, 1}) },
	} {
		err := refusal(t, pick(func(_ policies.View, c policies.Coins) int { return toss(c) }))
		var bad *queue.BadCoin
		require.ErrorAs(t, err, &bad)
		assert.EqualError(t, err, want)
	}
}

func TestEnumerateTooManyLeaves(t *testing.T) {
	wide := pick(func(v policies.View, c policies.Coins) int { return c.IntN(10) / 5 })
	err := refusal(t, wide, queue.MaxLeaves(4))
	var many *queue.TooManyLeaves
	require.ErrorAs(t, err, &many)
	assert.Equal(t, 4, many.Limit)
	assert.Equal(t, "2/5", many.Tried.RatString())
	_, err = queue.Enumerate(wide, policies.Request{}, view(0, 1), queue.MaxLeaves(10))
	assert.NoError(t, err, "as many leaves as the limit are allowed")
}

// showing shows one load at server 1, whatever it is. A Snapshot would take NaN
// for an unknown one.
type showing struct {
	policies.View
	load float64
}

func (s showing) Load(i int) (float64, bool) {
	if i == 1 {
		return s.load, true
	}
	return s.View.Load(i)
}

// What a view must not show is said of the view, not made into a law: the server,
// its name and the load. A load that nobody reads does no harm.
func TestEnumerateBadLoad(t *testing.T) {
	for text, load := range map[string]float64{"NaN": math.NaN(), "-1": -1, "+Inf": math.Inf(1), "-Inf": math.Inf(-1)} {
		for _, p := range []policies.Policy{policies.LeastRequest{}, policies.PowerOfD{D: 2}} {
			picks, err := queue.Enumerate(p, policies.Request{}, showing{view(0, 1, 2), load})
			assert.Nil(t, picks)
			var bad *queue.BadLoad
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, 1, bad.Index)
			assert.EqualError(t, err, fmt.Sprintf("view shows a load of %s at server 1 (%q), want a finite number that is not negative", text, "s1"))
		}
		_, err := queue.Enumerate(policies.Random{}, policies.Request{}, showing{view(0, 1, 2), load})
		assert.NoError(t, err, "not read")
	}
	// Even when the policy swallows the panic that ends its run.
	_, err := queue.Enumerate(pick(func(v policies.View, _ policies.Coins) int {
		defer func() { _ = recover() }()
		v.Load(1)
		return 0
	}), policies.Request{}, showing{view(0, 1, 2), -1})
	assert.ErrorAs(t, err, new(*queue.BadLoad))
}

func TestEnumerateNothing(t *testing.T) {
	picks, err := queue.Enumerate(nil, policies.Request{}, view(0, 1))
	assert.Nil(t, picks)
	assert.EqualError(t, err, "queue: Enumerate of no policy, want one that is not nil")
	picks, err = queue.Enumerate(policies.Random{}, policies.Request{}, nil)
	assert.Nil(t, picks)
	assert.EqualError(t, err, "queue: Enumerate at no view, want one that is not nil")
	// Nil pointers inside of an interface panic when they are used.
	_, err = queue.Enumerate(policies.Random{}, policies.Request{}, (*policies.Snapshot)(nil))
	assert.ErrorAs(t, err, new(*queue.Panicked))
	_, err = queue.Enumerate((*policies.RoundRobin)(nil), policies.Request{}, view(0, 1))
	assert.ErrorAs(t, err, new(*queue.Panicked))
}
