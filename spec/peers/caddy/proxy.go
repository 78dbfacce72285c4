package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/picklaw/picklaw/spec"
)

// A proxy drives Caddy's reverse proxy handler, whose transport holds every
// request until it is released. An update is what a reload of the configuration
// does: a new handler over the new upstreams, and then the old one is cleaned up.
type proxy struct {
	build  func(fleet []spec.Server) reverseproxy.Selector
	prefix string // of addresses; Caddy counts by address for the whole process

	mu      sync.Mutex
	handler *reverseproxy.Handler
	ids     map[string]spec.ServerID // by address
}

// A visit is a request on its way through the proxy.
type visit struct {
	at      chan string
	release chan bool // whether it succeeds
	over    chan error
	ended   atomic.Bool
}

type visitKey struct{}

var instances atomic.Int64

// config is as much of a Caddy configuration as a handler needs.
var config = sync.OnceValues(func() (caddy.Context, error) {
	return caddy.ProvisionContext(&caddy.Config{Admin: &caddy.AdminConfig{Disabled: true}})
})

// proxied is the factory of a proxy with a selection policy. Keyed policies need
// the same addresses in every instance; the others need their own counts.
func proxied(keyed bool, build func(fleet []spec.Server) reverseproxy.Selector) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		p := &proxy{build: build}
		if !keyed {
			p.prefix = fmt.Sprintf("instance%d-", instances.Add(1))
		}
		return p, p.Update(f.Servers)
	}
}

// Update leaves out upstreams of weight 0, except for policies that have weights
// of their own.
func (p *proxy) Update(fleet []spec.Server) error {
	return p.serve(fleet, 0)
}

// serve reloads the configuration; no upstream takes more than limit requests at
// once, unless limit is 0.
func (p *proxy) serve(fleet []spec.Server, limit int) error {
	ctx, err := config()
	if err != nil {
		return err
	}
	h := &reverseproxy.Handler{
		Transport:     transport{},
		LoadBalancing: &reverseproxy.LoadBalancing{SelectionPolicy: p.build(fleet)},
	}
	if s, ok := h.LoadBalancing.SelectionPolicy.(caddy.Provisioner); ok {
		if err := s.Provision(ctx); err != nil {
			return err
		}
	}
	_, weighted := h.LoadBalancing.SelectionPolicy.(*reverseproxy.WeightedRoundRobinSelection)
	ids := make(map[string]spec.ServerID)
	for _, s := range fleet {
		if s.Weight > 0 || weighted {
			address := p.prefix + s.Name + ":80"
			ids[address] = s.ID
			h.Upstreams = append(h.Upstreams, &reverseproxy.Upstream{Dial: address, MaxRequests: limit})
		}
	}
	if err := h.Provision(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	old := p.handler
	p.handler, p.ids = h, ids
	p.mu.Unlock()
	if old != nil {
		return old.Cleanup()
	}
	return nil
}

// transport tells a request's Pick where it is, and waits for its end.
type transport struct{}

func (transport) RoundTrip(r *http.Request) (*http.Response, error) {
	v := r.Context().Value(visitKey{}).(*visit)
	upstream, _ := reverseproxy.GetDialInfo(r.Context())
	v.at <- upstream.Address
	status := http.StatusOK
	if !<-v.release {
		status = http.StatusInternalServerError
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header), Body: http.NoBody,
	}, nil
}

func (p *proxy) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	p.mu.Lock()
	h, ids := p.handler, p.ids
	p.mu.Unlock()
	v := &visit{make(chan string, 1), make(chan bool, 1), make(chan error, 1), atomic.Bool{}}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://example.com/"+url.PathEscape(q.Key), nil)
	r = caddyhttp.PrepareRequest(r.WithContext(context.WithValue(ctx, visitKey{}, v)), caddy.NewReplacer(), w, new(caddyhttp.Server))
	go func() { v.over <- h.ServeHTTP(w, r, nil) }()
	select {
	case address := <-v.at:
		return ids[address], func(o spec.Outcome) error { return v.end(o) }, nil
	case err := <-v.over:
		return 0, nil, fmt.Errorf("the proxy answered by itself: %w", err)
	}
}

// end releases the request and waits until the proxy has answered it.
func (v *visit) end(o spec.Outcome) error {
	if v.ended.Swap(true) {
		return errors.New("the request has ended before")
	}
	v.release <- !o.Failed
	return <-v.over
}
