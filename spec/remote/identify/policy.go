package identify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// OfPolicy builds balancers over a bare policy, on a clock of their own: only
// Sleep moves it, so latencies of minutes cost nothing.
func OfPolicy(newPolicy func() policies.Policy) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		c := &clocked{policy: newPolicy(), loads: make(map[spec.ServerID]int), coins: policies.NewCoins(f.Seed)}
		return c, c.Update(f.Servers)
	}
}

// clocked counts what is in flight and asks a policy.
type clocked struct {
	policy policies.Policy
	coins  policies.Coins
	fleet  []spec.Server
	loads  map[spec.ServerID]int
	now    time.Duration
}

func (c *clocked) Update(fleet []spec.Server) error {
	c.fleet = slices.Clone(fleet)
	policies.Join(c.policy, c.fleet)
	return nil
}

func (c *clocked) Sleep(d time.Duration) { c.now += d }

// Rewind sets the clock back.
func (c *clocked) Rewind(d time.Duration) { c.now -= d }

func (c *clocked) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	view := &policies.Snapshot{
		At: c.now, Servers: make([]spec.Server, 0, len(c.fleet)), Loads: make([]float64, 0, len(c.fleet)),
	}
	for _, s := range c.fleet {
		if s.Weight > 0 && !slices.Contains(q.Tried, s.ID) {
			view.Servers = append(view.Servers, s)
			view.Loads = append(view.Loads, float64(c.loads[s.ID]))
		}
	}
	i := c.policy.Pick(q, view, c.coins)
	if i == policies.None {
		return 0, nil, errors.New("no server is eligible")
	}
	id, from, ended := view.Servers[i].ID, c.now, false
	c.loads[id]++
	return id, func(o spec.Outcome) error {
		if ended {
			return errors.New("the request has ended before")
		}
		ended = true
		c.loads[id]--
		o.At, o.Latency = c.now, c.now-from
		member := slices.ContainsFunc(c.fleet, func(s spec.Server) bool { return s.ID == id })
		if l, ok := c.policy.(policies.Learner); ok && member && !o.Canceled {
			l.Observe(id, o)
		}
		return nil
	}, nil
}
