package policies

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// end makes a request to a server end: the only one eligible of those named.
func end(t require.TestingT, b *Balancer, name string, failed bool) {
	var q Request
	for _, m := range b.members {
		if m.Name != name {
			q.Tried = append(q.Tried, m.ID)
		}
	}
	lease, err := b.Acquire(background, q)
	require.NoError(t, err)
	require.Equal(t, name, lease.Server().Name)
	require.NoError(t, lease.Release(Outcome{Failed: failed}))
}

func fails(t require.TestingT, b *Balancer, name string, times int) {
	for range times {
		end(t, b, name, true)
	}
}

func eligible(b *Balancer) string {
	names := ""
	for _, server := range b.Snapshot().Servers {
		names += server.Name
	}
	return names
}

func TestFailuresInARowEject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"), WithOutlier(strict))
		fails(t, b, "a", 2)
		end(t, b, "a", false) // not in a row
		fails(t, b, "a", 2)
		assert.Equal(t, "abc", eligible(b))
		fails(t, b, "a", 1)
		assert.Equal(t, "bc", eligible(b))
		assert.Equal(t, []string{"a"}, b.Ejected())

		time.Sleep(10*s - 1)
		assert.Equal(t, "bc", eligible(b))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "abc", eligible(b), "back after 10 s")
		fails(t, b, "a", 2)
		assert.Equal(t, "abc", eligible(b), "with a clean slate")
	})
}

func TestACancellationIsNoFailure(t *testing.T) {
	b := mustBalancer(t, Random{}, Endpoints("a", "b"), WithOutlier(strict))
	for range 20 {
		ctx, cancel := context.WithCancel(background)
		err := b.Do(ctx, Request{}, func(ctx context.Context, _ Server) error { cancel(); return ctx.Err() })
		assert.ErrorIs(t, err, context.Canceled)
	}
	assert.Empty(t, b.Ejected())
}

func TestBackoffGrowsAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b"), WithOutlier(strict))
		away := func() time.Duration {
			fails(t, b, "a", 3)
			from := time.Now()
			for len(b.Ejected()) > 0 {
				time.Sleep(s)
			}
			return time.Since(from)
		}
		assert.Equal(t, []time.Duration{10 * s, 20 * s, 30 * s}, []time.Duration{away(), away(), away()})
		time.Sleep(100 * s) // one healthy interval
		assert.Equal(t, 30*s, away(), "the fourth ejection, one made good")
		time.Sleep(199 * s)
		assert.Equal(t, 30*s, away())
		time.Sleep(1000 * s)
		assert.Equal(t, 10*s, away(), "all made good")
		for range 9 {
			away()
		}
		assert.Equal(t, 60*s, away(), "the longest")
	})
}

func TestLeasesFromBeforeAnEjectionDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b"), WithOutlier(strict))
		var old []*Lease
		for range 12 {
			if lease := acquire(t, b); lease.Server().Name == "a" {
				old = append(old, lease)
			}
		}
		for _, lease := range old { // six failures: the first three eject
			require.NoError(t, lease.Release(Outcome{Failed: true}))
		}
		time.Sleep(10 * s)
		assert.Equal(t, "ab", eligible(b), "one ejection, no more")
		assert.Equal(t, map[string]int{"a": 0, "b": 6}, b.InFlight())
	})
}

func TestTheCapHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.MaxEjected = 50
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c", "d", "e"), WithOutlier(o))
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			fails(t, b, name, 3)
		}
		assert.Equal(t, "cde", eligible(b), "50% of five are two")
		fails(t, b, "d", 5)
		assert.Equal(t, "cde", eligible(b))
		require.NoError(t, b.Update(Endpoints("b", "c", "d", "e")))
		assert.Equal(t, "cde", eligible(b), "an ejected server has left; it is not counted any more")
		fails(t, b, "d", 1)
		assert.Equal(t, "ce", eligible(b))
		time.Sleep(10 * s)
		assert.Equal(t, "bcde", eligible(b))
	})
}

// The cap is a share of those that take requests.
func TestTheCapIsOfThoseWithAWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.MaxEjected = 50
		b := mustBalancer(t, LeastRequest{}, []Endpoint{{"a", 1}, {"b", 1}, {"c", 1}, {"x", 0}}, WithOutlier(o))
		fails(t, b, "a", 3)
		fails(t, b, "b", 3)
		assert.Equal(t, "bc", eligible(b), "half of three is one, half of four would be two")
	})
}

func TestPanicIgnoresEjections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.Panic = 50
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"), WithOutlier(o))
		fails(t, b, "a", 3)
		assert.Equal(t, "bc", eligible(b))
		fails(t, b, "b", 3)
		assert.Equal(t, "abc", eligible(b), "only one of three is left")
		assert.Equal(t, []string{"a", "b"}, b.Ejected())
		time.Sleep(10 * s)
		assert.Empty(t, b.Ejected())

		o.Panic = 0
		one := mustBalancer(t, LeastRequest{}, Endpoints("a"), WithOutlier(o))
		fails(t, one, "a", 3)
		_, err := one.Acquire(background, Request{})
		assert.ErrorIs(t, err, ErrNoServer)
		assert.ErrorContains(t, err, "of 1 servers, 0 are eligible")
		time.Sleep(10 * s)
		acquire(t, one)
	})
}

func TestTheSuccessRateIsJudgedAtTheEndOfAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.Consecutive, o.Deviations, o.MinRequests = 0, 1.9, 4
		names := []string{"a", "b", "c", "d", "e"}
		b := mustBalancer(t, LeastRequest{}, Endpoints(names...), WithOutlier(o))
		round := func(bad string) {
			for _, name := range names {
				for k := range 4 {
					end(t, b, name, name == bad && k > 0)
				}
			}
		}
		round("c")
		time.Sleep(100*s - 1)
		assert.Equal(t, "abcde", eligible(b))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "abde", eligible(b))
		time.Sleep(10 * s)
		assert.Equal(t, "abcde", eligible(b))
		time.Sleep(100 * s)
		assert.Equal(t, "abcde", eligible(b), "what was counted has been judged")
		round("none")
		time.Sleep(100 * s)
		assert.Equal(t, "abcde", eligible(b))

		o.MinRequests = 8
		b = mustBalancer(t, LeastRequest{}, Endpoints(names...), WithOutlier(o))
		for range 2 {
			round("c")
			time.Sleep(100 * s)
			assert.Equal(t, "abcde", eligible(b), "four requests an interval are too few")
		}
	})
}

// An outcome counts in the interval in which its request ends.
func TestAnOutcomeCountsWhenItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.Consecutive, o.Deviations = 0, 1
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"), WithOutlier(o))
		end(t, b, "b", false)
		end(t, b, "c", false)
		lease, err := b.Acquire(background, Request{Tried: []ServerID{1, 2}})
		require.NoError(t, err)
		time.Sleep(100 * s)
		require.NoError(t, lease.Release(Outcome{Failed: true}))
		assert.Equal(t, "abc", eligible(b), "the interval with the other two is over")
	})
}

// A policy sees the time since its balancer was made.
func TestAViewHasTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now time.Duration
		b := mustBalancer(t, odd{pick: func(_ Request, v View, _ Coins) int { now = v.Now(); return 0 }}, Endpoints("a"))
		time.Sleep(3 * s)
		acquire(t, b)
		assert.Equal(t, 3*s, now)
	})
}

// Intervals end on a grid, however late somebody looks: one that is looked at in
// the middle of the second is followed by the third on time.
func TestIntervalsStayOnTheirGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.Consecutive, o.Deviations = 0, 1
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"), WithOutlier(o))
		time.Sleep(150 * s)
		assert.Equal(t, "abc", eligible(b))
		end(t, b, "a", true)
		end(t, b, "b", false)
		end(t, b, "c", false)
		time.Sleep(50*s - 1)
		assert.Equal(t, "abc", eligible(b))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "bc", eligible(b))
	})
}

func TestAnUpdateKeepsEjections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b"), WithOutlier(strict))
		fails(t, b, "a", 3)
		require.NoError(t, b.Update([]Endpoint{{"c", 1}, {"b", 5}, {"a", 2}}))
		assert.Equal(t, "bc", eligible(b))
		time.Sleep(10 * s)
		assert.Equal(t, []Server{{0, "a", 2}, {1, "b", 5}, {2, "c", 1}}, b.Snapshot().Servers, "down and up again changes nothing")
	})
}

// An ejected server that still answers old requests neither counts in the mean of
// the others nor is it ejected again.
func TestTheEjectedAreOutOfTheComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := strict
		o.Deviations, o.Backoff, o.MaxBackoff = 1.2, 150*s, 150*s
		b := mustBalancer(t, odd{pick: func(q Request, v View, _ Coins) int { return v.Index(ServerID(q.Key[0] - 'a')) }},
			Endpoints("a", "b", "c", "d"), WithOutlier(o))
		ask := func(name string) *Lease {
			lease, err := b.Acquire(background, Request{Key: name})
			require.NoError(t, err)
			return lease
		}
		var old []*Lease
		for range 9 {
			old = append(old, ask("a"))
		}
		for _, lease := range old {
			require.NoError(t, lease.Release(Outcome{Failed: true}))
		}
		// Rates 1/2, 1, 1 of b, c, d: mean 5/6, deviation 0.236, b is 1.41 of them
		// below. With a at 0, b would not be: mean 5/8, deviation 0.41.
		for _, name := range []string{"b", "c", "d"} {
			require.NoError(t, ask(name).Release(Outcome{}))
			require.NoError(t, ask(name).Release(Outcome{Failed: name == "b"}))
		}
		time.Sleep(100 * s)
		assert.Equal(t, []string{"a", "b"}, b.Ejected())
		time.Sleep(50 * s)
		assert.Equal(t, []string{"b"}, b.Ejected())
	})
}

// A server that leaves and comes back is new: it is not ejected.
func TestANewServerHasNoPast(t *testing.T) {
	b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b"), WithOutlier(strict))
	fails(t, b, "a", 3)
	require.NoError(t, b.Update(Endpoints("b")))
	assert.Empty(t, b.Ejected())
	require.NoError(t, b.Update(Endpoints("a", "b")))
	assert.Equal(t, "ba", eligible(b))
}
