package policies

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func acquire(t require.TestingT, b *Balancer) *Lease {
	lease, err := b.Acquire(background, Request{})
	require.NoError(t, err)
	return lease
}

func TestSurvivorsKeepIdsAndCounts(t *testing.T) {
	b := mustBalancer(t, LeastRequest{}, Endpoints("a", "b", "c"))
	ids := map[string]ServerID{}
	for range 3 {
		server := acquire(t, b).Server()
		ids[server.Name] = server.ID
	}
	require.NoError(t, b.Update(Endpoints("d", "c", "a")))
	assert.Equal(t, map[string]int{"a": 1, "c": 1, "d": 0}, b.InFlight())
	assert.Equal(t, 3, b.Open())
	assert.Equal(t, []Server{{ids["a"], "a", 1}, {ids["c"], "c", 1}, {3, "d", 1}}, b.Snapshot().Servers)
	assert.Equal(t, "d", acquire(t, b).Server().Name)
}

func TestALateReleaseTouchesNobodyElse(t *testing.T) {
	b := mustBalancer(t, LeastRequest{}, Endpoints("a"))
	old := acquire(t, b)
	require.NoError(t, b.Update(Endpoints("b")))
	require.NoError(t, b.Update(Endpoints("b", "a")))
	assert.Equal(t, map[string]int{"a": 0, "b": 0}, b.InFlight(), "the new a is another server")
	require.NoError(t, old.Release(Outcome{}))
	assert.Equal(t, map[string]int{"a": 0, "b": 0}, b.InFlight())
	assert.ErrorIs(t, old.Release(Outcome{}), ErrReleased)
	ids := b.Snapshot().Servers
	assert.Equal(t, []Server{{1, "b", 1}, {2, "a", 1}}, ids, "an id is never used twice")
	assert.Zero(t, b.Open())
}

func TestALateOutcomeIsNotLearned(t *testing.T) {
	var told []Outcome
	b := mustBalancer(t, outcomes(&told), Endpoints("a", "b"))
	stays, goes := acquire(t, b), acquire(t, b) // both at a
	require.NoError(t, stays.Release(Outcome{}))
	require.NoError(t, b.Update(Endpoints("b")))
	require.NoError(t, goes.Release(Outcome{}))
	assert.Len(t, told, 1)
}

func TestAnUpdateIsAllOrNothing(t *testing.T) {
	fleets := 0
	b := mustBalancer(t, odd{
		pick: func(Request, View, Coins) int { return 0 },
		update: func([]Server) {
			if fleets++; fleets == 2 {
				panic("no room for them")
			}
		},
	}, Endpoints("a", "b"))
	lease := acquire(t, b)
	before := b.Snapshot()
	for _, bad := range [][]Endpoint{nil, Endpoints("c", "c"), {{"a", 0}}, {{"c", 1 << 40}}, Endpoints("new")} {
		assert.Error(t, b.Update(bad))
		after := b.Snapshot()
		after.At = before.At
		assert.Equal(t, before, after)
	}
	assert.Equal(t, 1, b.Open())
	require.NoError(t, lease.Release(Outcome{}))
	require.NoError(t, b.Update(Endpoints("new")))
	assert.Equal(t, []Server{{2, "new", 1}}, b.Snapshot().Servers)
}

// A rotation and its estimates go on through an update; a policy that fails to
// take one is as it was.
func TestStatefulPoliciesGoOn(t *testing.T) {
	b := mustBalancer(t, &RoundRobin{started: true, last: 1}, Endpoints("a", "b", "c", "d"))
	require.NoError(t, b.Update(Endpoints("a", "c", "d", "e")))
	assert.Equal(t, "c", acquire(t, b).Server().Name)

	synctest.Test(t, func(t *testing.T) {
		b := mustBalancer(t, &PeakEWMA{Tau: 10 * s, Prior: s}, Endpoints("a", "b"))
		lease := acquire(t, b)
		time.Sleep(5 * s)
		require.NoError(t, lease.Release(Outcome{}))
		require.NoError(t, b.Update(Endpoints("c", "b", "a")))
		p := b.policy.(*PeakEWMA)
		assert.Equal(t, 5.0, p.Estimate(lease.Server().ID, 5*s))
		assert.Equal(t, 1.0, p.Estimate(2, 5*s), "a newcomer starts with the prior")
	})
}

func TestWeightsAloneMayChange(t *testing.T) {
	b := mustBalancer(t, &Ring{Points: 10}, Endpoints("a", "b"))
	require.NoError(t, b.Update([]Endpoint{{"a", 0}, {"b", 100}}))
	for range 50 {
		assert.Equal(t, "b", acquire(t, b).Server().Name)
	}
	assert.Equal(t, uint64(100), acquire(t, b).Server().Weight)
	require.NoError(t, b.Update([]Endpoint{{"a", 3}, {"b", 0}}))
	assert.Equal(t, Server{0, "a", 3}, acquire(t, b).Server())
}
