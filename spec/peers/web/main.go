// Command web holds balancers of HTTP clients and proxies against the picklaw
// specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "web",
	Versions: []string{elasticVersion, echoVersion, olivereVersion, opensearchVersion, restyVersion},
	Subjects: slices.Concat(elasticSubjects, echoSubjects, olivereSubjects, opensearchSubjects, restySubjects),
	Frozen: slices.Concat(
		peers.WithOneOut(elasticVersion, map[string]oracle.Law{"elastic/pool": oracle.RoundRobin{}}, elasticSubjects),
		peers.WithOneOut(echoVersion, map[string]oracle.Law{
			"echo/RandomBalancer":     oracle.Random{},
			"echo/RoundRobinBalancer": oracle.RoundRobin{},
		}, echoSubjects),
		peers.WithOneOut(restyVersion, map[string]oracle.Law{
			"resty/RoundRobin":         oracle.RoundRobin{},
			"resty/WeightedRoundRobin": oracle.RoundRobin{},
		}, restySubjects)),
	Deviations: slices.Concat(elasticDeviations, echoDeviations, olivereDeviations, opensearchDeviations, restyDeviations),
}

func main() { peers.Main(module.Subjects...) }
