package main

import (
	"fmt"
	"hash/fnv"

	"github.com/dgryski/go-rendezvous"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const rendezvousVersion = "github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f"

var rendezvousSubjects = []spec.Subject{{
	Name: "dgryski/rendezvous", Doc: rendezvousVersion + ", New and Lookup with FNV-1a",
	New:    newRendezvous,
	Claims: []spec.Option{spec.MapsKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
}}

func fnv64(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func newRendezvous(f spec.Fleet) (spec.Picker, error) {
	r := rendezvous.New(names(f.Servers), fnv64)
	return &ring{idsOf(f.Servers), func(key string) (string, bool) { name := r.Lookup(key); return name, name != "" }}, nil
}

var rendezvousDeviations = []peers.Deviation{
	{
		Name: "dgryski/rendezvous/remove-panics", Version: rendezvousVersion,
		State:    "2 servers, one of them removed",
		Expected: "a structure over the other one",
		Observed: "panic: runtime error: index out of range [2] with length 2",
		Effect:   "Remove reads one element beyond the end of its list, for every fleet and every server, so the first server that leaves takes the whole process down. The structure can only be built anew.",
		Observe: func() (outcome string, err error) {
			defer func() {
				if v := recover(); v != nil {
					outcome = fmt.Sprint("panic: ", v)
				}
			}()
			r := rendezvous.New([]string{"a", "b"}, fnv64)
			r.Remove("b")
			return "key at " + r.Lookup("key"), nil
		},
	},
}
