// Command clients holds the balancers of microservice and database clients
// against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "clients",
	Versions: []string{gocqlVersion, kratosVersion, mongoVersion},
	Subjects: slices.Concat(gocqlSubjects, kratosSubjects, mongoSubjects),
	Frozen: slices.Concat(kratosFrozen,
		peers.WithOneOut(gocqlVersion, map[string]oracle.Law{
			"gocql/RoundRobinHostPolicy":    oracle.RoundRobin{},
			"gocql/DCAwareRoundRobinPolicy": oracle.RoundRobin{},
		}, gocqlSubjects),
		peers.WithOneOut(kratosVersion, map[string]oracle.Law{
			"kratos/random": oracle.Random{},
			"kratos/wrr":    oracle.RoundRobin{},
		}, kratosSubjects)),
	Deviations: slices.Concat(gocqlDeviations, kratosDeviations),
}

func main() { peers.Main(module.Subjects...) }
