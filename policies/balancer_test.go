package policies

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var background = context.Background()

func mustBalancer(t require.TestingT, p Policy, servers []Endpoint, options ...Option) *Balancer {
	b, err := NewBalancer(p, servers, append([]Option{WithCoins(NewCoins(1))}, options...)...)
	require.NoError(t, err)
	return b
}

// odd is a policy for tests: any function, with hooks for what it is told.
type odd struct {
	pick    func(Request, View, Coins) int
	observe func(ServerID, Outcome)
	update  func([]Server)
}

func (o odd) Pick(q Request, v View, c Coins) int { return o.pick(q, v, c) }
func (o odd) Observe(id ServerID, out Outcome) {
	if o.observe != nil {
		o.observe(id, out)
	}
}
func (o odd) Update(all []Server) {
	if o.update != nil {
		o.update(all)
	}
}

func always(i int) odd { return odd{pick: func(Request, View, Coins) int { return i }} }

func TestNewBalancerNamesWhatIsWrong(t *testing.T) {
	var nilRobin *RoundRobin
	ab := Endpoints("a", "b")
	for _, c := range []struct {
		policy  Policy
		servers []Endpoint
		want    string
	}{
		{nil, ab, "the policy is nil"},
		{nilRobin, ab, "the policy is nil (*policies.RoundRobin)"},
		{Random{}, nil, "the server list is empty"},
		{Random{}, Endpoints("a", "b", "a"), `servers 0 and 2 are both named "a"`},
		{Random{}, Endpoints("a", ""), "server 1 has no name"},
		{Random{}, []Endpoint{{"a", 1}, {"b", 1 << 32}}, `server "b" has weight 4294967296, want at most 4294967295`},
		{Random{}, []Endpoint{{"a", 0}, {"b", 0}}, "all 2 servers have weight 0"},
		{odd{update: func([]Server) { panic("no room") }}, ab, "policies.odd panicked in Update: no room"},
	} {
		b, err := NewBalancer(c.policy, c.servers)
		assert.Nil(t, b)
		assert.ErrorContains(t, err, c.want)
	}
	mustBalancer(t, Random{}, []Endpoint{{"a", MaxWeight}, {"b", 0}}) // the largest weight is one
}

func TestAcquireDistrustsThePolicy(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		want   string
	}{
		{always(3), "policies.odd picked server 3 of 3, want 0 to 2"},
		{always(None), "policies.odd picked server -1 of 3, want 0 to 2"},
		{always(-1 << 63), "picked server -9223372036854775808 of 3"},
		{odd{pick: func(Request, View, Coins) int { panic("boom") }}, "policies.odd panicked in Pick: boom"},
		{odd{pick: func(_ Request, v View, _ Coins) int { v.Server(7); return 0 }}, "panicked in Pick: runtime error: index out of range"},
	} {
		b := mustBalancer(t, c.policy, Endpoints("a", "b", "c"))
		for range 2 { // the first failure has broken nothing
			lease, err := b.Acquire(background, Request{})
			assert.Nil(t, lease)
			assert.ErrorContains(t, err, c.want)
		}
		assert.Equal(t, map[string]int{"a": 0, "b": 0, "c": 0}, b.InFlight())
		assert.Zero(t, b.Open())
	}
}

func TestALeaseEndsExactlyOnce(t *testing.T) {
	for name, p := range everyPolicy() {
		t.Run(name, func(t *testing.T) {
			b := mustBalancer(t, p, Endpoints("a", "b", "c"))
			lease, err := b.Acquire(background, Request{Key: "k"})
			require.NoError(t, err)
			other, err := b.Acquire(background, Request{Key: "k"})
			require.NoError(t, err)
			assert.Equal(t, 2, b.Open())
			require.NoError(t, lease.Release(Outcome{}))
			for range 3 {
				assert.ErrorIs(t, lease.Release(Outcome{Failed: true}), ErrReleased)
			}
			assert.Equal(t, 1, b.Open())
			assert.Equal(t, 1, b.InFlight()[other.Server().Name])
			require.NoError(t, other.Release(Outcome{}))
			assert.Equal(t, map[string]int{"a": 0, "b": 0, "c": 0}, b.InFlight())
		})
	}
}

func TestCountsMoveAtThePick(t *testing.T) {
	b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"))
	for range 5 { // nothing else happens in between
		_, err := b.Acquire(background, Request{})
		require.NoError(t, err)
	}
	counts := b.InFlight()
	assert.LessOrEqual(t, max(counts["a"], counts["b"], counts["c"]), 2, "%v", counts)
	assert.GreaterOrEqual(t, min(counts["a"], counts["b"], counts["c"]), 1, "%v", counts)
}

func TestAcquireOfADoneContext(t *testing.T) {
	b := mustBalancer(t, odd{pick: func(Request, View, Coins) int { panic("asked") }}, Endpoints("a"))
	why := errors.New("closing down")
	ctx, cancel := context.WithCancelCause(background)
	cancel(why)
	_, err := b.Acquire(ctx, Request{})
	assert.ErrorIs(t, err, why)
	assert.ErrorIs(t, b.Do(ctx, Request{}, func(context.Context, Server) error { panic("called") }), why)
	assert.Zero(t, b.Open())
}

func TestTriedServersAndZeroWeightsAreLeftOut(t *testing.T) {
	b := mustBalancer(t, LeastRequest{}, []Endpoint{{"a", 1}, {"drained", 0}, {"b", 1}, {"c", 1}})
	var q Request
	seen := map[string]bool{}
	for range 3 {
		lease, err := b.Acquire(background, q)
		require.NoError(t, err)
		seen[lease.Server().Name] = true
		q.Tried = append(q.Tried, lease.Server().ID)
	}
	assert.Equal(t, map[string]bool{"a": true, "b": true, "c": true}, seen)
	_, err := b.Acquire(background, q)
	assert.ErrorIs(t, err, ErrNoServer)
	assert.ErrorContains(t, err, "of 4 servers, 3 are eligible and 3 have been tried")
	assert.Equal(t, 3, b.Open())
}

// outcomes records what a policy is told.
func outcomes(to *[]Outcome) Policy {
	return odd{
		pick:    func(Request, View, Coins) int { return 0 },
		observe: func(_ ServerID, o Outcome) { *to = append(*to, o) },
	}
}

func TestDoReleasesWhicheverWayTheCallEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []Outcome
		b := mustBalancer(t, outcomes(&told), Endpoints("a"))
		down := errors.New("down")
		work := func(err error) func(context.Context, Server) error {
			return func(context.Context, Server) error { time.Sleep(3 * s); return err }
		}

		assert.NoError(t, b.Do(background, Request{}, work(nil)))
		assert.Equal(t, down, b.Do(background, Request{}, work(down)), "the error comes back as it is")
		assert.PanicsWithValue(t, "boom", func() {
			_ = b.Do(background, Request{}, func(context.Context, Server) error { time.Sleep(s); panic("boom") })
		})
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = b.Do(background, Request{}, func(context.Context, Server) error { runtime.Goexit(); return nil })
		})
		wg.Wait()

		late, cancel := context.WithTimeout(background, 2*s)
		defer cancel()
		assert.ErrorIs(t, b.Do(late, Request{}, func(ctx context.Context, _ Server) error { <-ctx.Done(); return ctx.Err() }), context.DeadlineExceeded)
		ctx, cancel := context.WithCancel(background)
		time.AfterFunc(s, cancel)
		assert.ErrorIs(t, b.Do(ctx, Request{}, func(ctx context.Context, _ Server) error { <-ctx.Done(); return ctx.Err() }), context.Canceled)

		assert.Zero(t, b.Open())
		assert.Equal(t, []Outcome{
			{At: 3 * s, Latency: 3 * s},
			{At: 6 * s, Latency: 3 * s, Failed: true},
			{At: 7 * s, Latency: 1 * s, Failed: true},
			{At: 7 * s, Latency: 0, Failed: true},
			{At: 9 * s, Latency: 2 * s, Failed: true},
			// a cancellation is no verdict
		}, told)
	})
}

func TestReleaseSurvivesALearnerThatPanics(t *testing.T) {
	b := mustBalancer(t, odd{
		pick:    func(Request, View, Coins) int { return 0 },
		observe: func(ServerID, Outcome) { panic("cannot learn") },
	}, Endpoints("a"))
	assert.ErrorContains(t, b.Do(background, Request{}, func(context.Context, Server) error { return nil }), "policies.odd panicked in Observe: cannot learn")
	lease, err := b.Acquire(background, Request{})
	require.NoError(t, err)
	assert.ErrorContains(t, lease.Release(Outcome{}), "cannot learn")
	assert.ErrorIs(t, lease.Release(Outcome{}), ErrReleased)
	assert.Zero(t, b.Open())
}

func TestBalancersDoNotShareACursor(t *testing.T) {
	shared := &RoundRobin{started: true, last: 0}
	one, two := mustBalancer(t, shared, Endpoints("a", "b", "c")), mustBalancer(t, shared, Endpoints("a", "b", "c"))
	var got strings.Builder
	for range 3 {
		for _, b := range []*Balancer{one, two} {
			lease, err := b.Acquire(background, Request{})
			require.NoError(t, err)
			got.WriteString(lease.Server().Name)
		}
	}
	assert.Equal(t, "bbccaa", got.String())
}

// Without WithCoins, fresh balancers do not agree on a first pick. All of 64
// agree by chance with probability 100^-63.
func TestBalancersStartApart(t *testing.T) {
	names := make([]string, 100)
	for i := range names {
		names[i] = Fleet(100)[i].Name
	}
	first := map[string]bool{}
	for range 64 {
		b, err := NewBalancer(&RoundRobin{}, Endpoints(names...))
		require.NoError(t, err)
		lease, err := b.Acquire(background, Request{})
		require.NoError(t, err)
		first[lease.Server().Name] = true
	}
	assert.Greater(t, len(first), 1)
}

func TestManyGoroutines(t *testing.T) {
	for name, p := range everyPolicy() {
		t.Run(name, func(t *testing.T) {
			b := mustBalancer(t, p, Endpoints("a", "b", "c", "d", "e"), WithSlowStart(SlowStart{Window: time.Millisecond}),
				WithOutlier(Outlier{Consecutive: 2, Interval: time.Millisecond, Deviations: 1, Backoff: 100 * time.Microsecond,
					MaxBackoff: time.Millisecond, MaxEjected: 60}))
			const workers, rounds = 8, 60
			for range 3 {
				var wg sync.WaitGroup
				for w := range workers {
					wg.Go(func() { hammer(t, b, w, rounds) })
				}
				wg.Go(func() {
					for i := range rounds {
						assert.NoError(t, b.Update(Endpoints("a", "c", string(rune('p'+i%3)), "e")))
					}
					assert.NoError(t, b.Update(Endpoints("e", "d", "c", "b", "a")))
				})
				wg.Wait()
				assert.Equal(t, map[string]int{"a": 0, "b": 0, "c": 0, "d": 0, "e": 0}, b.InFlight(), "a quiescent point")
				assert.Zero(t, b.Open())
			}
		})
	}
}

// hammer uses a balancer in all its ways and leaves nothing behind.
func hammer(t *testing.T, b *Balancer, worker, rounds int) {
	q := Request{Key: string(rune('a' + worker))}
	for i := range rounds {
		switch i % 4 {
		case 0:
			lease, err := b.Acquire(background, q)
			if !assert.NoError(t, err) {
				return
			}
			var wg sync.WaitGroup // two goroutines race to release
			errs := make([]error, 2)
			for k := range errs {
				wg.Go(func() { errs[k] = lease.Release(Outcome{Failed: i%8 == 0}) })
			}
			wg.Wait()
			assert.True(t, (errs[0] == nil) != (errs[1] == nil), "exactly one release succeeds: %v", errs)
		case 1:
			assert.NoError(t, b.Do(background, q, func(context.Context, Server) error { runtime.Gosched(); return nil }))
		case 2:
			assert.Panics(t, func() { _ = b.Do(background, q, func(context.Context, Server) error { panic(i) }) })
		case 3:
			ctx, cancel := context.WithCancel(background)
			assert.ErrorIs(t, b.Do(ctx, q, func(context.Context, Server) error { cancel(); return ctx.Err() }), context.Canceled)
		}
		for name, n := range b.InFlight() {
			if n < 0 {
				t.Errorf("%s has %d in flight", name, n)
			}
		}
	}
}
