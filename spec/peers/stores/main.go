// Command stores holds how clients of databases and caches choose a server,
// and hashes that they are built on, against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "stores",
	Versions: []string{arangoVersion, clickhouseVersion, memcacheVersion, jumpVersion, maglevVersion, rueidisVersion},
	Subjects: slices.Concat(arangoSubjects, clickhouseSubjects, memcacheSubjects, jumpSubjects, maglevSubjects, rueidisSubjects),
	Frozen: slices.Concat(clickhouseFrozen, peers.WithOneOut(rueidisVersion, map[string]oracle.Law{
		"rueidis/PreferReplica":      oracle.RoundRobin{},
		"rueidis/AZAffinity":         oracle.RoundRobin{},
		"rueidis/AZAffinity:primary": oracle.RoundRobin{},
	}, rueidisSubjects)),
	Deviations: slices.Concat(arangoDeviations, clickhouseDeviations, memcacheDeviations, jumpDeviations, maglevDeviations, rueidisDeviations),
}

func main() { peers.Main(module.Subjects...) }
