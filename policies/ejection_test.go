package policies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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

// Scripts of requests, updates and pauses in a bubble; everything is drawn before,
// and what went wrong is told afterwards.
func TestEjectionInvariants(t *testing.T) {
	type step struct {
		Kind   int // 0, 1, 2: acquire; 3, 4: release; 5: sleep; 6: update
		Which  int
		Failed bool
	}
	rapid.Check(t, func(rt *rapid.T) {
		o := Outlier{
			Consecutive: rapid.IntRange(0, 3).Draw(rt, "consecutive"), Interval: 20 * s, Backoff: 7 * s, MaxBackoff: 30 * s,
			Deviations: rapid.SampledFrom([]float64{0, 0.5, 1.5}).Draw(rt, "deviations"),
			MaxEjected: rapid.IntRange(0, 100).Draw(rt, "cap"), Panic: rapid.SampledFrom([]int{0, 40, 80}).Draw(rt, "panic"),
		}
		lots := []int{0}
		for kind := range 7 {
			lots = append(lots, slices.Repeat([]int{kind}, rapid.SampledFrom([]int{0, 1, 4, 10}).Draw(rt, "weight"))...)
		}
		sick := rapid.IntRange(0, 5).Draw(rt, "sick")
		script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{rapid.SampledFrom(lots).Draw(t, "kind"), rapid.IntRange(0, 20).Draw(t, "which"), rapid.Bool().Draw(t, "failed")}
		}), 1, 80).Draw(rt, "script")
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			b, err := NewBalancer(LeastRequest{}, Endpoints("s0", "s1", "s2", "s3", "s4"), WithOutlier(o), WithCoins(NewCoins(7)),
				WithSlowStart(SlowStart{Window: 5 * s, Floor: 10}))
			if err != nil {
				wrong = err.Error()
				return
			}
			var open []*Lease
			for _, st := range script {
				before := b.Ejected()
				switch st.Kind {
				case 0, 1, 2:
					view := b.Snapshot()
					lease, err := b.Acquire(background, Request{})
					if (err == nil) != (len(view.Servers) > 0) || err != nil && !errors.Is(err, ErrNoServer) {
						wrong = fmt.Sprintf("Acquire with %d eligible servers: %v", len(view.Servers), err)
						return
					}
					if err != nil {
						continue
					}
					open = append(open, lease)
					if view.Index(lease.Server().ID) < 0 {
						wrong = fmt.Sprintf("picked %v, eligible are %v", lease.Server(), view.Servers)
						return
					}
				case 3, 4:
					if len(open) > 0 {
						i := st.Which % len(open)
						failed := st.Failed || open[i].Server().ID == ServerID(sick)
						if err := open[i].Release(Outcome{Failed: failed}); err != nil {
							wrong = err.Error()
							return
						}
						open = slices.Delete(open, i, i+1)
					}
				case 5:
					time.Sleep(time.Duration(st.Which) * s)
				case 6:
					if err := b.Update(Endpoints("s0", fmt.Sprint("s", 1+st.Which%5), "s6", "s7")); err != nil {
						wrong = err.Error()
						return
					}
				}
				ejected, n := b.Ejected(), len(b.InFlight())
				if limit := max(1, o.MaxEjected*n/100); st.Kind < 5 && len(ejected) > max(limit, len(before)) {
					wrong = fmt.Sprintf("%v are ejected, the cap for %d servers is %d", ejected, n, limit)
					return
				}
				total := 0
				for _, c := range b.InFlight() {
					total += c
				}
				if b.Open() != len(open) || total > len(open) {
					wrong = fmt.Sprintf("%d leases are open, counted %d and %d", len(open), b.Open(), total)
					return
				}
			}
			time.Sleep(o.MaxBackoff + o.Interval)
			b.Ejected() // the last interval is judged now
			time.Sleep(o.MaxBackoff)
			if ejected := b.Ejected(); len(ejected) > 0 {
				wrong = fmt.Sprintf("%v are still ejected", ejected)
			}
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}
