package spec

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// A moment is one thing that happens to a policy: perhaps the fleet changes, a
// request comes, and perhaps the policy is told how another one ended.
type moment struct {
	fleet   []Server // after an update; nil when there is none
	view    *policies.Snapshot
	request Request
	coins   uint64 // their seed
	told    ServerID
	outcome *Outcome
}

// life draws what may happen to any policy: a few servers of unequal weights
// that come, go, and are not eligible now and then; loads, keys, cookies, and
// outcomes in the order of time.
func life(seed uint64, moments int) []moment {
	random := rand.New(rand.NewPCG(seed, 0))
	pool := fleetOf(6)
	var all []moment
	var fleet []Server
	now := time.Duration(0)
	for k := range moments {
		m := moment{coins: random.Uint64()}
		if k == 0 || random.IntN(6) == 0 {
			fleet = nil
			for i, s := range pool {
				if s.Weight = uint64(random.IntN(5)); i == k%len(pool) || random.IntN(3) > 0 {
					fleet = append(fleet, s)
				}
			}
			fleet[0].Weight++ // so that somebody is eligible
			m.fleet = fleet
		}
		now += time.Duration(random.IntN(3000)) * time.Millisecond
		m.view = &policies.Snapshot{At: now}
		for len(m.view.Servers) == 0 {
			for _, s := range fleet {
				if s.Weight > 0 && random.IntN(4) > 0 {
					m.view.Servers = append(m.view.Servers, s)
					m.view.Loads = append(m.view.Loads, float64(random.IntN(4)))
				}
			}
		}
		m.request = Request{Key: fmt.Sprint("key-", random.IntN(5)), Cookie: pool[random.IntN(len(pool))].Name}
		if random.IntN(2) == 0 {
			m.told = fleet[random.IntN(len(fleet))].ID
			m.outcome = &Outcome{At: now, Latency: time.Duration(random.IntN(5000)) * time.Millisecond, Failed: random.IntN(3) == 0}
		}
		all = append(all, m)
	}
	return all
}

// live lets a policy live through a moment and returns the server it picked.
func (r *Run) live(p policies.Policy, m moment) (policies.Policy, string) {
	if m.fleet != nil {
		r.try("Update", func() { p = join(p, m.fleet) })
	}
	var i int
	r.try("Pick", func() { i = p.Pick(m.request, m.view, policies.NewCoins(m.coins)) })
	if i < 0 || i >= m.view.Len() {
		panic(&fault{OutOfRange, fmt.Sprintf("it picked index %d of %d servers", i, m.view.Len())})
	}
	if l, learns := p.(policies.Learner); learns && m.outcome != nil {
		r.try("Observe", func() { l.Observe(m.told, *m.outcome) })
	}
	return p, m.view.Servers[i].Name
}

// parted words two lives that should have been the same.
func parted(k int, expected, observed, why string) Result {
	return Result{Verdict: Violated, Finding: WrongLaw,
		Expected: fmt.Sprintf("pick %d at %s", k+1, expected),
		Observed: fmt.Sprintf("at %s, %s", observed, why)}
}
