package main

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/picklaw/picklaw/spec/peers"
)

var deviations = []peers.Deviation{
	{
		Name: "go-zero/p2c_ewma/rare-requests-go-to-the-slower", Version: version,
		State:    "2 servers, s0 answers in 10 ms, s1 in 200 ms; 20 requests, one every 250 ms, to learn; then 100 requests, one every 2 seconds",
		Expected: "at most half of the requests at s1",
		Observed: "100 of 100 requests at s1",
		Effect: "The more loaded of the two is taken if its last request is more than a second old, so that none is forgotten. A client that sends fewer than one request a second finds that true each time, and sends every request to the slower server: the choice of two is turned round. " +
			"What counts is requests for each server and client, so clients of large fleets are in that state all the time, see fleet-of-100.",
		Observe: observeRare,
	},
	{
		Name: "go-zero/p2c_ewma/fleet-of-100", Version: version,
		State:    "100 servers, 50 of which answer in 5 ms and 50 in 40 ms; 20 requests a second, 4000 of them after 1000 to learn",
		Expected: "about a quarter of the requests at the slower half, when both choices are slow",
		Observed: "more than half of the requests at the slower half",
		Effect:   "With 20 requests a second over 100 servers the last request of a server is 5 seconds old on average, and the slower of the two choices is forced in most cases. Latency then works against the clients: they see the slow servers more often than if they chose at random. With 200 requests a second it is a third of them, and with 1000 the quarter.",
		Observe:  observeLargeFleet,
	},
	{
		Name: "go-zero/p2c_ewma/silent-server", Version: version,
		State:    "2 servers, s0 answers in 10 ms, s1 does not answer; 1000 requests, one each millisecond",
		Expected: "at most half of the requests at s1",
		Observed: "s1 gets more than 9 of 10 requests",
		Effect: "The load of a server is the square root of its latency in nanoseconds, times what is in flight, and a server that has not answered yet has a latency of 0: at 10 ms a request in flight at the other counts as much as 3000 there. (A penalty for servers without a measurement is in the code, but the load that would call for it cannot arise.) " +
			"After a start, a deployment, or any update of the addresses, which makes all servers new, one that accepts requests and hangs draws all of the traffic until its first answer.",
		Observe: observeSilent,
	},
	{
		Name: "go-zero/p2c_ewma/update-forgets", Version: version,
		State:    "2 servers, 10 requests in flight at s0 and none at s1; then the same two addresses are resolved once more",
		Expected: "the next 10 requests at s1",
		Observed: "some of the next 10 requests at s0",
		Effect:   "Every update of the addresses, and every connection that is lost or made, builds a new picker, which knows nothing of requests in flight, latencies and failures, also of servers that stay. Their requests end unnoticed. While a deployment replaces servers one by one the balancer starts anew each time.",
		Observe:  observeUpdate,
	},
	{
		Name: "go-zero/p2c_ewma/fast-failures-of-two", Version: version,
		State:    "2 servers, s0 answers in 10 ms, s1 fails in 1 ms with Unavailable; 1000 requests, one every 20 ms, after 2000",
		Expected: "at most half of the requests at s1, since an error must not raise the share of a server",
		Observed: "s1 gets more than 9 of 10 requests",
		Effect:   "The success rate is looked at to draw another pair, which is not done for a fleet of two, and it is no part of the load. The server that fails at once is the faster one and gets all requests but one a second. With three servers a pair without it is looked for in three draws only, and it keeps 8/27 of the traffic, nearly a fair share.",
		Observe: func() (string, error) {
			return observeFailures(2, status.Error(codes.Unavailable, "the server is going down"))
		},
	},
	{
		Name: "go-zero/p2c_ewma/fast-failures-of-three", Version: version,
		State:    "3 servers, s0 and s2 answer in 10 ms, s1 fails in 1 ms with an error that has no status; 1000 requests, one every 20 ms, after 2000",
		Expected: "at most a third of the requests at s1, since an error must not raise the share of a server",
		Observed: "s1 gets more than half of the requests",
		Effect:   "Six codes count as failures. An error without a status, which gRPC reports as Unknown and which a handler that returns a plain error causes, is none of them, nor are Aborted, Canceled or PermissionDenied. A server that has lost its database and says so at once is picked from every pair that it is in: two thirds of the traffic instead of one third.",
		Observe:  func() (string, error) { return observeFailures(3, errors.New("no database")) },
	},
}

// always is servers of two latencies.
func always(latencies ...time.Duration) func(int) answer {
	return func(i int) answer { return answer{latency: latencies[i]} }
}

func observeRare() (string, error) {
	c, err := newClient(2)
	if err != nil {
		return "", err
	}
	servers := always(10*time.Millisecond, 200*time.Millisecond)
	if _, err := c.run(20, 250*time.Millisecond, servers); err != nil {
		return "", err
	}
	c.pass(2 * time.Second) // the first of the rare ones comes as late as the others
	turns, err := c.run(100, 2*time.Second, servers)
	if err != nil {
		return "", err
	}
	if n := at(turns, 1); n > 50 {
		return fmt.Sprintf("%d of 100 requests at s1", n), nil
	}
	return "at most half of the requests at s1", nil
}

func observeLargeFleet() (string, error) {
	const servers = 100
	c, err := newClient(servers)
	if err != nil {
		return "", err
	}
	slow := func(i int) bool { return i%2 == 1 }
	turns, err := c.run(5000, 50*time.Millisecond, func(i int) answer {
		if slow(i) {
			return answer{latency: 40 * time.Millisecond}
		}
		return answer{latency: 5 * time.Millisecond}
	})
	if err != nil {
		return "", err
	}
	n := 0
	for i := range servers {
		if slow(i) {
			n += at(turns[1000:], i)
		}
	}
	if n > 2000 {
		return "more than half of the requests at the slower half", nil
	}
	return fmt.Sprintf("%d of 4000 requests at the slower half", n), nil
}

func observeSilent() (string, error) {
	c, err := newClient(2)
	if err != nil {
		return "", err
	}
	turns, err := c.run(1000, time.Millisecond, always(10*time.Millisecond, -1))
	if err != nil {
		return "", err
	}
	return ofFailing(turns), nil
}

func observeUpdate() (string, error) {
	c, err := newClient(2)
	if err != nil {
		return "", err
	}
	if err := peers.Hold(c, peers.Fleet(1)[0].ID, 10); err != nil {
		return "", err
	}
	if err := c.Update(peers.Fleet(2)); err != nil {
		return "", err
	}
	turns, err := c.run(10, 0, always(-1, -1))
	if err != nil {
		return "", err
	}
	if at(turns, 0) > 0 {
		return "some of the next 10 requests at s0", nil
	}
	return "the next 10 requests at s1", nil
}

func observeFailures(servers int, failure error) (string, error) {
	c, err := newClient(servers)
	if err != nil {
		return "", err
	}
	turns, err := c.run(3000, 20*time.Millisecond, func(i int) answer {
		if i == 1 {
			return answer{time.Millisecond, failure}
		}
		return answer{latency: 10 * time.Millisecond}
	})
	if err != nil {
		return "", err
	}
	return ofFailing(turns[2000:]), nil
}

// ofFailing words the part of the turns that s1 has.
func ofFailing(turns []int) string {
	switch n := at(turns, 1); {
	case 10*n > 9*len(turns):
		return "s1 gets more than 9 of 10 requests"
	case 2*n > len(turns):
		return "s1 gets more than half of the requests"
	default:
		return fmt.Sprintf("s1 gets %d of %d requests", n, len(turns))
	}
}
