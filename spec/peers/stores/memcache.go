package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/bradfitz/gomemcache/memcache"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const memcacheVersion = "github.com/bradfitz/gomemcache v0.0.0-20260422231931-4d751bb6e37c"

var memcacheSubjects = []spec.Subject{{
	Name: "gomemcache/ServerList", Doc: memcacheVersion + ", SetServers and PickServer",
	New:    newMemcache,
	Claims: []spec.Option{spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
}}

// A serverList drives the list that the client picks a server for a key from.
type serverList struct {
	servers memcache.ServerList
	list
}

func newMemcache(f spec.Fleet) (spec.Picker, error) {
	l := new(serverList)
	return l, l.Update(f.Servers)
}

// address is one of those that are reserved for documentation: names would be
// resolved.
func address(s spec.Server) string {
	return fmt.Sprintf("192.0.%d.%d:11211", s.ID>>8&0xff, s.ID&0xff)
}

func addresses(fleet []spec.Server) []string {
	var all []string
	for _, s := range fleet {
		all = append(all, address(s))
	}
	return all
}

// Update leaves out servers of weight 0.
func (l *serverList) Update(fleet []spec.Server) error {
	l.set(fleet)
	return l.servers.SetServers(addresses(eligible(fleet))...)
}

func (l *serverList) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	picked, err := l.servers.PickServer(q.Key)
	if err != nil {
		return 0, nil, err
	}
	for _, s := range l.get() {
		if address(s) == picked.String() {
			return s.ID, nothing, nil
		}
	}
	return 0, nil, fmt.Errorf("%v is not in the fleet", picked)
}

var memcacheDeviations = []peers.Deviation{
	{
		Name: "gomemcache/ServerList/join", Version: memcacheVersion,
		State:    "3 servers, a fourth joins; 2000 keys",
		Expected: "500 keys move, or so, all of them to the newcomer",
		Observed: "1493 of the keys move",
		Effect:   "A key belongs to its CRC-32 modulo the number of servers, so a change of that number moves all but 1/n of the keys. Adding a server to a cache empties three quarters of four servers at once, and what lies behind the cache takes that load; so does taking one away.",
		Observe:  func() (string, error) { return disagreements(peers.Fleet(3), peers.Fleet(4), "move") },
	},
	{
		Name: "gomemcache/ServerList/order-of-servers", Version: memcacheVersion,
		State:    "3 servers, listed by one client as s0 s1 s2 and by another as s1 s0 s2; 2000 keys",
		Expected: "both look for all keys at the same servers",
		Observed: "1372 of the keys are looked for at different servers",
		Effect:   "The position in the list decides, not the address. Clients that get the list from DNS, in whatever order, or that list it by hand in another, write to one server and read from another: values are missing, and what was invalidated through one client is still served through the other.",
		Observe: func() (string, error) {
			other := peers.Fleet(3)
			other[0], other[1] = other[1], other[0]
			return disagreements(peers.Fleet(3), other, "are looked for at different servers")
		},
	},
}

// disagreements counts the keys that two lists of servers place differently.
func disagreements(one, two []spec.Server, what string) (string, error) {
	var a, b memcache.ServerList
	if err := errors.Join(a.SetServers(addresses(one)...), b.SetServers(addresses(two)...)); err != nil {
		return "", err
	}
	n := 0
	for _, key := range keys() {
		x, y, err := owners(&a, &b, key)
		if err != nil {
			return "", err
		}
		if x.String() != y.String() {
			n++
		}
	}
	return fmt.Sprintf("%d of the keys %s", n, what), nil
}

func owners(a, b *memcache.ServerList, key string) (x, y net.Addr, err error) {
	if x, err = a.PickServer(key); err != nil {
		return nil, nil, err
	}
	y, err = b.PickServer(key)
	return x, y, err
}
