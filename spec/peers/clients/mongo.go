package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/mnet"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const mongoVersion = "go.mongodb.org/mongo-driver/v2 v2.10.0"

// The driver follows the server selection specification: two distinct random
// servers of the suitable ones, and of those the one with fewer operations.
var mongoSubjects = []spec.Subject{{
	Name: "mongo/server-selection", Doc: mongoVersion + ", server selection among mongos routers",
	New:    newMongo,
	Claims: []spec.Option{spec.Law(oracle.PowerOfD{D: 2}), spec.CountsInFlight(), spec.Concurrent()},
}}

// A mongoTopology drives the driver's server selection. A request in flight is a
// connection that is checked out. The routers answer over pipes and say hello.
type mongoTopology struct {
	bubble   *peers.Bubble
	topology *topology.Topology
	ids      map[string]spec.ServerID // by address
}

func newMongo(f spec.Fleet) (spec.Picker, error) {
	m := &mongoTopology{bubble: peers.NewBubble(), ids: make(map[string]spec.ServerID)}
	var hosts []string
	for _, s := range f.Servers {
		if s.Weight > 0 {
			address := s.Name + ":27017"
			hosts = append(hosts, address)
			m.ids[address] = s.ID
		}
	}
	if len(hosts) == 0 {
		return nil, errors.New("mongo: a topology wants at least one host")
	}
	var err error
	m.bubble.Do(func() {
		o := options.Client().SetHosts(hosts).SetDialer(router{}).SetServerMonitoringMode("poll")
		var c *topology.Config
		if c, err = topology.NewConfig(o, nil); err != nil {
			return
		}
		if m.topology, err = topology.New(c); err == nil {
			err = m.topology.Connect()
		}
	})
	m.bubble.Sleep(time.Second) // until all routers are known
	return m, err
}

// suitable is a selector for which every known router will do.
var suitable = description.ServerSelector(every{})

type every struct{}

func (every) SelectServer(_ description.Topology, candidates []description.Server) ([]description.Server, error) {
	var known []description.Server
	for _, c := range candidates {
		if c.Kind == description.ServerKindMongos {
			known = append(known, c)
		}
	}
	return known, nil
}

func (m *mongoTopology) Pick(ctx context.Context, _ spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	var conn *mnet.Connection
	var err error
	m.bubble.Do(func() {
		server, e := m.topology.SelectServer(ctx, suitable)
		if e != nil {
			err = e
			return
		}
		conn, err = server.Connection(ctx)
	})
	if err != nil {
		return 0, nil, err
	}
	var ended atomic.Bool
	return m.ids[conn.Address().String()], func(spec.Outcome) (err error) {
		if ended.Swap(true) {
			return errors.New("mongo: the connection was returned before")
		}
		m.bubble.Do(func() { err = conn.Close() })
		return err
	}, nil
}

// A router is what the driver reaches under every address.
type router struct{}

func (router) DialContext(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		for answerHello(far) == nil {
		}
	}()
	return near, nil
}

// answerHello answers one message, whatever it says, as a mongos answers hello.
// A message is its length, its id, the id it answers, and its kind, each of 32
// bits, and a body.
func answerHello(c net.Conn) error {
	head := make([]byte, 16)
	if _, err := io.ReadFull(c, head); err != nil {
		return err
	}
	length, request, _, kind, _, _ := wiremessage.ReadHeader(head)
	if _, err := io.CopyN(io.Discard, c, int64(length)-int64(len(head))); err != nil {
		return err
	}
	hello, err := bson.Marshal(bson.D{
		{Key: "ok", Value: 1}, {Key: "helloOk", Value: true}, {Key: "isWritablePrimary", Value: true},
		{Key: "ismaster", Value: true}, {Key: "msg", Value: "isdbgrid"},
		{Key: "maxBsonObjectSize", Value: 1 << 24}, {Key: "maxMessageSizeBytes", Value: 48000000},
		{Key: "maxWriteBatchSize", Value: 100000},
		{Key: "minWireVersion", Value: 0}, {Key: "maxWireVersion", Value: 25},
	})
	if err != nil {
		return err
	}
	answer := wiremessage.OpMsg
	if kind == wiremessage.OpQuery {
		answer = wiremessage.OpReply
	}
	start, message := wiremessage.AppendHeaderStart(nil, 1, request, answer)
	if answer == wiremessage.OpReply {
		message = wiremessage.AppendReplyFlags(message, 0)
		message = wiremessage.AppendReplyCursorID(message, 0)
		message = wiremessage.AppendReplyStartingFrom(message, 0)
		message = wiremessage.AppendReplyNumberReturned(message, 1)
	} else {
		message = wiremessage.AppendMsgFlags(message, 0)
		message = wiremessage.AppendMsgSectionType(message, wiremessage.SingleDocument)
	}
	message = append(message, hello...)
	binary.LittleEndian.PutUint32(message[start:], uint32(len(message)))
	_, err = c.Write(message)
	return err
}
