// Command clients holds the balancers of microservice and database clients
// against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "clients",
	Versions:   []string{kratosVersion, gocqlVersion},
	Subjects:   slices.Concat(gocqlSubjects, kratosSubjects),
	Frozen:     kratosFrozen,
	Deviations: slices.Concat(gocqlDeviations, kratosDeviations),
}

func main() { peers.Main(module.Subjects...) }
