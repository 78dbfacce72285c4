package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
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
	{
		Name: "grpc/round_robin/another-order", Version: version,
		State:    "16 servers, the name resolved again to the same addresses after 64 requests; 64 more",
		Expected: "the same cyclic order before and after",
		Observed: "one cyclic order before, another one after",
		Effect:   "The rotation is in the order of a Go map, which for up to eight endpoints is that of the address list, and for more is another one after every update. Whoever lists endpoints so that neighbours are far apart, by zone or by rack, gets that for small services only. In its favour, clients of large services do not go around in step.",
		Observe:  observeOrder,
	},
	{
		Name: "grpc/ring_hash/size-of-the-ring", Version: version,
		State:    "3 servers, a fourth joins; 2000 keys",
		Expected: "500 keys move, or so, all of them to the newcomer",
		Observed: "468 keys move to the newcomer, 187 between the others",
		Effect:   "Every server has ceil(1024/n) points, 342 of three and 256 of four. A quarter of the points of the servers that stay go away when the fourth joins, and their keys go to whoever is next. For every ten keys that the newcomer takes, four others lose their cache or their session besides. minRingSize changes the size of the ring, but not that it is shared.",
		Observe:  observeRing,
	},
	{
		Name: "grpc/weighted_round_robin/weight-of-zero", Version: version,
		State:    "2 servers that report weights of 1 and 200000; 500000 requests",
		Expected: "2 requests, or so, at the first",
		Observed: "no request at the first",
		Effect:   "Weights are scaled to 16 bits, and one that is less than 1/131070 of the largest rounds to zero. Its server is sent nothing and so cannot report a better weight; it comes back after three minutes, when its weight expires, with the mean of all weights, and then may take half of the traffic at once. Weights of that ratio arise where a server has just been started, or reports a utilization near zero.",
		Observe:  observeWeightOfZero,
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
func holdAt(c *channel.Channel, id spec.ServerID, k int) error {
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
	c, err := channel.New("least_request_experimental", `{}`, servers)
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
	c, err := channel.New("round_robin", `{}`, servers)
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

// observeOrder compares rotations of 16 servers, which are 15! in number.
func observeOrder() (string, error) {
	const n = 16
	servers := fleet(n)
	c, err := channel.New("round_robin", `{}`, servers)
	if err != nil {
		return "", err
	}
	var follows [2]map[spec.ServerID]spec.ServerID
	for k := range follows {
		follows[k] = make(map[spec.ServerID]spec.ServerID)
		last := spec.ServerID(-1)
		for range 4 * n {
			id, _, err := c.Pick(context.Background(), spec.Request{})
			if err != nil {
				return "", err
			}
			if next, known := follows[k][last]; known && next != id {
				return fmt.Sprintf("after server %d now server %d, now %d", last, next, id), nil
			}
			if last >= 0 {
				follows[k][last] = id
			}
			last = id
		}
		if err := c.Update(servers); err != nil {
			return "", err
		}
	}
	if maps.Equal(follows[0], follows[1]) {
		return "the same cyclic order before and after", nil
	}
	return "one cyclic order before, another one after", nil
}

// owners maps 2000 keys to servers.
func owners(p spec.Picker) ([]spec.ServerID, error) {
	all := make([]spec.ServerID, 2000)
	for k := range all {
		id, _, err := p.Pick(context.Background(), spec.Request{Key: fmt.Sprintf("key-%d", k)})
		if err != nil {
			return nil, err
		}
		all[k] = id
	}
	return all, nil
}

func observeRing() (string, error) {
	servers := fleet(4)
	p, err := channel.InBubble("ring_hash_experimental", `{"requestHashHeader": "key"}`)(spec.Fleet{Servers: servers[:3]})
	if err != nil {
		return "", err
	}
	before, err := owners(p)
	if err != nil {
		return "", err
	}
	if err := p.(spec.Updater).Update(servers); err != nil {
		return "", err
	}
	after, err := owners(p)
	if err != nil {
		return "", err
	}
	newcomer, others := 0, 0
	for k := range before {
		switch after[k] {
		case before[k]:
		case servers[3].ID:
			newcomer++
		default:
			others++
		}
	}
	return fmt.Sprintf("%d keys move to the newcomer, %d between the others", newcomer, others), nil
}

func observeWeightOfZero() (string, error) {
	p, err := newWeighted([]float64{1, 200000})
	if err != nil {
		return "", err
	}
	at, err := p.take(500000)
	if err != nil {
		return "", err
	}
	if at[0] == 0 {
		return "no request at the first", nil
	}
	return fmt.Sprintf("%d requests at the first", at[0]), nil
}
