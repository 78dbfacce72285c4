// Command grpc holds the balancers of gRPC-Go against the picklaw specification.
package main

import (
	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "grpc",
	Versions: []string{version},
	Subjects: subjects(),
	Frozen: peers.WithOneOut(version, map[string]oracle.Law{
		"grpc/least_request":   oracle.PowerOfD{D: 2, Replacement: true},
		"grpc/least_request:3": oracle.PowerOfD{D: 3, Replacement: true},
		"grpc/round_robin":     oracle.RoundRobin{},
	}, subjects()),
	Deviations: deviations,
}

func main() { peers.Main(module.Subjects...) }
