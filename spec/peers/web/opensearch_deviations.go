package main

import (
	"net/http"

	"github.com/picklaw/picklaw/spec/peers"
)

var opensearchDeviations = []peers.Deviation{{
	Name: "opensearch/Perform/impatient-caller", Version: opensearchVersion,
	State:    "5 nodes that answer in 4 ms; one request that its caller cancels after 2 ms; then 100 requests that nobody cancels",
	Expected: "the 100 requests at 5 of 5 nodes",
	Observed: "the 100 requests at 4 of 5 nodes",
	Effect: "A request that its caller cancels counts as a failure of the node that was working on it, which is out until a health check some seconds later and then comes back a few requests at a time. Users who leave, and deadlines that are short, take healthy nodes out one after another; " +
		"the load on the others grows with every one, and with it the latency that makes callers give up.",
	Observe: func() (string, error) {
		return observeImpatience(func(network http.RoundTripper) (performer, error) {
			return newOpensearchTransport(peers.Fleet(5), network)
		})
	},
}}
