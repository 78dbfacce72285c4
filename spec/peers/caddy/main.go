// Command caddy holds the selection policies of Caddy against the picklaw
// specification.
package main

import (
	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "caddy",
	Versions: []string{version},
	Subjects: subjects,
	Frozen: peers.WithOneOut(version, map[string]oracle.Law{
		"caddy/random":      oracle.Random{},
		"caddy/least_conn":  oracle.LeastRequest{},
		"caddy/round_robin": oracle.RoundRobin{},
	}, subjects),
	Deviations: deviations,
}

func main() { peers.Main(module.Subjects...) }
