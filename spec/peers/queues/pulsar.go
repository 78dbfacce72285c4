package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const pulsarVersion = "github.com/apache/pulsar-client-go v0.19.0"

var pulsarSubjects = []spec.Subject{{
	Name: "pulsar/DefaultRouter", Doc: pulsarVersion + ", NewDefaultRouter without batching, messages without keys",
	New: func(f spec.Fleet) (spec.Picker, error) {
		route := router(true)
		return newProducer(func(_ string, open []spec.Server) (int, error) {
			return route(&pulsar.ProducerMessage{}, uint32(len(open))), nil
		}, f.Servers), nil
	},
	Claims: []spec.Option{spec.Law(oracle.RoundRobin{})},
	Pinned: map[string]string{
		"round-robin/update": "The turn is a counter modulo the number of partitions. When that number changes, the rotation jumps to another place: a partition may get two messages in a row, and another wait for almost two rounds. It is one jump for each change; shares over any longer time stay even.",
	},
}}

// What a producer batches by unless told otherwise.
const (
	batchMessages = 1000
	batchSize     = 128 * 1024
	batchDelay    = 10 * time.Millisecond
)

// router is the default one. Messages here have no keys, so nothing is hashed.
func router(withoutBatches bool) func(*pulsar.ProducerMessage, uint32) int {
	return pulsar.NewDefaultRouter(nil, batchMessages, batchSize, batchDelay, withoutBatches)
}

var pulsarDeviations = []peers.Deviation{
	{
		Name: "pulsar/DefaultRouter/one-more-than-a-batch", Version: pulsarVersion,
		State:    "3 partitions, batches of 1000 messages; 5000 empty messages without keys, all at once",
		Expected: "runs of 1000 at a partition",
		Observed: "runs of 1000 1001 1001 1001 at a partition",
		Effect:   "The message that moves on to the next partition is not counted there. From the second partition on the producer sends one message more than a batch holds: a full batch, and then a batch of one, which waits for its delay of 10 ms or for the rotation to come round. Under full load half of all batches hold a single message, and one message in a thousand is late.",
		Observe:  func() (string, error) { return runs(5000, 0) },
	},
	{
		Name: "pulsar/DefaultRouter/slow-producer-stays", Version: pulsarVersion,
		State:    "3 partitions, batches of 10 ms at most; 350 empty messages without keys, one every 100 ms",
		Expected: "runs of 1 at a partition, since the delay has passed each time",
		Observed: "runs of 99 100 100 at a partition",
		Effect:   "The clock is looked at for every hundredth message only. A producer of ten messages a second stays with one partition for ten seconds, though its batches are long gone, and one that sends fewer than a hundred messages in its life uses a single partition. Consumers of the other partitions are idle meanwhile.",
		Observe:  func() (string, error) { return runs(350, 100*time.Millisecond) },
	},
}

// runs sends messages, with a pause after each, and tells how many went to one
// partition before the next, but for the last run, which may go on.
func runs(messages int, pause time.Duration) (string, error) {
	bubble := peers.NewBubble()
	var route func(*pulsar.ProducerMessage, uint32) int
	bubble.Do(func() { route = router(false) })
	lengths, last := []int{0}, -1
	for range messages {
		var at int
		bubble.Do(func() { at = route(&pulsar.ProducerMessage{}, 3) })
		if last >= 0 && at != last {
			lengths = append(lengths, 0)
		}
		lengths[len(lengths)-1]++
		last = at
		if pause > 0 {
			bubble.Sleep(pause)
		}
	}
	lengths = lengths[:len(lengths)-1]
	if len(slices.Compact(slices.Clone(lengths))) == 1 {
		return fmt.Sprintf("runs of %d at a partition", lengths[0]), nil
	}
	text := "runs of"
	for _, n := range lengths {
		text += fmt.Sprint(" ", n)
	}
	return text + " at a partition", nil
}
