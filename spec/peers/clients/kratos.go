package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-kratos/kratos/v2/registry"
	"github.com/go-kratos/kratos/v2/selector"
	"github.com/go-kratos/kratos/v2/selector/p2c"
	"github.com/go-kratos/kratos/v2/selector/random"
	"github.com/go-kratos/kratos/v2/selector/wrr"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const kratosVersion = "github.com/go-kratos/kratos/v2 v2.8.3"

var kratosSubjects = []spec.Subject{
	{
		Name: "kratos/random", Doc: kratosVersion + ", selector/random",
		New:    kratos(func() selector.Selector { return random.New() }),
		Claims: []spec.Option{spec.Law(oracle.Random{}), spec.Concurrent()},
	},
	{
		Name: "kratos/wrr", Doc: kratosVersion + ", selector/wrr",
		New:    kratos(func() selector.Selector { return wrr.New() }),
		Claims: []spec.Option{spec.Law(oracle.SmoothWeighted{}), spec.Concurrent()},
	},
}

// p2cCache is a little more than p2c keeps a weight in its cache.
const p2cCache = 6 * time.Millisecond

var kratosFrozen = []peers.Frozen{{
	Name: "kratos/p2c", Version: kratosVersion, Claim: oracle.PowerOfD{D: 2}, Servers: 5,
	Build:  kratos(func() selector.Selector { return p2c.New() }),
	Settle: func(p spec.Picker) { p.(*kratosSelector).bubble.Sleep(p2cCache) },
}}

// A kratosSelector drives a selector. Those of Kratos look at the time.
type kratosSelector struct {
	bubble   *peers.Bubble
	selector selector.Selector

	mu  sync.Mutex
	ids map[string]spec.ServerID
}

func kratos(build func() selector.Selector) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		k := &kratosSelector{bubble: peers.NewBubble()}
		k.bubble.Do(func() { k.selector = build() })
		return k, k.Update(f.Servers)
	}
}

// Update leaves out servers of weight 0, as discovery does.
func (k *kratosSelector) Update(fleet []spec.Server) error {
	k.mu.Lock()
	k.ids = make(map[string]spec.ServerID)
	var nodes []selector.Node
	for _, s := range fleet {
		k.ids[s.Name] = s.ID
		if s.Weight > 0 {
			nodes = append(nodes, selector.NewNode("grpc", s.Name, &registry.ServiceInstance{
				Metadata: map[string]string{"weight": fmt.Sprint(s.Weight)},
			}))
		}
	}
	k.mu.Unlock()
	k.bubble.Do(func() { k.selector.Apply(nodes) })
	return nil
}

func (k *kratosSelector) Pick(ctx context.Context, _ spec.Request) (id spec.ServerID, done func(spec.Outcome) error, err error) {
	return k.pick(ctx, errFailed)
}

// pick is a request that ends with the given error if it fails.
func (k *kratosSelector) pick(ctx context.Context, failure error) (id spec.ServerID, done func(spec.Outcome) error, err error) {
	var node selector.Node
	var finish selector.DoneFunc
	k.bubble.Do(func() { node, finish, err = k.selector.Select(ctx) })
	if err != nil {
		return 0, nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ids[node.Address()], func(o spec.Outcome) error {
		info := selector.DoneInfo{BytesSent: true, BytesReceived: !o.Failed}
		if o.Failed {
			info.Err = failure
		}
		k.bubble.Do(func() { finish(ctx, info) })
		return nil
	}, nil
}

var errFailed = errors.New("the request failed")
