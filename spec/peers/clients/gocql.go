package main

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/gocql/gocql"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const gocqlVersion = "github.com/gocql/gocql v1.7.0"

var gocqlSubjects = []spec.Subject{
	{
		Name: "gocql/RoundRobinHostPolicy", Doc: gocqlVersion + ", RoundRobinHostPolicy, first host of the plan",
		New:    cassandra(gocql.RoundRobinHostPolicy),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": folded,
		},
	},
	{
		Name: "gocql/DCAwareRoundRobinPolicy", Doc: gocqlVersion + ", DCAwareRoundRobinPolicy with all hosts in the local data centre",
		New:    cassandra(func() gocql.HostSelectionPolicy { return gocql.DCAwareRoundRobinPolicy("") }),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": folded,
		},
	},
}

// folded is what an update does to a rotation that is a counter modulo n.
const folded = "The turn is a counter modulo the number of hosts that are up. Whenever a host goes down, comes back, joins or leaves, the rotation jumps to another place: a host may get two queries in a row, and another wait for almost two rounds. " +
	"It is one jump for each change of the cluster, and every client jumps to its own place; shares over any longer time stay even."

// A hostPolicy drives a host selection policy: a pick is the first host of a
// query plan. A server of weight 0 is a host that is down.
type hostPolicy struct {
	policy gocql.HostSelectionPolicy

	mu    sync.Mutex
	hosts map[spec.ServerID]*gocql.HostInfo
	ids   map[*gocql.HostInfo]spec.ServerID
	down  map[spec.ServerID]bool
}

func cassandra(build func() gocql.HostSelectionPolicy) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		p := &hostPolicy{
			policy: build(), hosts: make(map[spec.ServerID]*gocql.HostInfo),
			ids: make(map[*gocql.HostInfo]spec.ServerID), down: make(map[spec.ServerID]bool),
		}
		return p, p.Update(f.Servers)
	}
}

func (p *hostPolicy) Update(fleet []spec.Server) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	stays := make(map[spec.ServerID]bool)
	for _, s := range fleet {
		stays[s.ID] = true
		h, known := p.hosts[s.ID]
		if !known {
			h = new(gocql.HostInfo).SetConnectAddress(net.IPv4(192, 0, byte(s.ID>>8), byte(s.ID)))
			p.hosts[s.ID], p.ids[h] = h, s.ID
			p.policy.AddHost(h)
		}
		switch down := s.Weight == 0; {
		case down && !p.down[s.ID]:
			p.policy.HostDown(h)
		case !down && p.down[s.ID]:
			p.policy.HostUp(h)
		}
		p.down[s.ID] = s.Weight == 0
	}
	for id, h := range p.hosts {
		if !stays[id] {
			p.policy.RemoveHost(h)
			delete(p.hosts, id)
			delete(p.down, id)
		}
	}
	return nil
}

func (p *hostPolicy) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	host := p.policy.Pick(nil)()
	if host == nil {
		return 0, nil, errors.New("gocql: the plan is empty")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids[host.Info()], func(o spec.Outcome) error {
		var err error
		if o.Failed {
			err = errFailed
		}
		host.Mark(err)
		return nil
	}, nil
}

var gocqlDeviations = []peers.Deviation{
	peers.SameFirstPick("gocql/RoundRobinHostPolicy", gocqlVersion, gocqlSubjects[0].New,
		"The rotation starts at the same position in every process. A fleet of clients that is restarted at once sends its first queries, and those of every burst that follows in step, to the same hosts."),
}
