package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	kratoserrors "github.com/go-kratos/kratos/v2/errors"
	"github.com/go-kratos/kratos/v2/selector"
	"github.com/go-kratos/kratos/v2/selector/p2c"
	"github.com/go-kratos/kratos/v2/selector/wrr"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

var kratosDeviations = []peers.Deviation{
	{
		Name: "kratos/p2c/burst", Version: kratosVersion,
		State:    "2 servers with 10 and 9 requests in flight, then 50 requests within 5 milliseconds",
		Expected: "35 and 34 in flight, since the less loaded of the two is chosen each time",
		Observed: "10 and 59 in flight",
		Effect: "A weight is computed at most every 5 milliseconds, and in between the requests that were just sent do not count. All requests of such a burst see the same order of servers: of two servers one gets them all, of n servers none goes to the worst and 2/n to the best, " +
			"so that the choice of two, which is there to keep bursts apart, herds them. A client with more than a few hundred requests a second is always in that state.",
		Observe: observeBurst,
	},
	{
		Name: "kratos/p2c/unmeasured-server", Version: kratosVersion,
		State:    "2 servers: s0 has answered a request in 1 ms and has 39 in flight; s1 has been sent 1 request and has not answered yet; 6 ms pass",
		Expected: "the next request at s1, which has 1 in flight",
		Observed: "the next request at s0",
		Effect: "Load is the square root of latency plus 5 ms, in nanoseconds, for each request in flight: 2400 to 4000 where answers take up to 10 ms. A server that has not answered yet counts 100000 for each, as if it took ten seconds. " +
			"After every deployment a new server stays nearly empty until its first answer, while the others hold up to 40 times as many requests; where answers take long, the one request every 3 seconds that is forced on it is all that it gets until then.",
		Observe: observeUnmeasured,
	},
	{
		Name: "kratos/p2c/apply-forgets", Version: kratosVersion,
		State:    "2 servers, 10 requests in flight at s0 and none at s1; then discovery reports the same two servers once more",
		Expected: "the next 10 requests at s1",
		Observed: "some of the next 10 requests at s0",
		Effect:   "Every report of discovery, even one without a change, replaces all nodes by new ones that know nothing: requests in flight, latency and success rate of every server are forgotten. While a deployment replaces pods one by one, each step turns the balancer into a random one, also for the servers that stay.",
		Observe:  observeApply,
	},
	{
		Name: "kratos/p2c/fast-failures-attract", Version: kratosVersion,
		State:    "2 servers, 2000 requests one after another; s0 answers in 10 ms, s1 fails in 1 ms with Kratos' own error 500",
		Expected: "s1 at most half of the requests, since an error must not raise the share of a server",
		Observed: "s1 gets more than 9 of 10 requests",
		Effect: "Only 503, 504, network errors and the bare context errors lower the success rate by default; any other error counts as a success with the latency that it had. A server that fails at once, for want of its database say, is the fastest of all and draws the traffic to itself. " +
			"An error handler can be set on the node builder; p2c.New sets none.",
		Observe: func() (string, error) {
			return observeFailures(kratoserrors.InternalServer("no database", ""))
		},
	},
	{
		Name: "kratos/wrr/credit-survives-weights", Version: kratosVersion,
		State:    "weights 100 and 1; after 50 requests the weights become 1 and 1",
		Expected: "no server twice in a row",
		Observed: "the next 50 requests at s1",
		Effect:   "The running credit of a server stays what it was under the old weights. When a canary is raised from 1 in 101 to 1 in 2, it does not get every other request but all of them, for as long as the old credit lasts.",
		Observe:  observeCredit,
	},
}

func newKratos(build func() selector.Selector, fleet []spec.Server) (*kratosSelector, error) {
	p, err := kratos(build)(spec.Fleet{Servers: fleet})
	if err != nil {
		return nil, err
	}
	return p.(*kratosSelector), nil
}

// at sends n requests to one server, whatever the balancer would do.
func (k *kratosSelector) at(i, n int) (ends []selector.DoneFunc, err error) {
	name := peers.Fleet(i + 1)[i].Name
	only := selector.WithNodeFilter(func(_ context.Context, nodes []selector.Node) []selector.Node {
		return slices.DeleteFunc(nodes, func(n selector.Node) bool { return n.Address() != name })
	})
	k.bubble.Do(func() {
		for range n {
			var end selector.DoneFunc
			if _, end, err = k.selector.Select(context.Background(), only); err != nil {
				return
			}
			ends = append(ends, end)
		}
	})
	return ends, err
}

// take is the number of the next n requests at each of two servers; they do not
// end.
func (k *kratosSelector) take(n int) (at [2]int, err error) {
	for range n {
		id, _, err := k.Pick(context.Background(), spec.Request{})
		if err != nil {
			return at, err
		}
		at[id-peers.Fleet(1)[0].ID]++
	}
	return at, nil
}

// loaded is p2c over two servers with requests in flight for 6 ms.
func loaded(s0, s1 int) (*kratosSelector, error) {
	k, err := newKratos(func() selector.Selector { return p2c.New() }, peers.Fleet(2))
	if err != nil {
		return nil, err
	}
	for i, n := range []int{s0, s1} {
		if _, err := k.at(i, n); err != nil {
			return nil, err
		}
	}
	k.bubble.Sleep(p2cCache)
	return k, nil
}

func observeBurst() (string, error) {
	k, err := loaded(10, 9)
	if err != nil {
		return "", err
	}
	at, err := k.take(50)
	return fmt.Sprintf("%d and %d in flight", 10+at[0], 9+at[1]), err
}

func observeUnmeasured() (string, error) {
	k, err := newKratos(func() selector.Selector { return p2c.New() }, peers.Fleet(2))
	if err != nil {
		return "", err
	}
	ends, err := k.at(0, 1)
	if err != nil {
		return "", err
	}
	k.bubble.Sleep(time.Millisecond)
	k.bubble.Do(func() { ends[0](context.Background(), selector.DoneInfo{}) })
	for i, n := range []int{39, 1} {
		if _, err := k.at(i, n); err != nil {
			return "", err
		}
	}
	k.bubble.Sleep(p2cCache)
	at, err := k.take(1)
	if at[0] == 1 {
		return "the next request at s0", err
	}
	return "the next request at s1", err
}

func observeApply() (string, error) {
	k, err := loaded(10, 0)
	if err != nil {
		return "", err
	}
	if err := k.Update(peers.Fleet(2)); err != nil {
		return "", err
	}
	at, err := k.take(10)
	if at[0] > 0 {
		return "some of the next 10 requests at s0", err
	}
	return "the next 10 requests at s1", err
}

func observeFailures(failure error) (string, error) {
	k, err := newKratos(func() selector.Selector { return p2c.New() }, peers.Fleet(2))
	if err != nil {
		return "", err
	}
	const requests = 2000
	failed := 0
	for range requests {
		id, done, err := k.pick(context.Background(), failure)
		if err != nil {
			return "", err
		}
		fails := id == peers.Fleet(2)[1].ID
		if fails {
			failed++
			k.bubble.Sleep(time.Millisecond)
		} else {
			k.bubble.Sleep(10 * time.Millisecond)
		}
		if err := done(spec.Outcome{Failed: fails}); err != nil {
			return "", err
		}
	}
	switch {
	case 10*failed > 9*requests:
		return "s1 gets more than 9 of 10 requests", nil
	case 2*failed < requests:
		return "s1 gets less than half of the requests", nil
	}
	return fmt.Sprintf("s1 gets %d of %d requests", failed, requests), nil
}

func observeCredit() (string, error) {
	fleet := peers.Fleet(2)
	fleet[0].Weight = 100
	k, err := newKratos(func() selector.Selector { return wrr.New() }, fleet)
	if err != nil {
		return "", err
	}
	if _, err := k.take(50); err != nil {
		return "", err
	}
	if err := k.Update(peers.Fleet(2)); err != nil {
		return "", err
	}
	run := 0
	for {
		at, err := k.take(1)
		if err != nil || at[0] == 1 {
			return fmt.Sprintf("the next %d requests at s1", run), err
		}
		run++
	}
}
