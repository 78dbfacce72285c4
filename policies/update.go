//go:build !mutants

package policies

// Update replaces the fleet, all of it or, on an error, nothing of it.
//
// A server whose name stays is the same server: it keeps its id, its requests in
// flight and whatever a policy knows of it. A new name gets a new id, even when a
// server of that name existed before. Leases of removed servers stay valid and
// end without touching anyone else.
func (b *Balancer) Update(servers []Endpoint) error {
	if err := checkEndpoints(servers); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()

	wanted := make(map[string]uint64, len(servers))
	for _, e := range servers {
		wanted[e.Name] = e.Weight
	}
	var fleet []Server
	var members []*member // of the same servers; the weights of survivors are still the old ones
	for _, m := range b.members {
		if weight, stays := wanted[m.Name]; stays {
			fleet = append(fleet, Server{ID: m.ID, Name: m.Name, Weight: weight})
			members = append(members, m)
			delete(wanted, m.Name)
		}
	}
	nextID, since := b.nextID, b.now()
	if b.members == nil {
		since = -b.slow.Window // the first fleet is warm
	}
	for _, e := range servers {
		if _, isNew := wanted[e.Name]; isNew {
			s := Server{ID: nextID, Name: e.Name, Weight: e.Weight}
			fleet = append(fleet, s)
			members = append(members, &member{Server: s, health: health{since: since}})
			nextID++
		}
	}

	policy, err := joined(b.policy, fleet)
	if err != nil {
		return err
	}

	// Nothing can fail from here on.
	for _, m := range b.members {
		m.removed = true
	}
	for i, m := range members {
		m.Server, m.removed = fleet[i], false
	}
	b.policy, b.members, b.nextID = policy, members, nextID
	b.sortOut()
	return nil
}

// joined is a policy that has been told a fleet. A Stateful one is copied first,
// so that a panic halfway leaves the original as it was.
func joined(p Policy, fleet []Server) (Policy, error) {
	err := contain("Update", p, func(Policy) {
		if s, ok := p.(Stateful); ok {
			p = s.Clone()
		}
		Join(p, fleet)
	})
	return p, err
}
