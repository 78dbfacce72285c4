package main

import (
	"github.com/IBM/sarama"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const saramaVersion = "github.com/IBM/sarama v1.61.1"

var saramaSubjects = []spec.Subject{
	{
		Name: "sarama/RandomPartitioner", Doc: saramaVersion + ", NewRandomPartitioner",
		New:    ofSarama(sarama.NewRandomPartitioner),
		Claims: []spec.Option{spec.Law(oracle.Random{})},
	},
	{
		Name: "sarama/RoundRobinPartitioner", Doc: saramaVersion + ", NewRoundRobinPartitioner",
		New:    ofSarama(sarama.NewRoundRobinPartitioner),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{})},
		Pinned: map[string]string{
			"round-robin/update": slotKept,
		},
	},
	{
		Name: "sarama/HashPartitioner", Doc: saramaVersion + ", NewHashPartitioner; random without keys",
		New: ofSarama(sarama.NewHashPartitioner), Claims: hashed(),
	},
	{
		Name: "sarama/ReferenceHashPartitioner", Doc: saramaVersion + ", NewReferenceHashPartitioner; random without keys",
		New: ofSarama(sarama.NewReferenceHashPartitioner), Claims: hashed(),
	},
	{
		Name: "sarama/ConsistentCRCHashPartitioner", Doc: saramaVersion + ", NewConsistentCRCHashPartitioner; random without keys",
		New: ofSarama(sarama.NewConsistentCRCHashPartitioner), Claims: hashed(),
	},
	{
		Name: "sarama/Murmur2Partitioner", Doc: saramaVersion + ", NewMurmur2Partitioner; random without keys",
		New: ofSarama(sarama.NewMurmur2Partitioner), Claims: hashed(),
	},
}

func ofSarama(build sarama.PartitionerConstructor) spec.Factory {
	return driven(false, func() func([]byte, []spec.Server, []int) (int, error) {
		p := build("topic")
		return func(key []byte, open []spec.Server, _ []int) (int, error) {
			m := &sarama.ProducerMessage{Topic: "topic"}
			if key != nil {
				m.Key = sarama.ByteEncoder(key)
			}
			i, err := p.Partition(m, int32(len(open)))
			return int(i), err
		}
	})
}

var saramaDeviations = []peers.Deviation{
	peers.SameFirstPick("sarama/RoundRobinPartitioner", saramaVersion, saramaSubjects[1].New,
		"The rotation starts at partition 0 in every process and for every topic. Short-lived producers never get further than the first partitions."),
}
