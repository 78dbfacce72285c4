// Command kafka holds the partitioners of Kafka clients against the picklaw
// specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:       "kafka",
	Versions:   []string{saramaVersion, kafkaGoVersion, franzVersion},
	Subjects:   slices.Concat(franzSubjects, kafkaGoSubjects, saramaSubjects),
	Deviations: slices.Concat(franzDeviations, kafkaGoDeviations, saramaDeviations),
}

func main() { peers.Main(module.Subjects...) }
