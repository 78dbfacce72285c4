package main

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const clickhouseVersion = "github.com/ClickHouse/clickhouse-go/v2 v2.51.0"

var clickhouseSubjects = []spec.Subject{
	{
		Name: "clickhouse/RoundRobin", Doc: clickhouseVersion + ", DefaultDialStrategy with ConnOpenRoundRobin",
		New:    clickhouseOf(clickhouse.ConnOpenRoundRobin),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/eligible": neighbour,
			"eligibility/share":    neighbour,
			"round-robin/update":   "The turn is a counter modulo the number of addresses. When that number changes, the rotation jumps to another place: a server may get two connections in a row, and another wait for almost two rounds. It is one jump for each change; shares over any longer time stay even.",
		},
	},
	{
		Name: "clickhouse/Random", Doc: clickhouseVersion + ", DefaultDialStrategy with ConnOpenRandom",
		New:    clickhouseOf(clickhouse.ConnOpenRandom),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.Concurrent()},
		Pinned: map[string]string{
			"eligibility/share": "Connecting fails now and then while servers are up, since a server that cannot be reached may be drawn every time: see clickhouse/Random/fails-with-a-server-up.",
		},
	},
}

var clickhouseFrozen = []peers.Frozen{{
	Name: "clickhouse/RoundRobin/one-out", Version: clickhouseVersion, Claim: oracle.RoundRobin{},
	Servers: 5, Build: clickhouseOf(clickhouse.ConnOpenRoundRobin), Out: []int{1},
	Pinned: neighbour,
}}

// neighbour is what a server that is down does to the rotation.
const neighbour = "A server that cannot be reached is passed over for the next one in the list, whose own turn comes right after. Of five servers with one down, the neighbour gets 2/5 of the connections and the other three 1/5 each: twice the load, until it goes down too and its own neighbour has three times the load."

// An opener drives the strategy by which a pool opens connections: a pick is a
// connection that is opened. A server of weight 0 cannot be reached.
type opener struct {
	strategy clickhouse.ConnOpenStrategy
	opened   atomic.Int64
	list
}

func clickhouseOf(strategy clickhouse.ConnOpenStrategy) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		o := &opener{strategy: strategy}
		o.set(f.Servers)
		return o, nil
	}
}

func (o *opener) Update(fleet []spec.Server) error {
	o.set(fleet)
	return nil
}

func (o *opener) Pick(ctx context.Context, _ spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	fleet := o.get()
	options := &clickhouse.Options{ConnOpenStrategy: o.strategy}
	servers := make(map[string]spec.Server)
	for _, s := range fleet {
		options.Addr = append(options.Addr, s.Name)
		servers[s.Name] = s
	}
	var reached spec.ServerID
	dial := func(_ context.Context, address string, _ *clickhouse.Options) (clickhouse.DialResult, error) {
		if servers[address].Weight == 0 {
			return clickhouse.DialResult{}, errors.New(address + " cannot be reached")
		}
		reached = servers[address].ID
		return clickhouse.DialResult{}, nil
	}
	_, err := clickhouse.DefaultDialStrategy(ctx, int(o.opened.Add(1)), options, dial)
	return reached, nothing, err
}
