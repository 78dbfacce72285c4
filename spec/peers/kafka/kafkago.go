package main

import (
	"fmt"
	"slices"

	"github.com/segmentio/kafka-go"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const kafkaGoVersion = "github.com/segmentio/kafka-go v0.4.51"

var kafkaGoSubjects = []spec.Subject{
	{
		Name: "kafka-go/RoundRobin", Doc: kafkaGoVersion + ", RoundRobin",
		New:    kafkaGo(func() kafka.Balancer { return &kafka.RoundRobin{} }),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": counterFolded,
		},
	},
	{
		Name: "kafka-go/LeastBytes", Doc: kafkaGoVersion + ", LeastBytes with messages of one size, for which it is a rotation",
		New:    kafkaGo(func() kafka.Balancer { return &kafka.LeastBytes{} }),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": "A change of their number sets all counters back to zero, and the first partition wins ties: see kafka-go/LeastBytes/newcomer-forgets. A producer whose partitions lose and regain their leader more often than it writes sends everything to the first ones of the list.",
		},
	},
	{
		Name: "kafka-go/Hash", Doc: kafkaGoVersion + ", Hash over partitions 0 to n-1; a rotation without keys",
		New:    kafkaGo(func() kafka.Balancer { return &kafka.Hash{} }),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": counterFolded,
		},
	},
	{
		Name: "kafka-go/ReferenceHash", Doc: kafkaGoVersion + ", ReferenceHash over partitions 0 to n-1; random without keys",
		New:    kafkaGo(func() kafka.Balancer { return &kafka.ReferenceHash{} }),
		Claims: append(hashed(), spec.Concurrent()),
	},
	{
		Name: "kafka-go/CRC32Balancer", Doc: kafkaGoVersion + ", CRC32Balancer; random without keys",
		New:    kafkaGo(func() kafka.Balancer { return kafka.CRC32Balancer{} }),
		Claims: append(hashed(), spec.Concurrent()),
	},
	{
		Name: "kafka-go/Murmur2Balancer", Doc: kafkaGoVersion + ", Murmur2Balancer; random without keys",
		New:    kafkaGo(func() kafka.Balancer { return kafka.Murmur2Balancer{} }),
		Claims: append(hashed(), spec.Concurrent()),
	},
}

// hashed is what a partitioner claims that hashes keys, modulo the number of
// partitions, and spreads messages without keys at random.
func hashed() []spec.Option {
	return []spec.Option{spec.Law(oracle.Random{}), spec.HashesKeys(), spec.SharesWithin(1.25)}
}

// kafkaGo hands a balancer the partitions 0 to n-1, as kafka-go's Writer does.
func kafkaGo(build func() kafka.Balancer) spec.Factory {
	return driven(true, func() func([]byte, []spec.Server, []int) (int, error) {
		b := build()
		return func(key []byte, open []spec.Server, _ []int) (int, error) {
			return b.Balance(kafka.Message{Key: key, Value: []byte("a value")}, count(len(open))...), nil
		}
	})
}

func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

var kafkaGoDeviations = []peers.Deviation{
	peers.SameFirstPick("kafka-go/RoundRobin", kafkaGoVersion, kafkaGoSubjects[0].New,
		"The rotation starts at partition 0 in every process. Short-lived producers, such as jobs and functions that write a message or two, never get further than the first partitions of a topic."),
	peers.SameFirstPick("kafka-go/LeastBytes", kafkaGoVersion, kafkaGoSubjects[1].New,
		"Counters start at zero, and the first partition wins ties. Short-lived producers never get further than the first partitions of a topic."),
	{
		Name: "kafka-go/Hash/position-for-partition", Version: kafkaGoVersion,
		State:    "100 keys, partitions 3, 5 and 7 on offer",
		Expected: "every key at 3, 5 or 7",
		Observed: "Hash and ReferenceHash name partitions that were not on offer, CRC32Balancer and Murmur2Balancer none",
		Effect:   "Both return the position in the list instead of the partition that stands there. That is the same for partitions 0 to n-1, which is what Writer passes; a caller who offers some partitions only, say those that have a leader, has messages sent to others, and may drop or block them.",
		Observe:  observePositions,
	},
	{
		Name: "kafka-go/LeastBytes/replaced-partition", Version: kafkaGoVersion,
		State:    "partitions 0, 1, 2 for 10 messages, then 0, 1, 3",
		Expected: "partition 3 gets messages, 2 gets none",
		Observed: "partition 2 gets messages, 3 gets none",
		Effect:   "A change of the partitions is noticed by their number only. If one leaves while another joins, messages go on to the one that has left, for as long as the number stays the same.",
		Observe:  observeReplacement,
	},
	{
		Name: "kafka-go/LeastBytes/newcomer-forgets", Version: kafkaGoVersion,
		State:    "2 partitions, 0 with one message of 1000 bytes and 1 with one of 1 byte; then a third partition",
		Expected: "partitions 2 and 1 before 0 gets another message",
		Observed: "partition 0 gets the next message",
		Effect:   "When the number of partitions changes, all counters start again at zero, and ties go to the first: what was written so far is forgotten, also for partitions that stay.",
		Observe:  observeForgotten,
	},
}

func observePositions() (string, error) {
	on := []int{3, 5, 7}
	strays := func(b kafka.Balancer) bool {
		for k := range 100 {
			if p := b.Balance(kafka.Message{Key: fmt.Appendf(nil, "key-%d", k)}, on...); !slices.Contains(on, p) {
				return true
			}
		}
		return false
	}
	if strays(&kafka.Hash{}) && strays(&kafka.ReferenceHash{}) && !strays(kafka.CRC32Balancer{}) && !strays(kafka.Murmur2Balancer{}) {
		return "Hash and ReferenceHash name partitions that were not on offer, CRC32Balancer and Murmur2Balancer none", nil
	}
	return "otherwise", nil
}

func observeReplacement() (string, error) {
	b := &kafka.LeastBytes{}
	m := kafka.Message{Value: []byte("value")}
	for range 10 {
		b.Balance(m, 0, 1, 2)
	}
	got := make(map[int]int)
	for range 10 {
		got[b.Balance(m, 0, 1, 3)]++
	}
	if got[2] > 0 && got[3] == 0 {
		return "partition 2 gets messages, 3 gets none", nil
	}
	return fmt.Sprint(got), nil
}

func observeForgotten() (string, error) {
	b := &kafka.LeastBytes{}
	b.Balance(kafka.Message{Value: make([]byte, 1000)}, 0, 1)
	b.Balance(kafka.Message{Value: make([]byte, 1)}, 0, 1)
	return fmt.Sprintf("partition %d gets the next message", b.Balance(kafka.Message{Value: make([]byte, 1)}, 0, 1, 2)), nil
}
