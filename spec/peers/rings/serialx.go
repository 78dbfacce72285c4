package main

import (
	"fmt"

	"github.com/serialx/hashring"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const serialxVersion = "github.com/serialx/hashring v0.0.0-20200727003509-22c0c7ab6b1b"

var serialxSubjects = []spec.Subject{
	{
		Name: "serialx/hashring", Doc: serialxVersion + ", New, AddNode and RemoveNode",
		New:    newSerialx,
		Claims: []spec.Option{spec.MapsKeys(), spec.SharesWithin(2), spec.Concurrent()},
		Pinned: map[string]string{
			"keys/shares": "New and AddNode give a server one point on the ring, so that the shares are those of a stick broken at random: the largest of n is 1 + 1/2 + ... + 1/n times the fair share on average, and of s0, s1, s2 one owns 82% of the keys. Weights multiply the points; only a ring with weights of 100 or so is even.",
		},
	},
	{
		Name: "serialx/hashring:weighted", Doc: serialxVersion + ", NewWithWeights with 100 times the weight",
		New:    newSerialxWeighted,
		Claims: []spec.Option{spec.MapsKeys(), spec.Weighted(), spec.SharesWithin(1.5), spec.Concurrent()},
	},
}

func newSerialx(f spec.Fleet) (spec.Picker, error) {
	h := hashring.New(names(f.Servers))
	u := &updated{ring: ring{ids: idsOf(f.Servers)}, fleet: f.Servers}
	u.lookup = func(key string) (string, bool) { return h.GetNode(key) }
	u.update = func(from, to []spec.Server) error {
		joined, left := changes(from, to)
		for _, s := range left {
			h = h.RemoveNode(s.Name)
		}
		for _, s := range joined {
			h = h.AddNode(s.Name)
		}
		return nil
	}
	return u, nil
}

func weights(servers []spec.Server) map[string]int {
	w := make(map[string]int)
	for _, s := range servers {
		if s.Weight > 0 {
			w[s.Name] = 100 * int(s.Weight)
		}
	}
	return w
}

func newSerialxWeighted(f spec.Fleet) (spec.Picker, error) {
	h := hashring.NewWithWeights(weights(f.Servers))
	u := &updated{ring: ring{ids: idsOf(f.Servers)}, fleet: f.Servers}
	u.lookup = func(key string) (string, bool) { return h.GetNode(key) }
	u.update = func(_, to []spec.Server) error {
		h.UpdateWithWeights(weights(to))
		return nil
	}
	return u, nil
}

var serialxDeviations = []peers.Deviation{
	{
		Name: "serialx/drained-server-keeps-keys", Version: serialxVersion,
		State:    "3 servers of weight 100, the weight of one then set to 0 with UpdateWeightedNode",
		Expected: "none of 2000 keys at the drained server",
		Observed: "keys stay at the drained server",
		Effect:   "A weight of zero is ignored without an error, so a server that is drained this way goes on getting its full share. A weight can be lowered to 1 at least; taking the server out needs RemoveNode.",
		Observe: func() (string, error) {
			h := hashring.NewWithWeights(map[string]int{"a": 100, "b": 100, "c": 100}).UpdateWeightedNode("b", 0)
			return keysAt(h, "b", "the drained server"), nil
		},
	},
	{
		Name: "serialx/update-through-the-same-map", Version: serialxVersion,
		State:    "a ring made with NewWithWeights from a map; the caller deletes one server from that map and hands it to UpdateWithWeights",
		Expected: "none of 2000 keys at the deleted server",
		Observed: "keys stay at the deleted server",
		Effect:   "The ring keeps the caller's map instead of a copy and compares the new weights with it, so a caller who maintains one map changes both sides at once. The update is taken for one that changes nothing, and a dead server keeps its keys.",
		Observe: func() (string, error) {
			w := map[string]int{"a": 100, "b": 100, "c": 100}
			h := hashring.NewWithWeights(w)
			delete(w, "b")
			h.UpdateWithWeights(w)
			return keysAt(h, "b", "the deleted server"), nil
		},
	},
}

func keysAt(h *hashring.HashRing, name, what string) string {
	for k := range 2000 {
		if node, _ := h.GetNode(fmt.Sprintf("key-%d", k)); node == name {
			return "keys stay at " + what
		}
	}
	return "no keys at " + what
}
