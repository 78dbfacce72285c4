package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/picklaw/picklaw/spec"
)

// A ring drives a structure that maps keys to names of servers.
type ring struct {
	ids    map[string]spec.ServerID
	lookup func(key string) (name string, found bool)
}

// names are the names of the servers that take traffic.
func names(servers []spec.Server) []string {
	var all []string
	for _, s := range servers {
		if s.Weight > 0 {
			all = append(all, s.Name)
		}
	}
	return all
}

func idsOf(servers []spec.Server) map[string]spec.ServerID {
	ids := make(map[string]spec.ServerID)
	for _, s := range servers {
		ids[s.Name] = s.ID
	}
	return ids
}

func (r *ring) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	name, found := r.lookup(q.Key)
	if !found {
		return 0, nil, errNoServer
	}
	id, known := r.ids[name]
	if !known {
		return 0, nil, fmt.Errorf("%q belongs to %q, which is not in the fleet", q.Key, name)
	}
	return id, func(spec.Outcome) error { return nil }, nil
}

var errNoServer = errors.New("no server owns the key")

// An updated ring follows changes of the fleet.
type updated struct {
	ring
	update func(from, to []spec.Server) error
	fleet  []spec.Server
}

func (u *updated) Update(fleet []spec.Server) error {
	if err := u.update(u.fleet, fleet); err != nil {
		return err
	}
	u.fleet, u.ids = fleet, idsOf(fleet)
	return nil
}

// changes tells which servers begin and cease to take traffic.
func changes(from, to []spec.Server) (joined, left []spec.Server) {
	had, has := make(map[string]uint64), make(map[string]uint64)
	for _, s := range from {
		had[s.Name] = s.Weight
	}
	for _, s := range to {
		has[s.Name] = s.Weight
		if s.Weight > 0 && had[s.Name] == 0 {
			joined = append(joined, s)
		}
	}
	for _, s := range from {
		if s.Weight > 0 && has[s.Name] == 0 {
			left = append(left, s)
		}
	}
	return joined, left
}
