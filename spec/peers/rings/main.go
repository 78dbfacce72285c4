// Command rings holds consistent hashes against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "rings",
	Versions:   []string{groupcacheVersion, redisVersion, rendezvousVersion, serialxVersion},
	Subjects:   slices.Concat(groupcacheSubjects, redisSubjects, rendezvousSubjects, serialxSubjects),
	Deviations: slices.Concat(groupcacheDeviations, rendezvousDeviations, serialxDeviations),
}

func main() { peers.Main(module.Subjects...) }
