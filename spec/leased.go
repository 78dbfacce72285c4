package spec

import (
	"context"
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// Leased is the black box that leases servers out as a policy chooses: a
// policies.Balancer over it, with the fleet's seed for its coins.
func Leased(newPolicy func() policies.Policy) Factory {
	return func(f Fleet) (Picker, error) {
		p := &leased{}
		b, err := policies.NewBalancer(newPolicy(), p.endpoints(f.Servers), policies.WithCoins(policies.NewCoins(f.Seed)))
		p.balancer = b
		return p, err
	}
}

// leased translates between the ids of a Fleet and a Balancer's names.
type leased struct {
	balancer *policies.Balancer
	ids      map[string]ServerID
	names    map[ServerID]string
}

func (p *leased) endpoints(fleet []Server) []policies.Endpoint {
	p.ids, p.names = make(map[string]ServerID), make(map[ServerID]string)
	endpoints := make([]policies.Endpoint, len(fleet))
	for i, s := range fleet {
		endpoints[i] = policies.Endpoint{Name: s.Name, Weight: s.Weight}
		p.ids[s.Name], p.names[s.ID] = s.ID, s.Name
	}
	return endpoints
}

func (p *leased) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	q.Tried = p.tried(q.Tried)
	lease, err := p.balancer.Acquire(ctx, q)
	if err != nil {
		return 0, nil, err
	}
	id, known := p.ids[lease.Server().Name]
	if !known {
		return 0, nil, fmt.Errorf("spec: the balancer leased %q, which is not in the fleet", lease.Server().Name)
	}
	return id, lease.Release, nil
}

// tried translates ids: a Balancer hands out its own.
func (p *leased) tried(known []ServerID) []ServerID {
	if len(known) == 0 {
		return nil
	}
	var tried []ServerID
	for _, s := range p.balancer.Snapshot().Servers {
		if slices.Contains(known, p.ids[s.Name]) {
			tried = append(tried, s.ID)
		}
	}
	return tried
}

func (p *leased) Update(fleet []Server) error { return p.balancer.Update(p.endpoints(fleet)) }

func (p *leased) InFlight(id ServerID) int { return p.balancer.InFlight()[p.names[id]] }
