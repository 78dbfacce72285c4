// Command queues holds how producers of message queues choose a partition
// against the picklaw specification.
package main

import (
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec/peers"
)

var module = peers.Module{
	Name:     "queues",
	Versions: []string{pulsarVersion, rocketmqVersion},
	Subjects: slices.Concat(pulsarSubjects, rocketmqSubjects),
	Frozen: slices.Concat(
		peers.WithOneOut(pulsarVersion, map[string]oracle.Law{"pulsar/DefaultRouter": oracle.RoundRobin{}}, pulsarSubjects),
		peers.WithOneOut(rocketmqVersion, map[string]oracle.Law{
			"rocketmq/RandomQueueSelector":     oracle.Random{},
			"rocketmq/RoundRobinQueueSelector": oracle.RoundRobin{},
		}, rocketmqSubjects)),
	Deviations: slices.Concat(pulsarDeviations, rocketmqDeviations),
}

func main() { peers.Main(module.Subjects...) }
