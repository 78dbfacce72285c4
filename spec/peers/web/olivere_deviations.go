package main

import (
	"context"
	"fmt"
	"time"

	"github.com/olivere/elastic/v7"

	"github.com/picklaw/picklaw/spec/peers"
)

var olivereDeviations = []peers.Deviation{
	peers.SameFirstPick("olivere/elastic", olivereVersion, olivereSubjects[0].New,
		"The rotation starts at the first URL in every process, which is where the requests of short-lived jobs all go."),
	{
		Name: "olivere/NewSimpleClient/never-comes-back", Version: olivereVersion,
		State:    "3 nodes, one request to s1 fails; then 300 requests a day for 30 days, which all nodes would answer",
		Expected: "3000 requests at s1, or nearly so",
		Observed: "no request at s1",
		Effect:   "A node that has failed is marked as dead. A request that is already under way there may still succeed and bring it back; otherwise only a health check, a sniff, or the death of all others marks it as alive. The simple client has neither health checks nor sniffing, and so has every client in which both are switched off, as in front of a cloud service. One failed request takes a node out until every other node has failed too: in the end one node serves everybody.",
		Observe:  observeNeverBack,
	},
	{
		Name: "olivere/NewSimpleClient/refused-though-up", Version: olivereVersion,
		State:    "3 nodes, of which each has failed one request; all of them are well again a day later; 2 requests",
		Expected: "both requests answered",
		Observed: "the first refused without asking a node, the second answered",
		Effect:   "The request that finds all nodes dead marks them as alive, but for those that come after it. It fails itself, however long ago the failures were and however healthy the nodes are. A client that sends a request now and then sees failures that its cluster knows nothing of.",
		Observe:  observeRefusal,
	},
}

// An olivereClock is a client in a bubble.
type olivereClock struct {
	bubble  *peers.Bubble
	client  *elastic.Client
	servers *backends
}

func newOlivereClock(nodes int) (*olivereClock, error) {
	c := &olivereClock{bubble: peers.NewBubble(), servers: newBackends()}
	var err error
	c.bubble.Do(func() {
		c.client, err = elastic.NewSimpleClient(elastic.SetURL(baseURLs(peers.Fleet(nodes))...), elastic.SetHttpClient(c.servers))
	})
	return c, err
}

// request tells whether one request was answered.
func (c *olivereClock) request() (answered bool) {
	c.bubble.Do(func() {
		_, err := c.client.PerformRequest(context.Background(), elastic.PerformRequestOptions{Method: "GET", Path: "/"})
		answered = err == nil
	})
	return answered
}

func observeNeverBack() (string, error) {
	c, err := newOlivereClock(3)
	if err != nil {
		return "", err
	}
	c.servers.take("s1")
	for range 3 {
		c.request()
	}
	c.servers.take()
	before := c.servers.requests()
	for range 30 {
		c.bubble.Sleep(24 * time.Hour)
		for range 300 {
			if !c.request() {
				return "a request was not answered", nil
			}
		}
	}
	if n := count(c.servers.since(before), "s1"); n > 0 {
		return fmt.Sprintf("%d requests at s1", n), nil
	}
	return "no request at s1", nil
}

func observeRefusal() (string, error) {
	c, err := newOlivereClock(3)
	if err != nil {
		return "", err
	}
	c.servers.take("s0", "s1", "s2")
	for range 3 {
		c.request()
	}
	c.servers.take()
	c.bubble.Sleep(24 * time.Hour)
	before := c.servers.requests()
	first, second := c.request(), c.request()
	switch {
	case first && second:
		return "both requests answered", nil
	case !first && second && c.servers.requests() == before+1:
		return "the first refused without asking a node, the second answered", nil
	}
	return fmt.Sprintf("answered: %v %v, %d nodes asked", first, second, c.servers.requests()-before), nil
}
