// Command clients holds the balancers of microservice and database clients
// against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "clients",
	Versions:   []string{gocqlVersion, kratosVersion, mongoVersion},
	Subjects:   slices.Concat(gocqlSubjects, kratosSubjects, mongoSubjects),
	Frozen:     kratosFrozen,
	Deviations: slices.Concat(gocqlDeviations, kratosDeviations),
}

func main() { peers.Main(module.Subjects...) }
