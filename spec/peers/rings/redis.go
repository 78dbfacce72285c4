package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const redisVersion = "github.com/redis/go-redis/v9 v9.23.0"

var redisSubjects = []spec.Subject{{
	Name: "go-redis/Ring", Doc: redisVersion + ", Ring with its default hash",
	New:    newRedis,
	Claims: []spec.Option{spec.MapsKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
}}

// heartbeat is how often the ring looks after its shards; a shard is down after
// three failures.
const heartbeat = 500 * time.Millisecond

// A redisRing drives a redis.Ring. A server of weight 0 does not answer its
// heartbeat. The ring runs in a bubble, where the heartbeats go by at once.
type redisRing struct {
	bubble *peers.Bubble
	ring   *redis.Ring

	mu        sync.Mutex
	addresses map[string]string        // by name, for as long as the ring lives
	ids       map[string]spec.ServerID // by address
	sick      map[string]bool          // by address
}

func newRedis(f spec.Fleet) (spec.Picker, error) {
	redis.SetLogger(quiet{})
	r := &redisRing{bubble: peers.NewBubble(), addresses: make(map[string]string)}
	shards := r.shards(f.Servers)
	r.bubble.Do(func() {
		r.ring = redis.NewRing(&redis.RingOptions{
			Addrs:              shards,
			HeartbeatFrequency: heartbeat,
			HeartbeatFn: func(_ context.Context, c *redis.Client) bool {
				r.mu.Lock()
				defer r.mu.Unlock()
				return !r.sick[c.Options().Addr]
			},
			Dialer: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("there is no network")
			},
		})
	})
	r.settle()
	return r, nil
}

// shards notes who is there and who is up, and gives every name an address of
// those that are reserved for documentation: names would be resolved.
func (r *redisRing) shards(servers []spec.Server) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	shards := make(map[string]string)
	r.ids, r.sick = make(map[string]spec.ServerID), make(map[string]bool)
	for _, s := range servers {
		if r.addresses[s.Name] == "" {
			r.addresses[s.Name] = fmt.Sprintf("192.0.2.%d:6379", 1+len(r.addresses))
		}
		a := r.addresses[s.Name]
		shards[s.Name], r.ids[a], r.sick[a] = a, s.ID, s.Weight == 0
	}
	return shards
}

// settle lets the heartbeats notice who is up.
func (r *redisRing) settle() { r.bubble.Sleep(4 * heartbeat) }

func (r *redisRing) Update(servers []spec.Server) error {
	shards := r.shards(servers)
	r.bubble.Do(func() { r.ring.SetAddrs(shards) })
	r.settle()
	return nil
}

func (r *redisRing) Pick(_ context.Context, q spec.Request) (id spec.ServerID, done func(spec.Outcome) error, err error) {
	c, err := r.ring.GetShardClientForKey(q.Key)
	if err != nil {
		return 0, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[c.Options().Addr], func(spec.Outcome) error { return nil }, nil
}

// quiet is a log for nobody: that shards go down is the point.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
