package main

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const franzVersion = "github.com/twmb/franz-go v1.22.3"

var franzSubjects = []spec.Subject{
	{
		Name: "franz-go/RoundRobinPartitioner", Doc: franzVersion + ", RoundRobinPartitioner",
		New:    franz(kgo.RoundRobinPartitioner),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{})},
		Pinned: map[string]string{
			"round-robin/update": slotKept,
		},
	},
	{
		Name: "franz-go/StickyKeyPartitioner", Doc: franzVersion + ", StickyKeyPartitioner with keys",
		New:    franz(func() kgo.Partitioner { return kgo.StickyKeyPartitioner(nil) }),
		Claims: []spec.Option{spec.HashesKeys(), spec.SharesWithin(1.25)},
	},
	{
		Name: "franz-go/LeastBackupPartitioner", Doc: franzVersion + ", LeastBackupPartitioner with one record a batch",
		New:    franz(kgo.LeastBackupPartitioner),
		Claims: []spec.Option{spec.Law(oracle.LeastRequest{})},
	},
	{
		Name: "franz-go/UniformBytesPartitioner", Doc: franzVersion + ", UniformBytesPartitioner(1 byte, not adaptive, keys): a new partition for every record without a key",
		New:    franz(func() kgo.Partitioner { return kgo.UniformBytesPartitioner(1, false, true, nil) }),
		Claims: hashed(),
	},
}

// franz drives a partitioner of franz-go as its client does when every record
// fills a batch. What is in flight is what is buffered.
func franz(build func() kgo.Partitioner) spec.Factory {
	return driven(false, func() func([]byte, []spec.Server, []int) (int, error) {
		p := build().ForTopic("topic")
		return func(key []byte, open []spec.Server, inFlight []int) (int, error) {
			if b, ok := p.(kgo.TopicPartitionerOnNewBatch); ok {
				b.OnNewBatch()
			}
			r := &kgo.Record{Key: key, Value: []byte("a value")}
			if b, ok := p.(kgo.TopicBackupPartitioner); ok {
				return b.PartitionByBackup(r, len(open), &backup{inFlight, len(open)}), nil
			}
			return p.Partition(r, len(open)), nil
		}
	})
}

// backup iterates as the client's own iterator does, from the last partition.
type backup struct {
	buffered []int
	rest     int
}

func (b *backup) Rem() int { return b.rest }

func (b *backup) Next() (int, int64) {
	b.rest--
	return b.rest, int64(b.buffered[b.rest])
}

var franzDeviations = []peers.Deviation{
	peers.SameFirstPick("franz-go/RoundRobinPartitioner", franzVersion, franzSubjects[0].New,
		"The rotation starts at partition 0 in every process and for every topic. Short-lived producers never get further than the first partitions."),
	{
		Name: "franz-go/StickyPartitioner/neighbour-inherits", Version: franzVersion,
		State:    "3 partitions without keys, a new batch for every record",
		Expected: "after a batch, 1/2 for each of the other two partitions",
		Observed: "after a batch, 2/3 for the next partition and 1/3 for the one after",
		Effect: "A partition is drawn from all, and when it is the last one again, the next in order is taken instead, which so gets its own share and that of the last. The shares over a long time are even, but batches tend to walk through the partitions in order: with n partitions the successor is chosen with 2/n, twice as often as any other. " +
			"Where neighbouring partitions have their leader on one broker, consecutive batches meet there more often than a random choice among the others would make them. The Java client draws again until the partition is another one.",
		Observe: observeSticky,
	},
}

func observeSticky() (string, error) {
	p := kgo.StickyPartitioner().ForTopic("topic")
	// 1/2 and 2/3 are 1/6 apart; by Hoeffding the frequency is on the wrong side of
	// the middle with probability exp(-2·3000/144) < 1e-18.
	const batches = 3000
	last, next := 0, 0
	for k := range batches + 1 {
		p.(kgo.TopicPartitionerOnNewBatch).OnNewBatch()
		at := p.Partition(&kgo.Record{}, 3)
		if k > 0 {
			if at == last {
				return fmt.Sprintf("partition %d twice in a row", at), nil
			}
			if at == (last+1)%3 {
				next++
			}
		}
		last = at
	}
	if 12*next < 7*batches {
		return "after a batch, 1/2 for each of the other two partitions", nil
	}
	return "after a batch, 2/3 for the next partition and 1/3 for the one after", nil
}
