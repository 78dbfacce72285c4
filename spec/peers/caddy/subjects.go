package main

import (
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const version = "github.com/caddyserver/caddy/v2 v2.11.9"

var subjects = []spec.Subject{
	{
		Name: "caddy/random", Doc: version + ", random",
		New:    proxied(false, func([]spec.Server) reverseproxy.Selector { return reverseproxy.RandomSelection{} }),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.Concurrent()},
	},
	{
		Name: "caddy/least_conn", Doc: version + ", least_conn",
		New:    proxied(false, func([]spec.Server) reverseproxy.Selector { return reverseproxy.LeastConnSelection{} }),
		Claims: append(counting(), spec.Law(oracle.LeastRequest{})),
	},
	{
		Name: "caddy/random_choose", Doc: version + ", random_choose 2",
		New:    proxied(false, choose(2)),
		Claims: append(counting(), spec.Law(oracle.PowerOfD{D: 2})),
		Pinned: map[string]string{
			"power-of-d/pick-law":             firstIdle,
			"conservation/after-churn":        "The counts come back as they should; what is left is that the first idle upstream of a sample is taken.",
			"continuity/law-after-updates":    "Upstreams that join and leave are counted as they should be; what is left is that the first idle upstream of a sample is taken.",
			"concurrency/conservation":        "Many requests at once leave the counts as they should be; what is left is that the first idle upstream of a sample is taken.",
			"law/fleet-sizes":                 "Of two idle upstreams the first gets every request. The more there are, the less it weighs: of 17 idle ones the first gets 2 of 17 requests, the second none, and every other one.",
			"law/long-use":                    "It is not a matter of warming up: after thousands of requests the first idle upstream of a sample is still taken.",
			"order/relabelling":               "It depends on the order of the configuration alone: whichever upstream is listed first is preferred while it is idle.",
			"eligibility/share":               "Upstreams that are taken out are left out as they should be; of those that are left the first idle one of a sample is taken.",
			"continuity/counts-across-update": "The counts survive a reload of the configuration as they should; what is left is that the first idle upstream of a sample is taken.",
		},
	},
	{
		Name: "caddy/random_choose:any-tie", Doc: version + ", random_choose 2, whichever of equally loaded upstreams it takes",
		New:    proxied(false, choose(2)),
		Claims: append(counting(), spec.Law(oracle.PowerOfD{D: 2}), spec.TiesOpen()),
	},
	{
		Name: "caddy/round_robin", Doc: version + ", round_robin",
		New:    proxied(false, func([]spec.Server) reverseproxy.Selector { return new(reverseproxy.RoundRobinSelection) }),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": "The counter belongs to the configuration, and a reload starts a new one at the same upstream: see caddy/round_robin/same-first-pick. Where upstreams are changed through the configuration, each change sends the next request there again; an upstream far down the list waits the longer the more often that happens.",
		},
	},
	{
		Name: "caddy/uri_hash", Doc: version + ", uri_hash",
		New:    proxied(true, func([]spec.Server) reverseproxy.Selector { return reverseproxy.URIHashSelection{} }),
		Claims: []spec.Option{spec.MapsKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
	},
}

const firstIdle = "Of the upstreams that it has drawn, the first in the order of the configuration that has nothing in flight is taken, without a coin; only ties between busy ones are broken fairly. " +
	"Of two idle upstreams the first gets every request, and of three the last gets a third, the first two thirds and the second none. A proxy with little traffic, where upstreams are mostly idle, sends most of it to the upstreams that are listed first, which also keeps their caches warm and the others' cold."

// counting is what policies claim that look at requests in flight. Caddy keeps
// the counts when its configuration is reloaded.
func counting() []spec.Option {
	return []spec.Option{spec.CountsInFlight(), spec.KeepsCounts(), spec.Concurrent()}
}

func choose(n int) func([]spec.Server) reverseproxy.Selector {
	return func([]spec.Server) reverseproxy.Selector { return reverseproxy.RandomChoiceSelection{Choose: n} }
}

func weighted(fleet []spec.Server) reverseproxy.Selector {
	s := new(reverseproxy.WeightedRoundRobinSelection)
	for _, server := range fleet {
		s.Weights = append(s.Weights, int(server.Weight))
	}
	return s
}
