// Command kafka holds the partitioners of Kafka clients against the picklaw
// specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "kafka",
	Versions: []string{saramaVersion, kafkaGoVersion, franzVersion},
	Subjects: slices.Concat(franzSubjects, kafkaGoSubjects, saramaSubjects),
	Frozen: slices.Concat(
		peers.WithOneOut(franzVersion, map[string]oracle.Law{
			"franz-go/RoundRobinPartitioner":   oracle.RoundRobin{},
			"franz-go/LeastBackupPartitioner":  oracle.LeastRequest{},
			"franz-go/UniformBytesPartitioner": oracle.Random{},
		}, franzSubjects),
		peers.WithOneOut(kafkaGoVersion, map[string]oracle.Law{
			"kafka-go/RoundRobin":      oracle.RoundRobin{},
			"kafka-go/LeastBytes":      oracle.RoundRobin{},
			"kafka-go/Murmur2Balancer": oracle.Random{},
		}, kafkaGoSubjects),
		peers.WithOneOut(saramaVersion, map[string]oracle.Law{
			"sarama/RandomPartitioner":     oracle.Random{},
			"sarama/RoundRobinPartitioner": oracle.RoundRobin{},
		}, saramaSubjects)),
	Deviations: slices.Concat(franzDeviations, kafkaGoDeviations, saramaDeviations),
}

func main() { peers.Main(module.Subjects...) }
