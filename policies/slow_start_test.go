package policies

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shares is the exact law of a pick of a balancer, by name: it is made ready
// anew for every outcome of its coins.
func shares(t *testing.T, ready func(t *testing.T, c Coins) *Balancer) map[string]string {
	law := lawOf(func(c Coins) (name string) {
		synctest.Test(t, func(t *testing.T) { name = acquire(t, ready(t, c)).Server().Name })
		return name
	})
	out := map[string]string{}
	for name, p := range law {
		out[name] = p.RatString()
	}
	return out
}

func TestANewcomerWarmsUp(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  map[string]string
	}{
		// Random over a, b and, with the probability f that it is shown, c: f/3 for c.
		{0, map[string]string{"a": "29/60", "b": "29/60", "c": "1/30"}}, // the floor, 1/10
		{s / 2, map[string]string{"a": "29/60", "b": "29/60", "c": "1/30"}},
		{2 * s, map[string]string{"a": "7/15", "b": "7/15", "c": "1/15"}}, // 1/5
		{5 * s, map[string]string{"a": "5/12", "b": "5/12", "c": "1/6"}},  // 1/2
		{10 * s, map[string]string{"a": "1/3", "b": "1/3", "c": "1/3"}},
		{1000 * time.Hour, map[string]string{"a": "1/3", "b": "1/3", "c": "1/3"}},
	} {
		got := shares(t, func(t *testing.T, coins Coins) *Balancer {
			b := mustBalancer(t, Random{}, Endpoints("a", "b"), WithSlowStart(SlowStart{Window: 10 * s, Floor: 10}), WithCoins(coins))
			time.Sleep(1000 * s) // its own age is what counts
			require.NoError(t, b.Update(Endpoints("a", "b", "c")))
			time.Sleep(c.after)
			return b
		})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("after %v (-want +got):\n%s", c.after, d)
		}
	}
}

func TestARecoveredServerWarmsUp(t *testing.T) {
	got := shares(t, func(t *testing.T, coins Coins) *Balancer {
		b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b"), WithOutlier(strict), WithSlowStart(SlowStart{Window: 8 * s}), WithCoins(coins))
		fails(t, b, "a", 3)
		time.Sleep(12 * s) // it was back after 10
		return b
	})
	// Shown with 2/8, a ties with b.
	assert.Equal(t, map[string]string{"a": "1/8", "b": "7/8"}, got)
}

func TestTheFirstFleetIsWarm(t *testing.T) {
	got := shares(t, func(t *testing.T, coins Coins) *Balancer {
		return mustBalancer(t, always(0), Endpoints("a", "b"), WithSlowStart(SlowStart{Window: time.Hour, Floor: 50}), WithCoins(coins))
	})
	assert.Equal(t, map[string]string{"a": "1"}, got)
}

// When nobody else is there, a cold server is shown; whoever is asked for by
// elimination counts, too.
func TestTheLastServerIsShown(t *testing.T) {
	got := shares(t, func(t *testing.T, coins Coins) *Balancer {
		b := mustBalancer(t, Random{}, Endpoints("x"), WithSlowStart(SlowStart{Window: 10 * s}), WithCoins(coins))
		require.NoError(t, b.Update(Endpoints("a", "b")))
		return b
	})
	assert.Equal(t, map[string]string{"a": "1/2", "b": "1/2"}, got, "all are cold")
}

// Whoever is shown is shown once, and can be found by its id; whoever is hidden
// cannot.
func TestAViewIsOfOnePickAlone(t *testing.T) {
	var ids []ServerID
	var places []int
	show := odd{pick: func(_ Request, v View, _ Coins) int {
		ids, places = nil, nil
		for i := range v.Len() {
			ids = append(ids, v.Server(i).ID)
		}
		for id := range ServerID(5) {
			places = append(places, v.Index(id))
		}
		return 0
	}}
	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, show, Endpoints("a", "x", "b"), WithSlowStart(SlowStart{Window: 10 * s}))
		require.NoError(t, b.Update(Endpoints("a", "b", "c"))) // c is hidden at first
		for range 3 {
			acquire(t, b)
			assert.Equal(t, []ServerID{0, 2}, ids)
			assert.Equal(t, []int{0, -1, 1, -1, -1}, places)
		}
		time.Sleep(10 * s)
		acquire(t, b)
		assert.Equal(t, []ServerID{0, 2, 3}, ids)
		assert.Equal(t, []int{0, -1, 1, 2, -1}, places)
	})
}
