package main

import (
	"fmt"

	_ "google.golang.org/grpc/balancer/leastrequest"
	_ "google.golang.org/grpc/balancer/ringhash"
	_ "google.golang.org/grpc/balancer/roundrobin"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

const version = "google.golang.org/grpc v1.85.0"

// subjects are the balancers of gRPC-Go, as it documents them (gRFC A48 for
// least request).
func subjects() []spec.Subject {
	return []spec.Subject{
		{
			Name: "grpc/least_request",
			Doc:  version + ", least_request_experimental, choiceCount 2",
			New:  balancerOf("least_request_experimental", `{}`),
			Claims: append(counting(),
				spec.Law(oracle.PowerOfD{D: 2, Replacement: true})),
		},
		{
			Name: "grpc/least_request:3",
			Doc:  version + ", least_request_experimental, choiceCount 3",
			New:  balancerOf("least_request_experimental", `{"choiceCount": 3}`),
			Claims: append(counting(),
				spec.Law(oracle.PowerOfD{D: 3, Replacement: true})),
		},
		{
			Name: "grpc/least_request-as-distinct",
			Doc:  version + ", least_request_experimental, as if its two choices were distinct",
			New:  balancerOf("least_request_experimental", `{}`),
			Claims: append(counting(),
				spec.Law(oracle.PowerOfD{D: 2})),
			Pinned: map[string]string{
				"power-of-d/pick-law":             "The two choices may be the same server, so the most loaded of n servers still gets 1/n² of the requests: a ninth of three servers, where the textbook's power of two sends it none.",
				"conservation/after-churn":        "Failures and cancelled requests change nothing about that: a ninth of the requests still goes to the most loaded of three servers.",
				"continuity/law-after-updates":    "Endpoints that join and leave change nothing about that: a ninth of the requests still goes to the most loaded of three servers.",
				"concurrency/conservation":        "Many requests at once change nothing about that: a ninth of the requests still goes to the most loaded of three servers.",
				"continuity/counts-across-update": "An update of the address list changes nothing about that: a ninth of the requests still goes to the most loaded of three servers.",
				"law/fleet-sizes":                 "Of two servers, where it weighs most, the busier one gets a quarter of the requests, where the textbook sends it none. From eight servers on the difference is a matter of a few parts in a hundred.",
				"law/deep-loads":                  "It does not matter how far behind the most loaded server is: with 100 requests in flight, and at most 9 at each of the others, it still gets a 25th of the requests to five servers.",
				"law/long-use":                    "It stays that way: after thousands of requests the most loaded of five servers still gets a 25th.",
				"order/relabelling":               "It has nothing to do with names or their order: whichever of five servers is the most loaded, it gets a 25th.",
				"eligibility/share":               "Endpoints that fail their health check are left out as they should be; of the four that are left the most loaded gets a 16th.",
			},
		},
		{
			Name:   "grpc/round_robin",
			Doc:    version + ", round_robin",
			New:    balancerOf("round_robin", `{}`),
			Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
			Pinned: map[string]string{
				"round-robin/update": "Every update of the address list builds a new rotation that starts at a random endpoint, and from nine endpoints on in another order: see grpc/round_robin/restarts-when-resolved and grpc/round_robin/another-order. " +
					"An endpoint that was just picked may be picked again at once, and one that was due may wait for almost two rounds. That is no more than a hiccup at each update; where updates come as often as requests it is random routing.",
			},
		},
		{
			Name: "grpc/ring_hash",
			Doc:  version + ", ring_hash_experimental with the default ring of 1024 to 4096 points",
			New:  channel.InBubble("ring_hash_experimental", `{"requestHashHeader": "key"}`),
			Claims: []spec.Option{
				spec.MapsKeys(), spec.Weighted(), spec.SharesWithin(1.25), spec.Concurrent(),
			},
			Pinned: map[string]string{
				"keys/join":  "The ring has about 1024 points whatever the number of servers (gRFC A42, as Envoy), so a server that joins takes points away from the others besides adding its own. Keys of a point that goes away move between servers that were there before and still are: see grpc/ring_hash/size-of-the-ring. Caches behind it lose more than the share of the newcomer.",
				"keys/leave": "When a server leaves, the others get more points, which take keys from servers that stay.",
			},
		},
	}
}

// counting is what every variant of least request claims: the counter of an
// endpoint goes up when it is picked and down when the request ends, whatever
// its status, and survives an update of the address list.
func counting() []spec.Option {
	return []spec.Option{spec.CountsInFlight(), spec.KeepsCounts(), spec.Concurrent()}
}

func balancerOf(name, config string) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		c, err := channel.New(name, config, f.Servers)
		if err != nil {
			return nil, fmt.Errorf("grpc: %s over %d servers: %w", name, len(f.Servers), err)
		}
		return c, nil
	}
}
