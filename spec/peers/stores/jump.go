package main

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/dgryski/go-jump"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const jumpVersion = "github.com/dgryski/go-jump v0.0.0-20170409065014-e1f439676b57"

var jumpSubjects = []spec.Subject{{
	Name: "dgryski/jump", Doc: jumpVersion + ", Hash of a key's FNV-1a over the list of servers",
	New:    newJump,
	Claims: []spec.Option{spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
}}

// A jumper maps keys to positions in the list of eligible servers.
type jumper struct{ list }

func newJump(f spec.Fleet) (spec.Picker, error) {
	j := new(jumper)
	j.set(eligible(f.Servers))
	return j, nil
}

func (j *jumper) Update(fleet []spec.Server) error {
	j.set(eligible(fleet))
	return nil
}

func (j *jumper) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	fleet := j.get()
	if len(fleet) == 0 {
		return 0, nil, errNoServer
	}
	return fleet[bucket(q.Key, len(fleet))].ID, nothing, nil
}

func bucket(key string, n int) int32 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return jump.Hash(h.Sum64(), n)
}

var jumpDeviations = []peers.Deviation{{
	Name: "dgryski/jump/leave", Version: jumpVersion,
	State:    "4 servers, the second of which leaves the list; 2000 keys",
	Expected: "500 keys move, or so, those of the server that left",
	Observed: "1319 keys move, 831 of them between servers that stay",
	Effect:   "Jump hash numbers its buckets, and only the last one can go without moving more than its own keys (Lamping and Veach 2014 say so). A list of servers from which any one may disappear shifts the numbers of those behind it: two thirds of the keys move when the second of four servers goes. It is for shards that are never lost, with replicas behind each number.",
	Observe:  observeLeave,
}}

func observeLeave() (string, error) {
	before := peers.Fleet(4)
	after := append(before[:1:1], before[2:]...)
	moved, between := 0, 0
	for _, key := range keys() {
		x, y := before[bucket(key, 4)], after[bucket(key, 3)]
		if x.ID != y.ID {
			moved++
			if x.ID != before[1].ID {
				between++
			}
		}
	}
	return fmt.Sprintf("%d keys move, %d of them between servers that stay", moved, between), nil
}
