package main

import (
	"context"
	"sync"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const elasticVersion = "github.com/elastic/elastic-transport-go/v8 v8.11.0"

var elasticSubjects = []spec.Subject{{
	Name: "elastic/pool", Doc: elasticVersion + ", NewConnectionPool with its default selector",
	New:    newElasticPool,
	Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
	Pinned: map[string]string{
		"round-robin/update": "The turn is a counter modulo the number of live connections. Whenever a node dies, comes back, joins or leaves, the rotation jumps to another place: a node may get two requests in a row, and another wait for almost two rounds. It is one jump for each change; shares over any longer time stay even.",
	},
}}

// An elasticPool drives the pool of connections that the transport of the
// official Elasticsearch client picks from. A server of weight 0 is a node that
// discovery does not find.
type elasticPool struct {
	mu   sync.Mutex
	pool elastictransport.ConnectionPool
	ids  map[string]spec.ServerID
}

func newElasticPool(f spec.Fleet) (spec.Picker, error) {
	pool, err := elastictransport.NewConnectionPool(connections(eligible(f.Servers)), nil)
	return &elasticPool{pool: pool, ids: idsOf(f.Servers)}, err
}

func connections(fleet []spec.Server) []*elastictransport.Connection {
	all := make([]*elastictransport.Connection, len(fleet))
	for i, s := range fleet {
		all[i] = &elastictransport.Connection{URL: urlOf(s.Name)}
	}
	return all
}

// Update is what discovery does with the nodes that it found: a pool of one node
// is built anew.
func (p *elasticPool) Update(fleet []spec.Server) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids = idsOf(fleet)
	found := connections(eligible(fleet))
	if pool, ok := p.pool.(elastictransport.UpdatableConnectionPool); ok {
		return pool.Update(found)
	}
	p.pool, err = elastictransport.NewConnectionPool(found, nil)
	return err
}

// Pick is one request.
func (p *elasticPool) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pool := p.pool
	c, err := pool.Next()
	if err != nil {
		return 0, nil, err
	}
	return p.ids[c.URL.Host], func(o spec.Outcome) error {
		if o.Failed {
			return pool.OnFailure(c)
		}
		return pool.OnSuccess(c)
	}, nil
}
