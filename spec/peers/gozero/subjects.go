package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/zrpc"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

const version = "github.com/zeromicro/go-zero v1.10.3"

// subjects are the balancers that go-zero registers with gRPC. Their clock
// stands still, so that all latencies are equal and only what is in flight
// tells servers apart.
var subjects = []spec.Subject{
	{
		Name: "go-zero/p2c_ewma", Doc: version + ", p2c_ewma while all latencies are equal",
		New: func(f spec.Fleet) (spec.Picker, error) { return open("p2c_ewma", f.Servers) },
		Claims: []spec.Option{
			spec.Law(oracle.PowerOfD{D: 2}), spec.CountsInFlight(), spec.Concurrent(),
		},
		Pinned: map[string]string{
			"law/fleet-sizes": "Two servers are compared in the order of the list, and ties go to the first; from three on the two are drawn, which makes ties fair. Of a pair with equal loads the first server gets every request but the one a second that is forced upon a server that has not been picked for that long. " +
				"With little traffic the second server is idle, its connections and caches are cold, and its failure is noticed late.",
		},
	},
	{
		Name: "go-zero/consistent_hash", Doc: version + ", consistent_hash with its 100 replicas",
		New: func(f spec.Fleet) (spec.Picker, error) {
			b, err := open("consistent_hash", f.Servers)
			return keyed{b}, err
		},
		Claims: []spec.Option{spec.MapsKeys(), spec.SharesWithin(1.5), spec.Concurrent()},
		Pinned: map[string]string{
			"totality/small-fleets": "A call whose context carries no hash key is refused by the client, with InvalidArgument, while every server is up; gRPC's own ring hash draws a server for it. Every call of a client that is switched to consistent_hash has to set a key, and one that is forgotten fails each time.",
		},
	},
}

// The time in a bubble begins in 2000. go-zero counts it from a year before the
// process was started, outside, and takes a server for one that was never picked
// when its last pick was at that moment: by then, that must be long ago.
const future = 60 * 365 * 24 * time.Hour

// opened makes instances begin at different moments, which their source of
// chance is seeded from.
var opened atomic.Int64

// open builds a balancer in a bubble.
func open(name string, fleet []spec.Server) (*channel.Bubbled, error) {
	logx.Disable()
	b := &channel.Bubbled{Bubble: peers.NewBubble()}
	b.Bubble.Sleep(future + time.Duration(opened.Add(1)))
	var err error
	b.Bubble.Do(func() { b.Channel, err = channel.New(name, `{}`, fleet) })
	return b, err
}

// A keyed balancer takes the key of a request from where go-zero looks for it.
type keyed struct{ *channel.Bubbled }

func (k keyed) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	return k.Bubbled.Pick(zrpc.SetHashKey(ctx, q.Key), q)
}
