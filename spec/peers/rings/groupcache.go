package main

import (
	"fmt"

	"github.com/golang/groupcache/consistenthash"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const groupcacheVersion = "github.com/golang/groupcache v0.0.0-20241129210726-2c02b8208cf8"

// groupcacheReplicas is what groupcache's HTTP pool uses unless told otherwise.
const groupcacheReplicas = 50

var groupcacheSubjects = []spec.Subject{{
	Name: "groupcache/consistenthash",
	Doc:  groupcacheVersion + ", consistenthash.Map with 50 replicas and CRC-32",
	New:  newGroupcache,
	Claims: []spec.Option{
		spec.MapsKeys(), spec.SharesWithin(1.5), spec.Concurrent(),
	},
	Pinned: map[string]string{
		"keys/shares": "CRC-32 maps names that differ in one character to points that are not independent. Of servers named s0, s1, s2 one owns 57% of the keys, and of s0 to s7 one owns 23%, 1.8 times its fair share. " +
			"With 50 independent points a server, P(share > 1.5/n) is that of a Beta(50, 50(n-1)): 2e-5 for three servers, 3e-4 for eight. The cache of that server holds less of what it is asked for, and its process works nearly twice as hard as the others. Longer names, or another hash function, are less uneven.",
	},
}}

func newGroupcache(f spec.Fleet) (spec.Picker, error) {
	m := consistenthash.New(groupcacheReplicas, nil)
	m.Add(names(f.Servers)...)
	return &ring{idsOf(f.Servers), func(key string) (string, bool) { name := m.Get(key); return name, name != "" }}, nil
}

var groupcacheDeviations = []peers.Deviation{{
	Name: "groupcache/order-of-servers", Version: groupcacheVersion,
	State:    "the servers \"1\" and \"11\", added in this order by one client and in the other by another",
	Expected: "both clients send all of 2000 keys to the same servers",
	Observed: "they disagree about some keys",
	Effect: "The points of a server are the hashes of a counter followed by its name, without anything in between, so that point 1 of \"11\" and point 11 of \"1\" are one; 32 bits of CRC make others meet by chance. Whoever is added last owns such a point. " +
		"Peers that learn of each other in another order then disagree about who owns a key, and the value is loaded and cached twice.",
	Observe: observeOrder,
}}

func observeOrder() (string, error) {
	one, two := consistenthash.New(groupcacheReplicas, nil), consistenthash.New(groupcacheReplicas, nil)
	one.Add("1", "11")
	two.Add("11", "1")
	for k := range 2000 {
		if key := fmt.Sprintf("key-%d", k); one.Get(key) != two.Get(key) {
			return "they disagree about some keys", nil
		}
	}
	return "they agree about all keys", nil
}
