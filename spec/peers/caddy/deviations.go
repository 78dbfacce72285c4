package main

import (
	"fmt"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var deviations = []peers.Deviation{
	{
		Name: "caddy/random_choose/idle-pair", Version: version,
		State:    "2 upstreams, 1000 requests one after another",
		Expected: "about 500 requests at each",
		Observed: "1000 requests at the first, 0 at the second",
		Effect:   "While requests do not overlap, the second upstream of a pair gets nothing at all, and takes its first request when the first upstream is busy. It is not warm then, and its failure is not noticed before.",
		Observe: func() (string, error) {
			p, err := proxied(false, choose(2))(spec.Fleet{Servers: peers.Fleet(2)})
			if err != nil {
				return "", err
			}
			turns, err := peers.Sequence(p, 1000)
			if err != nil {
				return "", err
			}
			first := int(1000 * peers.Share(turns, peers.Fleet(2)[0].ID))
			return fmt.Sprintf("%d requests at the first, %d at the second", first, 1000-first), nil
		},
	},
	{
		Name: "caddy/weighted_round_robin/weights-slide", Version: version,
		State:    "weights 5 1 1, the first upstream is full (max_requests 1); 70 requests one after another",
		Expected: "35 requests at each of the other two, whose weights are equal",
		Observed: "60 requests at the second, 10 at the third",
		Effect: "The turn is found among the configured weights, but counted off on the list of upstreams that are available. When one is not, all behind it move up and inherit the weight of the one before: here the second gets the first one's 5 and the third's 1. " +
			"The larger the machine that fails, the more of its traffic lands on its neighbour alone, which is sized for a seventh of the total.",
		Observe: observeSliding,
	},
	peers.SameFirstPick("caddy/round_robin", version, subjects[4].New,
		"The rotation starts at the same upstream in every process and after every reload of the configuration, since the counter belongs to the configuration. Frequent reloads, or many proxies that are restarted at once, favour it."),
}

func observeSliding() (string, error) {
	fleet := peers.Fleet(3)
	fleet[0].Weight = 5
	picker, err := proxied(false, weighted)(spec.Fleet{Servers: fleet})
	if err != nil {
		return "", err
	}
	p := picker.(*proxy)
	if err := p.serve(fleet, 1); err != nil {
		return "", err
	}
	if err := peers.Hold(p, fleet[0].ID, 1); err != nil {
		return "", err
	}
	turns, err := peers.Sequence(p, 70)
	if err != nil {
		return "", err
	}
	at := make(map[spec.ServerID]int)
	for _, id := range turns {
		at[id]++
	}
	return fmt.Sprintf("%d requests at the second, %d at the third", at[fleet[1].ID], at[fleet[2].ID]), nil
}
