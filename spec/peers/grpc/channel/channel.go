// Package channel drives balancers of gRPC without a network.
package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/experimental/balancer/weight"
	"google.golang.org/grpc/experimental/stats"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/serviceconfig"

	"github.com/picklaw/picklaw/spec"
)

// A Channel is what a balancer of gRPC sees of a client: it makes connections
// that are ready as soon as they are asked for, and holds the last picker. There
// is no network behind it.
type Channel struct {
	balancer.ClientConn // nil: only the methods below are called

	balancer balancer.Balancer
	config   serviceconfig.LoadBalancingConfig

	delivering sync.Mutex

	mu sync.Mutex
	// events wait until the balancer has returned, because a connection must not
	// call its listener from within Connect.
	events []func()
	state  balancer.State
	ids    map[string]spec.ServerID // by address
	health map[string]connectivity.State
	conns  map[string]*conn
}

// New builds the balancer of that name and configuration over a fleet.
func New(name, config string, fleet []spec.Server) (*Channel, error) {
	builder := balancer.Get(name)
	if builder == nil {
		return nil, fmt.Errorf("grpc: no balancer is registered as %q", name)
	}
	c := &Channel{conns: make(map[string]*conn)}
	if parser, ok := builder.(balancer.ConfigParser); ok {
		var err error
		if c.config, err = parser.ParseConfig(json.RawMessage(config)); err != nil {
			return nil, err
		}
	}
	c.balancer = builder.Build(c, balancer.BuildOptions{})
	return c, c.Update(fleet)
}

// Update resolves the name anew. A server of weight 0 keeps its connection and
// fails its health check.
func (c *Channel) Update(fleet []spec.Server) error {
	c.mu.Lock()
	c.ids = make(map[string]spec.ServerID)
	c.health = make(map[string]connectivity.State)
	var endpoints []resolver.Endpoint
	var healthy []resolver.Address // for balancers that do not know endpoints yet
	for _, s := range fleet {
		c.ids[s.Name] = s.ID
		c.health[s.Name] = connectivity.Ready
		if s.Weight == 0 {
			c.health[s.Name] = connectivity.TransientFailure
		}
		endpoint := resolver.Endpoint{Addresses: []resolver.Address{{Addr: s.Name}}}
		if s.Weight > 0 {
			healthy = append(healthy, endpoint.Addresses...)
			endpoint = weight.Set(endpoint, weight.EndpointInfo{Weight: uint32(s.Weight)})
		}
		endpoints = append(endpoints, endpoint)
	}
	c.mu.Unlock()
	err := c.balancer.UpdateClientConnState(balancer.ClientConnState{
		ResolverState:  resolver.State{Endpoints: endpoints, Addresses: healthy},
		BalancerConfig: c.config,
	})
	for _, s := range fleet {
		c.mu.Lock()
		conn := c.conns[s.Name]
		c.mu.Unlock()
		if conn != nil {
			conn.checkHealth()
		}
	}
	c.deliver()
	return err
}

// deliver plays the events that have gathered, and those that they cause.
func (c *Channel) deliver() {
	c.delivering.Lock()
	defer c.delivering.Unlock()
	for {
		c.mu.Lock()
		if len(c.events) == 0 {
			c.mu.Unlock()
			return
		}
		event := c.events[0]
		c.events = c.events[1:]
		c.mu.Unlock()
		event()
	}
}

// hashHeader carries the key of a request to ring_hash.
const hashHeader = "key"

// Pick is one request.
func (c *Channel) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if q.Key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, hashHeader, q.Key)
	}
	picker := c.Picker()
	if picker == nil {
		return 0, nil, errors.New("grpc: the balancer has published no picker")
	}
	result, err := picker.Pick(balancer.PickInfo{FullMethodName: "/audit/Pick", Ctx: ctx})
	if err != nil {
		return 0, nil, err
	}
	id, _, err := c.Server(result.SubConn)
	if err != nil {
		return 0, nil, err
	}
	return id, func(o spec.Outcome) error {
		if result.Done != nil {
			result.Done(doneInfo(o))
		}
		return nil
	}, nil
}

// Picker is the last picker that the balancer has published.
func (c *Channel) Picker() balancer.Picker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Picker
}

// Server tells which server a connection leads to.
func (c *Channel) Server(s balancer.SubConn) (id spec.ServerID, address string, err error) {
	picked, ok := s.(*conn)
	if !ok {
		return 0, "", fmt.Errorf("grpc: the picker returned a connection of type %T", s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id, known := c.ids[picked.address]
	if !known {
		return 0, "", fmt.Errorf("grpc: the picker returned a connection to %s, which has left", picked.address)
	}
	return id, picked.address, nil
}

func doneInfo(o spec.Outcome) balancer.DoneInfo {
	info := balancer.DoneInfo{BytesSent: true, BytesReceived: !o.Failed}
	if o.Failed {
		info.Err = errors.New("the request failed")
	}
	return info
}

// NewSubConn makes a connection to one address.
func (c *Channel) NewSubConn(addresses []resolver.Address, o balancer.NewSubConnOptions) (balancer.SubConn, error) {
	if len(addresses) != 1 {
		return nil, fmt.Errorf("grpc: a connection to %d addresses, want 1", len(addresses))
	}
	s := &conn{channel: c, address: addresses[0].Addr, listener: o.StateListener}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns[s.address] = s
	return s, nil
}

// UpdateState takes the picker that the balancer publishes.
func (c *Channel) UpdateState(s balancer.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = s
}

// ResolveNow does nothing: Update resolves.
func (c *Channel) ResolveNow(resolver.ResolveNowOptions) {}

// Target is what a client would have dialled.
func (c *Channel) Target() string { return "audit:///fleet" }

// MetricsRecorder records nothing.
func (c *Channel) MetricsRecorder() stats.MetricsRecorder {
	return stats.UnimplementedMetricsRecorder{}
}

// A conn is a connection to one address.
type conn struct {
	balancer.SubConn // nil: only the methods below are called

	channel  *Channel
	address  string
	listener func(balancer.SubConnState)
	health   func(balancer.SubConnState)
	reported connectivity.State // the last health that was reported; Idle for none
	closed   atomic.Bool
}

func (s *conn) later(listener func(balancer.SubConnState), state connectivity.State) {
	s.channel.mu.Lock()
	defer s.channel.mu.Unlock()
	s.channel.events = append(s.channel.events, func() {
		if s.closed.Load() && state != connectivity.Shutdown {
			return
		}
		report := balancer.SubConnState{ConnectivityState: state}
		if state == connectivity.TransientFailure {
			report.ConnectionError = fmt.Errorf("%s is not healthy", s.address)
		}
		listener(report)
	})
}

// Connect succeeds.
func (s *conn) Connect() {
	s.later(s.listener, connectivity.Connecting)
	s.later(s.listener, connectivity.Ready)
}

// RegisterHealthListener reports what the fleet says of the address.
func (s *conn) RegisterHealthListener(listener func(balancer.SubConnState)) {
	s.health, s.reported = listener, connectivity.Idle
	s.checkHealth()
}

func (s *conn) checkHealth() {
	s.channel.mu.Lock()
	state := s.channel.health[s.address]
	s.channel.mu.Unlock()
	if s.health != nil && s.reported != state {
		s.reported = state
		s.later(s.health, state)
	}
}

// Shutdown closes the connection.
func (s *conn) Shutdown() {
	s.closed.Store(true)
	s.channel.mu.Lock()
	if s.channel.conns[s.address] == s {
		delete(s.channel.conns, s.address)
	}
	s.channel.mu.Unlock()
	s.later(s.listener, connectivity.Shutdown)
}
