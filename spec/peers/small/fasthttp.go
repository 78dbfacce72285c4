package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const fasthttpVersion = "github.com/valyala/fasthttp v1.78.0"

// fasthttp documents LBClient as "least loaded", and by fewest requests in total
// among those; its users expect the least loaded server, and leave ties to it.
var fasthttpSubjects = []spec.Subject{{
	Name: "fasthttp/LBClient",
	Doc:  fasthttpVersion + ", LBClient",
	New: func(f spec.Fleet) (spec.Picker, error) {
		return newLBClient(f.Servers)
	},
	Claims: []spec.Option{
		spec.Law(oracle.LeastRequest{}), spec.TiesOpen(),
		spec.CountsInFlight(), spec.KeepsCounts(), spec.Concurrent(),
	},
	Pinned: map[string]string{
		"conservation/after-churn": "A request that failed goes on counting for three seconds, up to 300 of them at one server. " +
			"That keeps traffic from a server that fails fast, as documented; but a burst of errors that were the requests' own fault (a deadline that was too short) turns a healthy, idle server away from the next requests, and the counts that the law reads are no longer what is in flight.",
	},
}}

// An lbClient drives an LBClient. A pick is a request that waits in the backend
// it was sent to until it is released. LBClient looks at the clock after a
// failure, so it lives in a bubble.
type lbClient struct {
	bubble  *peers.Bubble
	client  *fasthttp.LBClient
	waiting sync.Map // *fasthttp.Request to visit

	mu       sync.Mutex
	backends map[spec.ServerID]*backend
}

// A backend is one of the clients that LBClient balances over.
type backend struct {
	id      spec.ServerID
	client  *lbClient
	pending atomic.Int64
}

// A visit is a request on its way through a backend.
type visit struct {
	at      chan spec.ServerID
	release chan error
	over    chan error
	ended   atomic.Bool
}

func newLBClient(servers []spec.Server) (*lbClient, error) {
	c := &lbClient{bubble: peers.NewBubble(), client: new(fasthttp.LBClient), backends: make(map[spec.ServerID]*backend)}
	for _, s := range servers {
		if s.Weight > 0 {
			c.client.Clients = append(c.client.Clients, c.backend(s.ID))
		}
	}
	if len(c.client.Clients) == 0 {
		return nil, errors.New("fasthttp: LBClient wants at least one client")
	}
	return c, nil
}

func (c *lbClient) backend(id spec.ServerID) *backend {
	b := &backend{id: id, client: c}
	c.backends[id] = b
	return b
}

// Update adds the clients that are new, and removes those that have left.
func (c *lbClient) Update(servers []spec.Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stays := make(map[spec.ServerID]bool)
	for _, s := range servers {
		stays[s.ID] = s.Weight > 0
		if s.Weight > 0 && c.backends[s.ID] == nil {
			c.client.AddClient(c.backend(s.ID))
		}
	}
	c.client.RemoveClients(func(b fasthttp.BalancingClient) bool { return !stays[b.(*backend).id] })
	for id := range c.backends {
		if !stays[id] {
			delete(c.backends, id)
		}
	}
	return nil
}

func (b *backend) PendingRequests() int { return int(b.pending.Load()) }

// DoDeadline tells the request's Pick where it is, and waits for its end.
func (b *backend) DoDeadline(q *fasthttp.Request, _ *fasthttp.Response, _ time.Time) error {
	b.pending.Add(1)
	defer b.pending.Add(-1)
	v, _ := b.client.waiting.LoadAndDelete(q)
	v.(*visit).at <- b.id
	return <-v.(*visit).release
}

// Sleep lets time pass for the penalties.
func (c *lbClient) Sleep(d time.Duration) { c.bubble.Sleep(d) }

func (c *lbClient) Pick(context.Context, spec.Request) (id spec.ServerID, done func(spec.Outcome) error, err error) {
	var v *visit
	c.bubble.Do(func() {
		v = &visit{at: make(chan spec.ServerID), release: make(chan error, 1), over: make(chan error, 1)}
		q := new(fasthttp.Request)
		c.waiting.Store(q, v)
		go func() { v.over <- c.client.Do(q, new(fasthttp.Response)) }()
		select {
		case id = <-v.at:
		case err = <-v.over:
			err = fmt.Errorf("fasthttp: no backend was asked: %w", err)
		}
	})
	if err != nil {
		return 0, nil, err
	}
	return id, func(o spec.Outcome) error { return c.end(v, o) }, nil
}

// end releases the request and waits until LBClient has returned.
func (c *lbClient) end(v *visit, o spec.Outcome) (err error) {
	if v.ended.Swap(true) {
		return errors.New("fasthttp: the request has ended before")
	}
	var verdict, got error
	if o.Failed {
		verdict = errFailed
	}
	c.bubble.Do(func() {
		v.release <- verdict
		got = <-v.over
	})
	if !errors.Is(got, verdict) {
		return fmt.Errorf("fasthttp: Do returned %v for a backend that returned %v", got, verdict)
	}
	return nil
}

var errFailed = errors.New("the request failed")

var fasthttpDeviations = []peers.Deviation{
	peers.SameFirstPick("fasthttp/LBClient", fasthttpVersion, fasthttpSubjects[0].New,
		"With nothing in flight and nothing served yet, the first client of the list wins every tie. A rollout that restarts a thousand processes at once sends their first thousand requests to one server."),
	{
		Name: "fasthttp/removal-before-first-request", Version: fasthttpVersion,
		State:    "3 clients, one removed with RemoveClients before the first request; 90 requests, one after another",
		Expected: "no request at the client that was removed",
		Observed: "30 of 90 requests at the client that was removed",
		Effect:   "The clients are taken in at the first request. A removal before that finds nobody to remove and is forgotten, without an error: a server that is found dead while a program starts gets its share all the same, until it is removed once more.",
		Observe:  observeRemoval,
	},
	{
		Name: "fasthttp/newcomer-takes-all", Version: fasthttpVersion,
		State:    "3 clients that have served 300 requests, a fourth is added; then 100 requests, one after another",
		Expected: "a quarter of the requests, or so, to each",
		Observed: "100 of 100 requests to the newcomer",
		Effect: "Ties are broken by the number of requests that a client ever served, and a client that is added starts at zero. While requests do not overlap, the newcomer gets every one of them until it has caught up, which after a million requests over three clients takes a third of a million: " +
			"the coldest server takes the whole traffic alone, and one that answers fast with errors keeps it for as long as its penalty is shorter than the gap between requests.",
		Observe: observeNewcomer,
	},
}

// usedLBClient has served a request, so that it has taken its clients in.
func usedLBClient(f spec.Fleet) (spec.Picker, error) {
	c, err := newLBClient(f.Servers)
	if err != nil {
		return nil, err
	}
	_, err = peers.Sequence(c, 1)
	return c, err
}

func observeRemoval() (string, error) {
	servers := peers.Fleet(3)
	c, err := newLBClient(servers)
	if err != nil {
		return "", err
	}
	if err := c.Update(servers[1:]); err != nil {
		return "", err
	}
	turns, err := peers.Sequence(c, 90)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.0f of 90 requests at the client that was removed", 90*peers.Share(turns, servers[0].ID)), nil
}

func observeNewcomer() (string, error) {
	servers := peers.Fleet(4)
	c, err := newLBClient(servers[:3])
	if err != nil {
		return "", err
	}
	if _, err := peers.Sequence(c, 300); err != nil {
		return "", err
	}
	if err := c.Update(servers); err != nil {
		return "", err
	}
	turns, err := peers.Sequence(c, 100)
	if err != nil {
		return "", err
	}
	newcomer := 0
	for _, id := range turns {
		if id == servers[3].ID {
			newcomer++
		}
	}
	return fmt.Sprintf("%d of %d requests to the newcomer", newcomer, len(turns)), nil
}
