// Command small holds the peers whose build is short against the picklaw
// specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "small",
	Versions:   []string{fasthttpVersion, weightedrandVersion},
	Subjects:   slices.Concat(fasthttpSubjects, weightedrandSubjects),
	Deviations: slices.Concat(fasthttpDeviations),
}

func main() { peers.Main(module.Subjects...) }
