package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"resty.dev/v3"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const restyVersion = "resty.dev/v3 v3.0.0-rc.4"

var restySubjects = []spec.Subject{
	{
		Name: "resty/RoundRobin", Doc: restyVersion + ", NewRoundRobin and Refresh",
		New:    newRestyRoundRobin,
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/eligible": "While some servers are away the list is shorter, and the request after that panics when the position lies behind its end: see resty/RoundRobin/refresh-panics.",
			"round-robin/update":   "Refresh keeps the position in the list and not the server: where it does not panic (see resty/RoundRobin/refresh-panics) a server may be passed over, or picked twice in a row.",
		},
	},
	{
		Name: "resty/WeightedRoundRobin", Doc: restyVersion + ", NewWeightedRoundRobin and Refresh",
		New:    newRestyWeighted,
		Claims: []spec.Option{spec.Law(oracle.SmoothWeighted{}), spec.Rotates(), spec.Concurrent()},
		Pinned: map[string]string{
			"weighted/ramp": "Refresh makes all hosts new, and a new rotation starts with the host that is first: see resty/WeightedRoundRobin/refresh-revives. Where weights are refreshed as often as requests are made, the first host gets all of them.",
		},
	},
}

// recovery is after what time a host that failed comes back.
const recovery = time.Minute

// A restyBalancer drives a load balancer of Resty. Servers of weight 0 are left
// out of the list.
type restyBalancer struct {
	balancer resty.LoadBalancer
	refresh  func(fleet []spec.Server) error

	mu  sync.Mutex
	ids map[string]spec.ServerID
}

func newRestyRoundRobin(f spec.Fleet) (spec.Picker, error) {
	balancer, err := resty.NewRoundRobin(baseURLs(eligible(f.Servers))...)
	if err != nil {
		return nil, err
	}
	return &restyBalancer{
		balancer: balancer, ids: idsOf(f.Servers),
		refresh: func(fleet []spec.Server) error { return balancer.Refresh(baseURLs(fleet)...) },
	}, nil
}

func newRestyWeighted(f spec.Fleet) (spec.Picker, error) {
	balancer, err := resty.NewWeightedRoundRobin(recovery, hosts(eligible(f.Servers))...)
	if err != nil {
		return nil, err
	}
	return &restyBalancer{
		balancer: balancer, ids: idsOf(f.Servers),
		refresh: func(fleet []spec.Server) error { return balancer.Refresh(hosts(fleet)...) },
	}, nil
}

func baseURLs(fleet []spec.Server) []string {
	all := make([]string, len(fleet))
	for i, s := range fleet {
		all[i] = urlOf(s.Name).String()
	}
	return all
}

func hosts(fleet []spec.Server) []*resty.Host {
	all := make([]*resty.Host, len(fleet))
	for i, s := range fleet {
		all[i] = &resty.Host{BaseURL: urlOf(s.Name).String(), Weight: int(s.Weight)}
	}
	return all
}

// Update gives the balancer another list.
func (b *restyBalancer) Update(fleet []spec.Server) error {
	b.mu.Lock()
	b.ids = idsOf(fleet)
	b.mu.Unlock()
	return b.refresh(eligible(fleet))
}

// Pick is one request; its end is fed back.
func (b *restyBalancer) Pick(ctx context.Context, _ spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	url, err := b.balancer.NextWithContext(ctx)
	if err != nil {
		return 0, nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[strings.TrimPrefix(url, "http://")], func(o spec.Outcome) error {
		b.balancer.Feedback(&resty.RequestFeedback{BaseURL: url, Success: !o.Failed, Attempt: 1})
		return nil
	}, nil
}
