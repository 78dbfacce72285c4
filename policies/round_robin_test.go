package policies

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func picks(p Policy, v View, c Coins, n int) []ServerID {
	var ids []ServerID
	for range n {
		ids = append(ids, v.Server(p.Pick(Request{}, v, c)).ID)
	}
	return ids
}

func TestRoundRobinStartsAnywhereAndGoesRound(t *testing.T) {
	wantLaw(t, map[int]string{0: "1/3", 1: "1/3", 2: "1/3"}, pickLaw(at(9, 0, 1), Request{}, func() Policy { return &RoundRobin{} }))
	got := picks(&RoundRobin{started: true, last: 1}, at(0, 0, 0), nil, 7)
	assert.Equal(t, []ServerID{2, 0, 1, 2, 0, 1, 2}, got)
}

func TestRoundRobinGoesOnWhateverHappensToTheFleet(t *testing.T) {
	r := &RoundRobin{started: true, last: 2}
	without := func(gone ...ServerID) *Snapshot {
		return &Snapshot{Servers: slices.DeleteFunc(Fleet(6), func(s Server) bool { return slices.Contains(gone, s.ID) })}
	}
	assert.Equal(t, []ServerID{4}, picks(r, without(3), nil, 1), "the next is gone: the one after")
	assert.Equal(t, []ServerID{5}, picks(r, without(4), nil, 1), "the last is gone: the one after it")
	assert.Equal(t, []ServerID{0, 1}, picks(r, without(), nil, 2), "all are back: no restart")
	assert.Equal(t, []ServerID{2, 3, 4, 5, 0, 2}, picks(r, without(1), nil, 6), "every other gets the same share")
}

func TestRoundRobinEdges(t *testing.T) {
	r := &RoundRobin{}
	assert.Equal(t, "fresh", r.State())
	assert.Equal(t, None, r.Pick(Request{}, at(), nil))
	assert.Equal(t, "fresh", r.State(), "an empty view is no pick")
	assert.Equal(t, []ServerID{0, 0}, picks(r, at(4), NewCoins(1), 2))

	twin := r.Clone()
	three := at(0, 0, 0)
	assert.Equal(t, picks(twin, three, nil, 4), []ServerID{1, 2, 0, 1})
	assert.Equal(t, "0", r.State(), "a clone moves alone")

	huge := &RoundRobin{started: true, last: 1<<63 - 1} // no id follows the largest
	assert.Equal(t, []ServerID{0, 1}, picks(huge, three, nil, 2))
}
