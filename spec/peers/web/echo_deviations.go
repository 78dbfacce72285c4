package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/picklaw/picklaw/spec/peers"
)

var echoDeviations = []peers.Deviation{
	peers.SameFirstPick("echo/RoundRobinBalancer", echoVersion, echoSubjects[1].New,
		"The rotation starts at the first target in every process. Proxies that are restarted together send their first requests, and bursts in step, to the same target."),
	{
		Name: "echo/RemoveTarget/of-another-balancer", Version: echoVersion,
		State:    "two balancers made from one list of 3 targets, for two routes; s0 is removed from the first; 300 requests through the second",
		Expected: "100 requests at each of s0 s1 s2",
		Observed: "requests at s0 s1 s2: 0 100 200",
		Effect:   "A balancer keeps the caller's list instead of a copy, and removing a target moves the others up in that list. A second balancer over it loses the target too, and has the last one twice: an idle server on one route, a double load on another, though nobody touched that route.",
		Observe:  observeSharedList,
	},
	{
		Name: "echo/RoundRobinBalancer/retries-at-the-neighbour", Version: echoVersion,
		State:    "5 targets, s1 is down; 1000 requests with RetryCount 1",
		Expected: "250 requests at each of the others",
		Observed: "s2 has 400 requests, the others 200 each",
		Effect:   "A retry goes to the target that follows the one that failed, as the documentation says, and does not take a turn of the rotation. The whole share of a target that is down falls on its neighbour, which then carries twice the load of any other, and is the next to go down.",
		Observe:  observeNeighbour,
	},
	{
		Name: "echo/RandomBalancer/retries-at-the-same-target", Version: echoVersion,
		State:    "3 targets, s1 is down; 1000 requests with RetryCount 2",
		Expected: "every request answered, as two retries are enough for 3 targets",
		Observed: "some requests are not answered",
		Effect:   "RetryCount is documented as using the next available target, and the random balancer draws again among all of them: a request fails three times in a row at the target that is down with probability 1/27. Of two targets one of which is down, a request with one retry fails one time in four.",
		Observe:  observeRandomRetries,
	},
}

func observeSharedList() (string, error) {
	list := targets(peers.Fleet(3))
	one, two := middleware.NewRoundRobinBalancer(list), middleware.NewRoundRobinBalancer(list)
	if !one.RemoveTarget("s0") {
		return "s0 cannot be removed", nil
	}
	at, e := make(map[string]int), echo.New()
	for range 300 {
		at[two.Next(e.NewContext(nil, nil)).Name]++
	}
	if at["s0"] == 100 && at["s1"] == 100 {
		return "100 requests at each of s0 s1 s2", nil
	}
	return fmt.Sprintf("requests at s0 s1 s2: %d %d %d", at["s0"], at["s1"], at["s2"]), nil
}

// proxied sends requests through the middleware and tells who was asked, and how
// many of the requests were answered.
func proxied(balancer middleware.ProxyBalancer, retries, requests int, down string) (asked []string, answered int) {
	servers := newBackends(down)
	e := echo.New()
	e.Use(middleware.ProxyWithConfig(middleware.ProxyConfig{Balancer: balancer, RetryCount: retries, Transport: servers}))
	for range requests {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code == http.StatusOK {
			answered++
		}
	}
	return servers.since(0), answered
}

func observeNeighbour() (string, error) {
	asked, answered := proxied(middleware.NewRoundRobinBalancer(targets(peers.Fleet(5))), 1, 1000, "s1")
	at := func(name string) int { return count(asked, name) }
	switch {
	case answered != 1000:
		return fmt.Sprintf("%d requests answered", answered), nil
	case at("s0") == 250 && at("s2") == 250 && at("s3") == 250:
		return "250 requests at each of the others", nil
	case at("s0") == at("s3") && at("s3") == at("s4"):
		return fmt.Sprintf("s2 has %d requests, the others %d each", at("s2"), at("s0")), nil
	}
	return fmt.Sprintf("requests at s0 s2 s3 s4: %d %d %d %d", at("s0"), at("s2"), at("s3"), at("s4")), nil
}

// observeRandomRetries sends 1000 requests, of which all are answered with
// probability (26/27)^1000 < 1e-16 if the target is drawn anew each time.
func observeRandomRetries() (string, error) {
	if _, answered := proxied(middleware.NewRandomBalancer(targets(peers.Fleet(3))), 2, 1000, "s1"); answered < 1000 {
		return "some requests are not answered", nil
	}
	return "every request answered", nil
}
