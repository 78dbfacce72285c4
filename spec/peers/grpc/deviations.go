package main

import (
	"context"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var deviations = []peers.Deviation{
	{
		Name: "grpc/least_request/forgets-while-unhealthy", Version: version,
		State:    "3 servers, 5 requests in flight at s0, whose health check then fails once and succeeds again",
		Expected: "s0 gets 1/9 of the picks, as with 5 0 0 in flight",
		Observed: "s0 gets 1/3 of the picks, as with 0 0 0 in flight",
		Effect:   "An endpoint that outlier detection ejects, or that fails its health check for a moment, keeps working on what it was sent, but it comes back counted as idle. The slow server that was just taken out then gets a full share of new requests at once, on top of the old ones, until those have ended.",
		Observe:  observeForgetting,
	},
	{
		Name: "grpc/round_robin/restarts-when-resolved", Version: version,
		State:    "3 servers, the name resolved again to the same three addresses between any two requests",
		Expected: "every window of 3 picks has each server once",
		Observed: "the same server twice in a row",
		Effect:   "Every update of the address list, even one that changes nothing, starts the rotation anew at a random endpoint. A client that sends fewer requests than its resolver or xDS control plane sends updates sees random routing, with all its collisions, instead of a rotation.",
		Observe:  observeRestart,
	},
}

// tries is so many picks that an event of probability 1/9 or more at each is
// missed with probability (8/9)^tries < 1e-12.
const tries = 235

func fleet(n int) []spec.Server {
	f := policies.Fleet(n)
	for i := range f {
		f[i].ID = spec.ServerID(10 + i)
	}
	return f
}

// holdAt sends requests until k are in flight at the server, and ends the rest.
func holdAt(c *channel, id spec.ServerID, k int) error {
	for held := 0; held < k; {
		at, done, err := c.Pick(context.Background(), spec.Request{})
		if err != nil {
			return err
		}
		if at == id {
			held++
			continue
		}
		if err := done(spec.Outcome{}); err != nil {
			return err
		}
	}
	return nil
}

func observeForgetting() (string, error) { return shareOfBusy(true) }

// shareOfBusy tells how a server with 5 requests in flight is picked, whether or
// not its health check has failed in between.
func shareOfBusy(flap bool) (string, error) {
	servers := fleet(3)
	c, err := newChannel("least_request_experimental", `{}`, servers)
	if err != nil {
		return "", err
	}
	if err := holdAt(c, servers[0].ID, 5); err != nil {
		return "", err
	}
	sick := fleet(3)
	sick[0].Weight = 0
	if flap {
		for _, f := range [][]spec.Server{sick, servers} {
			if err := c.Update(f); err != nil {
				return "", err
			}
		}
	}
	// The two shares are 2/9 apart. By Hoeffding the observed one is on the wrong
	// side of the middle with probability exp(-2·1200/81) < 1e-12.
	const picks = 1200
	picked := 0
	for range picks {
		id, done, err := c.Pick(context.Background(), spec.Request{})
		if err != nil {
			return "", err
		}
		if id == servers[0].ID {
			picked++
		}
		if err := done(spec.Outcome{}); err != nil {
			return "", err
		}
	}
	if 9*picked < 2*picks {
		return "s0 gets 1/9 of the picks, as with 5 0 0 in flight", nil
	}
	return "s0 gets 1/3 of the picks, as with 0 0 0 in flight", nil
}

func observeRestart() (string, error) {
	servers := fleet(3)
	c, err := newChannel("round_robin", `{}`, servers)
	if err != nil {
		return "", err
	}
	last := spec.ServerID(-1)
	for range tries {
		if err := c.Update(servers); err != nil {
			return "", err
		}
		id, _, err := c.Pick(context.Background(), spec.Request{})
		if err != nil {
			return "", err
		}
		if id == last {
			return "the same server twice in a row", nil
		}
		last = id
	}
	return "every pick another server than the last", nil
}
