package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// requestHeader carries the number of a request through the proxy.
const requestHeader = "X-Picklaw-Request"

// backends are the servers behind the proxy.
type backends struct {
	addresses []string
	servers   []*http.Server // nil entries are away

	mu      sync.Mutex
	waiting map[uint64]chan arrival // of picks that have not arrived
	timed   *timed                  // nil: responses are held
	strange int                     // requests of somebody else
	moved   int                     // arrivals of a request that had arrived before
}

// An arrival is a request that waits at a server for its response.
type arrival struct {
	server  int
	respond chan<- int // the status; closed connections are noticed too
	gone    <-chan struct{}
}

// listen starts a server on every address.
func listen(addresses []string) (*backends, error) {
	b := &backends{addresses: slices.Clone(addresses), servers: make([]*http.Server, len(addresses)), waiting: make(map[uint64]chan arrival)}
	for i := range addresses {
		if err := b.open(i); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

func (b *backends) open(i int) error {
	l, err := net.Listen("tcp", b.addresses[i])
	if err != nil {
		return fmt.Errorf("proxy: server %d: %w", i, err)
	}
	b.addresses[i] = l.Addr().String() // the port may have been left open
	s := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.serve(i, w, r) }),
		ReadHeaderTimeout: 10 * time.Second,
	}
	s.SetKeepAlivesEnabled(false) // a request is in flight exactly as long as its connection
	b.servers[i] = s
	go func() { _ = s.Serve(l) }()
	return nil
}

// takeAway stops the server from listening, and what it serves ends at once.
func (b *backends) takeAway(i int) {
	if s := b.servers[i]; s != nil {
		b.servers[i] = nil
		_ = s.Close()
	}
}

func (b *backends) close() {
	for i := range b.servers {
		b.takeAway(i)
	}
}

func (b *backends) serve(i int, w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseUint(r.Header.Get(requestHeader), 10, 64)
	if err != nil { // a health check, or somebody's browser
		b.mu.Lock()
		b.strange++
		b.mu.Unlock()
		reply(w, http.StatusOK)
		return
	}
	b.mu.Lock()
	plan := b.timed
	arrived, known := b.waiting[number]
	delete(b.waiting, number)
	if !known && plan == nil {
		b.moved++
	}
	b.mu.Unlock()
	switch {
	case plan != nil:
		reply(w, plan.serve(i))
	case known:
		respond := make(chan int, 1)
		arrived <- arrival{i, respond, r.Context().Done()}
		select {
		case status := <-respond:
			reply(w, status)
		case <-r.Context().Done():
		}
	default: // the proxy sent it again; only the first arrival is a pick
		reply(w, http.StatusOK)
	}
}

func reply(w http.ResponseWriter, status int) {
	body := strconv.Itoa(status) + "\n"
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// expect announces a request, before it is sent.
func (b *backends) expect(number uint64) <-chan arrival {
	c := make(chan arrival, 1)
	b.mu.Lock()
	b.waiting[number] = c
	b.mu.Unlock()
	return c
}

// forget gives a request up that has not arrived.
func (b *backends) forget(number uint64) {
	b.mu.Lock()
	delete(b.waiting, number)
	b.mu.Unlock()
}

var errNoServers = errors.New("proxy: a proxy needs at least one server behind it, such as --backends 127.0.0.1:9001")
