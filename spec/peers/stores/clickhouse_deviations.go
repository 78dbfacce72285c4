package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var clickhouseDeviations = []peers.Deviation{
	peers.SameFirstPick("clickhouse/RoundRobin", clickhouseVersion, clickhouseSubjects[0].New,
		"The rotation starts at the second address in every process. A pool opens a connection only when it has none to spare, so processes that need one or two have them all at the same server, for an hour by default."),
	{
		Name: "clickhouse/Random/fails-with-a-server-up", Version: clickhouseVersion,
		State:    "2 servers, one of them down; 1000 connections are opened",
		Expected: "every one opened, since a server is up",
		Observed: "some of them refused",
		Effect: "As many attempts are made as there are servers, but each draws a server anew, so that the same one is tried twice while another is not tried at all. With one of two servers down a quarter of the attempts to connect fail, with two of three down 30%, with one of three 4%: " +
			"errors in the application that in-order and round robin do not have (reported as ClickHouse/clickhouse-go#1653).",
		Observe: observeRandomRefusal,
	},
	{
		Name: "clickhouse/OpenDB/one-counter-for-all-pools", Version: clickhouseVersion,
		State:    "two pools for database/sql over the same 2 servers, with round robin; 20 connections opened by each in turn",
		Expected: "10 connections of each pool at each server",
		Observed: "the first pool has 20 connections at h1, the second 20 at h0",
		Effect:   "The number that round robin goes by counts all connections that the process opens, through any pool. Pools that open connections alternately, one for reads and one for writes say, are not spread over the servers but bound to one each; if one of them does the work, so does one server.",
		Observe:  observeSharedCounter,
	},
}

// observeRandomRefusal opens 1000 connections. All are opened with probability
// (3/4)^1000 < 1e-124 if servers are drawn anew.
func observeRandomRefusal() (string, error) {
	fleet := peers.Fleet(2)
	fleet[1].Weight = 0
	p, err := clickhouseOf(clickhouse.ConnOpenRandom)(spec.Fleet{Servers: fleet})
	if err != nil {
		return "", err
	}
	for range 1000 {
		if _, _, err := p.Pick(context.Background(), spec.Request{}); err != nil {
			return "some of them refused", nil
		}
	}
	return "every one opened", nil
}

// A dialled pool opens connections that fail as soon as they are there, and
// remembers to whom the first attempt went.
type dialled struct {
	connector driver.Connector
	attempts  []string
}

func newDialled(hosts ...string) *dialled {
	d := new(dialled)
	d.connector = clickhouse.Connector(&clickhouse.Options{
		Addr: hosts, ConnOpenStrategy: clickhouse.ConnOpenRoundRobin,
		DialContext: func(_ context.Context, address string) (net.Conn, error) {
			d.attempts = append(d.attempts, address)
			return nil, errors.New("there is no network")
		},
	})
	return d
}

func (d *dialled) open() (first string, err error) {
	before := len(d.attempts)
	if _, err := d.connector.Connect(context.Background()); err == nil {
		return "", errors.New("a connection without a network")
	}
	if len(d.attempts) == before {
		return "", errors.New("nobody was dialled")
	}
	return d.attempts[before], nil
}

func observeSharedCounter() (string, error) {
	pools := []*dialled{newDialled("h0", "h1"), newDialled("h0", "h1")}
	at := []map[string]int{make(map[string]int), make(map[string]int)}
	for range 20 {
		for k, p := range pools {
			first, err := p.open()
			if err != nil {
				return "", err
			}
			at[k][first]++
		}
	}
	switch {
	case at[0]["h1"] == 20 && at[1]["h0"] == 20:
		return "the first pool has 20 connections at h1, the second 20 at h0", nil
	case at[0]["h0"] == 10 && at[1]["h0"] == 10:
		return "10 connections of each pool at each server", nil
	}
	return fmt.Sprint("connections by pool and server: ", at), nil
}
