// Command small holds the peers whose build is short against the picklaw
// specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "small",
	Versions: []string{fasthttpVersion, weightedrandVersion},
	Subjects: slices.Concat(fasthttpSubjects, weightedrandSubjects),
	Frozen: []peers.Frozen{{
		Name: "fasthttp/LBClient/one-out", Version: fasthttpVersion,
		Claim: oracle.LeastRequest{}, TiesOpen: true,
		Servers: 5, Build: usedLBClient, Out: []int{1},
	}},
	Deviations: slices.Concat(fasthttpDeviations),
}

func main() { peers.Main(module.Subjects...) }
