package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"resty.dev/v3"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var restyDeviations = []peers.Deviation{
	peers.SameFirstPick("resty/RoundRobin", restyVersion, restySubjects[0].New,
		"The rotation starts at the first URL in every process. Clients that are started for a request or two, or all at once, send them there."),
	{
		Name: "resty/RoundRobin/refresh-panics", Version: restyVersion,
		State:    "3 URLs, 2 requests, then Refresh with the first 2 of the URLs",
		Expected: "the next request at one of the 2",
		Observed: "panic: runtime error: index out of range [2] with length 2",
		Effect:   "Refresh replaces the list and keeps the position, which may lie behind the end of a shorter list. The request after a scale-down then panics, while the lock of the balancer is held; whoever recovers from it finds that every later request panics too, until a refresh makes the list long enough again.",
		Observe:  observeRefreshPanics,
	},
	{
		Name: "resty/WeightedRoundRobin/failures-add-up", Version: restyVersion,
		State:    "3 hosts; one request in 10000 at s0 fails, 50000 requests at it in an hour each",
		Expected: "s0 never out, with 1 failure in 10000",
		Observed: "s0 out after 5 failures, 50000 requests",
		Effect: "MaxFailures, 5 by default, counts all failures since the host came in; a success does not reset it, and neither does time. Every host is taken out sooner or later, however well it does, and hosts that share a rare fault are taken out together: " +
			"when the last one goes, requests are refused with ErrNoActiveHost until the recovery ticks.",
		Observe: observeFailuresAddUp,
	},
	{
		Name: "resty/WeightedRoundRobin/timeouts-are-successes", Version: restyVersion,
		State:    "a client over 3 hosts, of which s0 does not answer: 99 requests, those to s0 fail with a network timeout",
		Expected: "5 requests at s0, then it is out",
		Observed: "33 requests at s0",
		Effect:   "Of the errors of a connection the client counts one as a failure of the host, connection refused. A host that has lost its power or its network lets connections time out, and a name that does not resolve any more, a reset and a failed handshake count as successes too. Such a host stays in the rotation for good, and its share of the requests fails.",
		Observe:  observeTimeouts,
	},
	{
		Name: "resty/WeightedRoundRobin/early-recovery", Version: restyVersion,
		State:    "2 hosts, recovery after a minute; 59 seconds after the balancer was made s0 fails 5 times",
		Expected: "s0 out for a minute",
		Observed: "s0 out for 1s",
		Effect:   "One ticker, started with the balancer, brings back all hosts that are out, whenever they failed. A host that has just gone down is out for anything between nothing and the recovery time, half of it on average, and its clients see failures again that much sooner.",
		Observe:  observeEarlyRecovery,
	},
	{
		Name: "resty/WeightedRoundRobin/weight-of-zero", Version: restyVersion,
		State:    "hosts of weights 1 and 0; 100 requests",
		Expected: "no request at the host of weight 0",
		Observed: "50 requests at the host of weight 0",
		Effect:   "A weight of zero, or below, is taken for one that was not given and becomes 1. Draining a host by its weight, or by that of its SRV record, gives it the share of a weight of 1 instead.",
		Observe:  observeZeroWeight,
	},
	{
		Name: "resty/WeightedRoundRobin/refresh-revives", Version: restyVersion,
		State:    "3 hosts, s0 is out after 5 failures; Refresh with the same 3 hosts; 99 requests",
		Expected: "no request at s0 before its recovery",
		Observed: "33 requests at s0",
		Effect: "Refresh makes all hosts new: who is down, how often each has failed, and where the rotation stands is forgotten. NewSRVWeightedRoundRobin refreshes every 3 minutes, whether or not a record has changed, " +
			"so that a recovery time which is set to more than that is never kept.",
		Observe: observeRefreshRevives,
	},
	{
		Name: "resty/SRVWeightedRoundRobin/backup-in-rotation", Version: restyVersion,
		State:    "SRV records of priority 10 for s0 and s1, and of priority 20 for s2; 300 requests, all of which succeed",
		Expected: "no request at s2 (RFC 2782: a client must try the lowest priority that it can reach)",
		Observed: "100 requests at s2",
		Effect:   "The priority of a record is not read. A backup, which priorities are there to keep idle, takes a full share of the traffic at all times; a distant site does so with its latency.",
		Observe:  observePriorities,
	},
}

func observeRefreshPanics() (outcome string, err error) {
	defer func() {
		if v := recover(); v != nil {
			outcome = fmt.Sprint("panic: ", v)
		}
	}()
	p, err := newRestyRoundRobin(spec.Fleet{Servers: peers.Fleet(3)})
	if err != nil {
		return "", err
	}
	if _, err := peers.Sequence(p, 2); err != nil {
		return "", err
	}
	if err := p.(spec.Updater).Update(peers.Fleet(2)); err != nil {
		return "", err
	}
	turns, err := peers.Sequence(p, 1)
	return fmt.Sprint("the next request at ", turns), err
}

// A restyClock is a weighted balancer in a bubble.
type restyClock struct {
	bubble   *peers.Bubble
	balancer *resty.WeightedRoundRobin
}

func newRestyClock(hosts ...*resty.Host) (*restyClock, error) {
	c := &restyClock{bubble: peers.NewBubble()}
	var err error
	c.bubble.Do(func() { c.balancer, err = resty.NewWeightedRoundRobin(recovery, hosts...) })
	return c, err
}

// take tells where the next n requests go. fails tells of each whether it does;
// nil for never.
func (c *restyClock) take(n int, fails func(url string) bool) (at map[string]int, err error) {
	at = make(map[string]int)
	c.bubble.Do(func() {
		for range n {
			var url string
			if url, err = c.balancer.NextWithContext(background); err != nil {
				return
			}
			at[url]++
			c.balancer.Feedback(&resty.RequestFeedback{BaseURL: url, Success: fails == nil || !fails(url), Attempt: 1})
		}
	})
	return at, err
}

// fail makes a host fail so often that it is out.
func (c *restyClock) fail(url string) {
	c.bubble.Do(func() {
		for range maxFailures {
			c.balancer.Feedback(&resty.RequestFeedback{BaseURL: url, Attempt: 1})
		}
	})
}

// maxFailures is the default of resty.Host.MaxFailures.
const maxFailures = 5

const s0, s1 = "http://s0", "http://s1"

func observeFailuresAddUp() (string, error) {
	c, err := newRestyClock(hosts(peers.Fleet(3))...)
	if err != nil {
		return "", err
	}
	const every, limit = 10000, 100000
	requests, failures := 0, 0
	for requests < limit {
		_, err := c.take(3*every, func(url string) bool {
			if url != s0 {
				return false
			}
			requests++
			if requests%every == 0 {
				failures++
				return true
			}
			return false
		})
		if err != nil {
			return "", err
		}
		if at, err := c.take(3, nil); err != nil || at[s0] == 0 {
			return fmt.Sprintf("s0 out after %d failures, %d requests", failures, requests), err
		}
		c.bubble.Sleep(time.Hour)
	}
	return "s0 never out, with 1 failure in 10000", nil
}

func observeEarlyRecovery() (string, error) {
	c, err := newRestyClock(hosts(peers.Fleet(2))...)
	if err != nil {
		return "", err
	}
	c.bubble.Sleep(recovery - time.Second)
	c.fail(s0)
	for out := time.Duration(0); ; out += time.Second {
		at, err := c.take(2, nil)
		if err != nil {
			return "", err
		}
		if at[s0] > 0 || out > recovery {
			return fmt.Sprint("s0 out for ", out), nil
		}
		c.bubble.Sleep(time.Second)
	}
}

func observeZeroWeight() (string, error) {
	c, err := newRestyClock(&resty.Host{BaseURL: s0, Weight: 1}, &resty.Host{BaseURL: s1})
	if err != nil {
		return "", err
	}
	at, err := c.take(100, nil)
	if at[s1] == 0 {
		return "no request at the host of weight 0", err
	}
	return fmt.Sprintf("%d requests at the host of weight 0", at[s1]), err
}

func observeRefreshRevives() (string, error) {
	c, err := newRestyClock(hosts(peers.Fleet(3))...)
	if err != nil {
		return "", err
	}
	c.fail(s0)
	if at, err := c.take(99, nil); err != nil || at[s0] > 0 {
		return "s0 was not out", err
	}
	c.bubble.Do(func() { err = c.balancer.Refresh(hosts(peers.Fleet(3))...) })
	if err != nil {
		return "", err
	}
	at, err := c.take(99, nil)
	if at[s0] == 0 {
		return "no request at s0 before its recovery", err
	}
	return fmt.Sprintf("%d requests at s0", at[s0]), err
}

func observePriorities() (string, error) {
	restore := resolve([]record{{"s0", 10}, {"s1", 10}, {"s2", 20}})
	defer restore()
	balancer, err := resty.NewSRVWeightedRoundRobin("service", "tcp", "example.com", "http")
	if err != nil {
		return "", err
	}
	defer balancer.Close()
	backup := 0
	for range 300 {
		url, err := balancer.NextWithContext(background)
		if err != nil {
			return "", err
		}
		if url == "http://s2.example.com:80" {
			backup++
		}
	}
	if backup == 0 {
		return "no request at s2", nil
	}
	return fmt.Sprintf("%d requests at s2", backup), nil
}

// A blackHole answers for every host but one, to which connections time out.
type blackHole struct {
	*backends
	host string
}

func (h blackHole) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != h.host {
		return h.backends.RoundTrip(r)
	}
	if _, err := h.backends.RoundTrip(r); err != nil {
		return nil, err
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
}

func observeTimeouts() (string, error) {
	balancer, err := resty.NewWeightedRoundRobin(recovery, hosts(peers.Fleet(3))...)
	if err != nil {
		return "", err
	}
	servers := newBackends()
	client := resty.New().SetTransport(blackHole{servers, "s0"}).SetLoadBalancer(balancer)
	defer client.Close()
	for range 99 {
		_, _ = client.R().Get("/") // the errors are the hosts' own
	}
	lost := count(servers.since(0), "s0")
	if lost == maxFailures {
		return "5 requests at s0, then it is out", nil
	}
	return fmt.Sprintf("%d requests at s0", lost), nil
}
