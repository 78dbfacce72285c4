package main

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc/balancer"

	"github.com/picklaw/picklaw/spec/peers"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

// A client sends requests through p2c_ewma to servers that answer as it says.
type client struct {
	*channel.Bubbled
	servers int
	now     time.Duration
	open    []request // in the order of their ends
}

type request struct {
	end  time.Duration
	done func()
}

func newClient(servers int) (*client, error) {
	b, err := open("p2c_ewma", peers.Fleet(servers))
	return &client{Bubbled: b, servers: servers}, err
}

// An answer is when and how a server answers. One that never does has a latency
// below zero.
type answer struct {
	latency time.Duration
	err     error
}

// run sends requests at even intervals, and tells where they went. They go on
// after the last one is sent.
func (c *client) run(requests int, interval time.Duration, serve func(server int) answer) ([]int, error) {
	var turns []int
	for range requests {
		i, done, err := c.pick()
		if err != nil {
			return nil, err
		}
		turns = append(turns, i)
		if a := serve(i); a.latency >= 0 {
			c.schedule(request{c.now + a.latency, func() { done(a.err) }})
		}
		c.pass(interval)
	}
	return turns, nil
}

func (c *client) pick() (server int, done func(error), err error) {
	var result balancer.PickResult
	c.Bubble.Do(func() {
		result, err = c.Channel.Picker().Pick(balancer.PickInfo{FullMethodName: "/audit/Pick", Ctx: context.Background()})
	})
	if err != nil {
		return 0, nil, err
	}
	id, _, err := c.Channel.Server(result.SubConn)
	if err != nil {
		return 0, nil, err
	}
	return int(id - peers.Fleet(1)[0].ID), func(failure error) {
		c.Bubble.Do(func() { result.Done(balancer.DoneInfo{Err: failure, BytesSent: true, BytesReceived: failure == nil}) })
	}, nil
}

func (c *client) schedule(r request) {
	k, _ := slices.BinarySearchFunc(c.open, r.end, func(o request, end time.Duration) int { return int(o.end - end) })
	c.open = slices.Insert(c.open, k, r)
}

// pass lets time go by, and requests end when they are due.
func (c *client) pass(d time.Duration) {
	until := c.now + d
	for len(c.open) > 0 && c.open[0].end <= until {
		r := c.open[0]
		c.open = c.open[1:]
		c.sleep(r.end - c.now)
		r.done()
	}
	c.sleep(until - c.now)
}

func (c *client) sleep(d time.Duration) {
	if d > 0 {
		c.Bubble.Sleep(d)
		c.now += d
	}
}

// at is how many of the turns were a server's.
func at(turns []int, server int) int {
	n := 0
	for _, i := range turns {
		if i == server {
			n++
		}
	}
	return n
}
