package main

import (
	"fmt"

	"github.com/apache/rocketmq-client-go/v2/primitive"
	rocketmq "github.com/apache/rocketmq-client-go/v2/producer"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const rocketmqVersion = "github.com/apache/rocketmq-client-go/v2 v2.1.3-0.20251226070945-2173d070fd1b"

var rocketmqSubjects = []spec.Subject{
	{
		Name: "rocketmq/RandomQueueSelector", Doc: rocketmqVersion + ", NewRandomQueueSelector",
		New:    rocketmqOf(rocketmq.NewRandomQueueSelector),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.Concurrent()},
	},
	{
		Name: "rocketmq/RoundRobinQueueSelector", Doc: rocketmqVersion + ", NewRoundRobinQueueSelector, the default",
		New:    rocketmqOf(rocketmq.NewRoundRobinQueueSelector),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": "The turn is a counter modulo the number of queues. When that number changes, the rotation jumps to another place: a queue may get two messages in a row, and another wait for almost two rounds. It is one jump for each change; shares over any longer time stay even.",
		},
	},
	{
		Name: "rocketmq/HashQueueSelector", Doc: rocketmqVersion + ", NewHashQueueSelector, with sharding keys and without",
		New:    rocketmqOf(rocketmq.NewHashQueueSelector),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
	},
}

func rocketmqOf(build func() rocketmq.QueueSelector) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		selector := build()
		return newProducer(func(key string, open []spec.Server) (int, error) {
			m := primitive.NewMessage("topic", nil)
			if key != "" {
				m.WithShardingKey(key)
			}
			return selectQueue(selector, m, open, "")
		}, f.Servers), nil
	}
}

// selectQueue offers one queue of each broker, and tells which is chosen. last
// is the broker at which the message has just failed; empty for none.
func selectQueue(selector rocketmq.QueueSelector, m *primitive.Message, brokers []spec.Server, last string) (int, error) {
	var queues []*primitive.MessageQueue
	for i, s := range brokers {
		queues = append(queues, &primitive.MessageQueue{Topic: m.Topic, BrokerName: s.Name, QueueId: i})
	}
	q := selector.Select(m, queues, last)
	if q == nil {
		return 0, fmt.Errorf("no queue is chosen of %d", len(queues))
	}
	return q.QueueId, nil
}

var rocketmqDeviations = []peers.Deviation{
	peers.SameFirstPick("rocketmq/RoundRobinQueueSelector", rocketmqVersion, rocketmqSubjects[1].New,
		"The rotation starts at the second queue for every topic in every process. Producers that send one message for each run all send it to the same broker."),
	{
		Name: "rocketmq/RandomQueueSelector/retries-at-the-same-broker", Version: rocketmqVersion,
		State:    "3 brokers; a message has failed at s1 and is sent again, 1000 times",
		Expected: "no retry at s1, as with the round robin selector",
		Observed: "some retries at s1",
		Effect:   "The producer tells the selector which broker has just failed, and the random one does not listen. With one of three brokers down, each of the three retries that a message has by default meets it again with probability 1/3, and one message in 81 is lost although two brokers are up; with one of two down, one in 16.",
		Observe:  observeRetries,
	},
}

// observeRetries sees no retry at the failed broker with probability
// (2/3)^1000 < 1e-176 if the selector draws among all of them.
func observeRetries() (string, error) {
	selector := rocketmq.NewRandomQueueSelector()
	for range 1000 {
		i, err := selectQueue(selector, primitive.NewMessage("topic", nil), peers.Fleet(3), "s1")
		if err != nil {
			return "", err
		}
		if i == 1 {
			return "some retries at s1", nil
		}
	}
	return "no retry at s1", nil
}
