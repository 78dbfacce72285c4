package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var elasticDeviations = []peers.Deviation{
	peers.SameFirstPick("elastic/pool", elasticVersion, elasticSubjects[0].New,
		"The rotation starts at the first node in every process. Jobs that send a request or two send them there, all of them."),
	{
		Name: "elastic/pool/failures-add-up", Version: elasticVersion,
		State:    "3 nodes; one request to s0 fails once a day, all others succeed",
		Expected: "s0 out for 1m0s each time",
		Observed: "s0 out for 1m0s 2m0s 4m0s 8m0s 16m0s 32m0s 32m0s",
		Effect: "The back-off doubles with the number of failures, which is meant to be reset by a success. But a node that comes back after its time is no longer marked as dead, and OnSuccess does nothing for a node that is not: its failures are never forgotten. " +
			"In a process that has run for weeks the sixth failed request, whatever lies between, takes a healthy node out for half an hour, and the other nodes carry its load.",
		Observe: observeElasticFailures,
	},
	{
		Name: "elastic/pool/removed-node-returns", Version: elasticVersion,
		State:    "3 nodes, a request in flight at s2; discovery finds s0 and s1 only, then the request fails; 2 minutes later 300 requests",
		Expected: "no request at s2, which has left the cluster",
		Observed: "100 requests at s2",
		Effect:   "A failure schedules the return of its node without asking whether the node is still one of the cluster. A node that is stopped while it works on requests, or that had failed just before it was found missing, gets a third of the traffic again one minute after it was removed. It stays until discovery runs again, which by default it does not.",
		Observe:  observeRemovedNode,
	},
	{
		Name: "elastic/pool/restarted-node-twice", Version: elasticVersion,
		State:    "3 nodes; a request to s2 fails; discovery finds s0 and s1, then all three again; 2 minutes and one more discovery later 300 requests",
		Expected: "100 requests at s2",
		Observed: "150 requests at s2",
		Effect: "The node that discovery finds again is a new entry, and the old one returns after its back-off beside it. Discovery compares addresses and finds nothing wrong, so the node has two turns in each round from then on. " +
			"Every restart of a node that takes longer than the interval of discovery and shorter than the back-off adds one more.",
		Observe: observeRestartedNode,
	},
	{
		Name: "elastic/Perform/impatient-caller", Version: elasticVersion,
		State:    "5 nodes that answer in 4 ms; one request that its caller cancels after 2 ms; then 100 requests that nobody cancels",
		Expected: "the 100 requests at 5 of 5 nodes",
		Observed: "the 100 requests at 1 of 5 nodes",
		Effect: "An error of the caller's own context counts as a failure of the node, and the request is tried again, three times by default, although its context has ended; each try fails at once and takes another node out for a minute. One user who closes the browser takes four healthy nodes away from everybody, and the fifth gets all of their load. " +
			"Together with failures that add up, callers with tight deadlines, which count the same, keep most of the nodes out for half an hour at a time.",
		Observe: func() (string, error) {
			return observeImpatience(func(network http.RoundTripper) (performer, error) {
				return newElasticTransport(peers.Fleet(5), network)
			})
		},
	},
}

func newElasticTransport(fleet []spec.Server, network http.RoundTripper) (*elastictransport.Client, error) {
	var urls []*url.URL
	for _, s := range fleet {
		urls = append(urls, urlOf(s.Name))
	}
	return elastictransport.NewClient(elastictransport.WithURLs(urls...), elastictransport.WithTransport(network))
}

// An elasticClock is a pool in a bubble.
type elasticClock struct {
	bubble *peers.Bubble
	pool   elastictransport.ConnectionPool
}

func newElasticClock(nodes int) (*elasticClock, error) {
	c := &elasticClock{bubble: peers.NewBubble()}
	var err error
	c.bubble.Do(func() { c.pool, err = elastictransport.NewConnectionPool(connections(peers.Fleet(nodes)), nil) })
	return c, err
}

// at takes picks until one is at the node, and ends the others well.
func (c *elasticClock) at(name string) (node *elastictransport.Connection, err error) {
	for range len(c.pool.URLs()) {
		if node, err = c.next(); err != nil || node.URL.Host == name {
			return node, err
		}
		c.end(node, true)
	}
	return nil, fmt.Errorf("%s is not in the rotation", name)
}

func (c *elasticClock) next() (node *elastictransport.Connection, err error) {
	c.bubble.Do(func() { node, err = c.pool.Next() })
	return node, err
}

// end is how a request ends. That a node is not there any more is no error of
// the request.
func (c *elasticClock) end(node *elastictransport.Connection, well bool) {
	c.bubble.Do(func() {
		if well {
			_ = c.pool.OnSuccess(node)
		} else {
			_ = c.pool.OnFailure(node)
		}
	})
}

// share is how many of the next n requests go to the node. They succeed.
func (c *elasticClock) share(name string, n int) (int, error) {
	at := 0
	for range n {
		node, err := c.next()
		if err != nil {
			return 0, err
		}
		if node.URL.Host == name {
			at++
		}
		c.end(node, true)
	}
	return at, nil
}

// discover tells the pool of the first n nodes of the fleet.
func (c *elasticClock) discover(n int) (err error) {
	c.bubble.Do(func() {
		err = c.pool.(elastictransport.UpdatableConnectionPool).Update(connections(peers.Fleet(n)))
	})
	return err
}

func (c *elasticClock) knows(name string) bool {
	return slices.ContainsFunc(c.pool.URLs(), func(u *url.URL) bool { return u.Host == name })
}

func observeElasticFailures() (string, error) {
	c, err := newElasticClock(3)
	if err != nil {
		return "", err
	}
	const failures = 7
	var out []string
	for range failures {
		node, err := c.at("s0")
		if err != nil {
			return "", err
		}
		c.end(node, false)
		var gone time.Duration
		for ; !c.knows("s0"); gone += time.Second {
			c.bubble.Sleep(time.Second)
		}
		out = append(out, gone.String())
		// A day of requests that succeed.
		if n, err := c.share("s0", 300); err != nil || n != 100 {
			return fmt.Sprintf("%d of 300 requests at s0", n), err
		}
		c.bubble.Sleep(24 * time.Hour)
	}
	if len(slices.Compact(slices.Clone(out))) == 1 {
		return "s0 out for " + out[0] + " each time", nil
	}
	return "s0 out for " + strings.Join(out, " "), nil
}

func observeRemovedNode() (string, error) {
	c, err := newElasticClock(3)
	if err != nil {
		return "", err
	}
	node, err := c.at("s2")
	if err != nil {
		return "", err
	}
	if err := c.discover(2); err != nil {
		return "", err
	}
	if n, err := c.share("s2", 300); err != nil || n > 0 {
		return "discovery does not remove s2", err
	}
	c.end(node, false)
	c.bubble.Sleep(2 * time.Minute)
	return c.requests("s2", 300)
}

func observeRestartedNode() (string, error) {
	c, err := newElasticClock(3)
	if err != nil {
		return "", err
	}
	node, err := c.at("s2")
	if err != nil {
		return "", err
	}
	c.end(node, false)
	for _, found := range []int{2, 3} {
		if err := c.discover(found); err != nil {
			return "", err
		}
	}
	c.bubble.Sleep(2 * time.Minute)
	if err := c.discover(3); err != nil {
		return "", err
	}
	return c.requests("s2", 300)
}

func (c *elasticClock) requests(name string, n int) (string, error) {
	at, err := c.share(name, n)
	if at == 0 {
		return fmt.Sprintf("no request at %s", name), err
	}
	return fmt.Sprintf("%d requests at %s", at, name), err
}
