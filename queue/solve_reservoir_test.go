package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// reservoir is Caddy's random_choose with two choices, as it was up to v2.10.0.
// Its sample is broken (caddyserver/caddy#7873): the first two servers are not
// stored as they come but at a random slot each, so the second may evict the
// first and leave a slot empty; with two servers it is then, half of the time,
// the only choice. And its comparison keeps whatever it has met on the way to a
// smaller load (caddyserver/caddy#3811 shows it): an idle server is taken at
// once, otherwise one of all that were no worse than the ones before them.
func reservoir(v policies.View, c policies.Coins) int {
	slots := [2]int{policies.None, policies.None}
	for i := range v.Len() {
		if j := c.IntN(i + 1); j < len(slots) {
			slots[j] = i
		}
	}
	var kept []int
	least := -1.0
	for _, i := range slots {
		if i == policies.None {
			continue
		}
		load, _ := v.Load(i)
		if load == 0 {
			return i
		}
		if least < 0 || load <= least {
			kept, least = append(kept, i), load
		}
	}
	return kept[c.IntN(len(kept))]
}

// What that costs at two servers and rho 0.9 has been computed elsewhere: 8.572
// requests at a server, where honest choices leave 4.927 and chance 9. Only the
// full form can tell, since the second server is preferred.
func TestSolveReservoir(t *testing.T) {
	assert.Equal(t, []string{"1/2", "1/2"}, law(t, pick(reservoir), view(1, 9)))
	assert.Equal(t, []string{"1/4", "3/4"}, law(t, pick(reservoir), view(9, 1)), "both kept, or the second alone")
	if testing.Short() {
		return // the queues are nearly as long as those of chance
	}
	s := solve(t, queue.Chain{Policy: pick(reservoir), Servers: 2, Rho: 0.9, Tolerance: 1e-6})
	assert.InDelta(t, 8.572, s.MeanJobs, 0.0005)
	assert.Greater(t, s.Shares[1], s.Shares[0])
	assert.Equal(t, queue.Full, s.Form)
}
