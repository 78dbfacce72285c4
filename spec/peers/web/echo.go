package main

import (
	"context"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const echoVersion = "github.com/labstack/echo/v4 v4.16.4"

var echoSubjects = []spec.Subject{
	{
		Name: "echo/RandomBalancer", Doc: echoVersion + ", middleware.NewRandomBalancer",
		New:    echoProxy(middleware.NewRandomBalancer),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.Concurrent()},
	},
	{
		Name: "echo/RoundRobinBalancer", Doc: echoVersion + ", middleware.NewRoundRobinBalancer",
		New:    echoProxy(middleware.NewRoundRobinBalancer),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: map[string]string{
			"round-robin/update": "The rotation remembers a position in the list. When a target that it has passed is removed, the others move up and the one that was next is passed over. It is one request for each removal.",
		},
	},
}

// An echoBalancer drives a balancer of Echo's proxy. A server of weight 0 is
// removed.
type echoBalancer struct {
	echo     *echo.Echo
	balancer middleware.ProxyBalancer

	mu    sync.Mutex
	fleet []spec.Server // those that were added
	ids   map[string]spec.ServerID
}

func echoProxy(build func([]*middleware.ProxyTarget) middleware.ProxyBalancer) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		fleet := eligible(f.Servers)
		return &echoBalancer{echo: echo.New(), balancer: build(targets(fleet)), fleet: fleet, ids: idsOf(f.Servers)}, nil
	}
}

func targets(fleet []spec.Server) []*middleware.ProxyTarget {
	all := make([]*middleware.ProxyTarget, len(fleet))
	for i, s := range fleet {
		all[i] = target(s)
	}
	return all
}

func target(s spec.Server) *middleware.ProxyTarget {
	return &middleware.ProxyTarget{Name: s.Name, URL: urlOf(s.Name)}
}

// Update removes and adds targets.
func (b *echoBalancer) Update(fleet []spec.Server) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	has := idsOf(eligible(fleet))
	for _, s := range b.fleet {
		if _, stays := has[s.Name]; !stays {
			b.balancer.RemoveTarget(s.Name)
		}
	}
	had := idsOf(b.fleet)
	for _, s := range eligible(fleet) {
		if _, known := had[s.Name]; !known {
			b.balancer.AddTarget(target(s))
		}
	}
	b.fleet, b.ids = eligible(fleet), idsOf(fleet)
	return nil
}

// Pick is the first attempt of a request.
func (b *echoBalancer) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	target := b.balancer.Next(b.echo.NewContext(nil, nil))
	if target == nil {
		return 0, nil, errNoServer
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[target.Name], nothing, nil
}
