// Command stores holds how clients of databases and caches choose a server
// against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "stores",
	Versions: []string{clickhouseVersion, memcacheVersion, jumpVersion, rueidisVersion},
	Subjects: slices.Concat(clickhouseSubjects, memcacheSubjects, jumpSubjects, rueidisSubjects),
	Frozen: slices.Concat(clickhouseFrozen, peers.WithOneOut(rueidisVersion, map[string]oracle.Law{
		"rueidis/PreferReplica":      oracle.RoundRobin{},
		"rueidis/AZAffinity":         oracle.RoundRobin{},
		"rueidis/AZAffinity:primary": oracle.RoundRobin{},
	}, rueidisSubjects)),
	Deviations: slices.Concat(clickhouseDeviations, memcacheDeviations, jumpDeviations, rueidisDeviations),
}

func main() { peers.Main(module.Subjects...) }
