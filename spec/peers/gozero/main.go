// Command gozero holds the gRPC balancers of go-zero against the picklaw
// specification.
package main

import (
	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "gozero",
	Versions:   []string{version},
	Subjects:   subjects,
	Frozen:     peers.WithOneOut(version, map[string]oracle.Law{"go-zero/p2c_ewma": oracle.PowerOfD{D: 2}}, subjects),
	Deviations: deviations,
}

func main() { peers.Main(module.Subjects...) }
