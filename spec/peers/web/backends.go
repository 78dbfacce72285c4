package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/picklaw/picklaw/spec"
)

// backends are what an HTTP client talks to instead of a network. They answer at
// once, those that are down with an error, and remember who was asked.
type backends struct {
	mu    sync.Mutex
	down  map[string]bool
	asked []string // the hosts, in order
}

func newBackends(down ...string) *backends {
	b := &backends{down: make(map[string]bool)}
	b.take(down...)
	return b
}

// take takes down these hosts, and no others.
func (b *backends) take(down ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.down)
	for _, host := range down {
		b.down[host] = true
	}
}

// RoundTrip answers one request, as an http.RoundTripper does: an error of the
// request's context comes before any other.
func (b *backends) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !strings.HasPrefix(r.URL.Path, "/_") { // not what a client asks of a node for its own ends
		b.asked = append(b.asked, r.URL.Host)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if b.down[r.URL.Host] {
		return nil, errors.New(r.URL.Host + " is down")
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: make(http.Header),
		Body: io.NopCloser(strings.NewReader("{}")),
	}, nil
}

// Do is RoundTrip for clients that want an http.Client.
func (b *backends) Do(r *http.Request) (*http.Response, error) { return b.RoundTrip(r) }

// since tells who was asked after the first n requests.
func (b *backends) since(n int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.asked[n:]...)
}

func (b *backends) requests() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.asked)
}

// count is how many of the requests went to the host.
func count(asked []string, host string) int {
	n := 0
	for _, a := range asked {
		if a == host {
			n++
		}
	}
	return n
}

// urlOf is where a server listens; its host is its name.
func urlOf(name string) *url.URL { return &url.URL{Scheme: "http", Host: name} }

// eligible are the servers that take traffic.
func eligible(fleet []spec.Server) []spec.Server {
	var all []spec.Server
	for _, s := range fleet {
		if s.Weight > 0 {
			all = append(all, s)
		}
	}
	return all
}

func idsOf(fleet []spec.Server) map[string]spec.ServerID {
	ids := make(map[string]spec.ServerID)
	for _, s := range fleet {
		ids[s.Name] = s.ID
	}
	return ids
}

var errNoServer = errors.New("there is no server")

// nothing is the end of a request that nobody is told about.
func nothing(spec.Outcome) error { return nil }

var background = context.Background()
