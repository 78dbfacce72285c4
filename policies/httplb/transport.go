// Package httplb puts a policies.Balancer in front of HTTP servers.
//
// A request is in flight from the pick until its response has been read or its
// body closed, and that is how long the policy hears that it took:
//
//	client := &http.Client{Transport: &httplb.Transport{Balancer: b}}
//
// where the servers of the balancer are named by their addresses, "host:port".
package httplb

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/picklaw/picklaw/policies"
)

// Transport is an http.RoundTripper that sends each request to a server that a
// Balancer picks. The URL of a request needs no server; the Host header stays
// what it would have been.
type Transport struct {
	Balancer *policies.Balancer

	// Base does the round trips; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Request says what the policy may know of a request, such as the key that it
	// is routed by; nil tells nothing.
	Request func(*http.Request) policies.Request
	// Failed is the verdict on a response; nil fails those of status 500 and above.
	Failed func(*http.Response) bool
}

// RoundTrip leases a server for a request. The lease ends when the body of the
// response is closed or has been read to its end, and at once if there is none.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var q policies.Request
	if t.Request != nil {
		q = t.Request(r)
	}
	lease, err := t.Balancer.Acquire(r.Context(), q)
	if err != nil {
		if r.Body != nil {
			r.Body.Close() // a RoundTripper must, on errors too
		}
		return nil, err
	}
	held := &held{lease: lease, request: r}
	defer func() {
		if !held.handed {
			_ = held.broken() // by a panic, if nobody has ended the lease
		}
	}()

	response, err := t.base().RoundTrip(held.addressed())
	if err != nil {
		return nil, also(err, held.broken())
	}
	held.failed = t.failed(response)
	if response.Body == nil || response.Body == http.NoBody {
		return response, held.answered()
	}
	response.Body = held.wrap(response.Body)
	held.handed = true
	return response, nil
}

func (t *Transport) base() http.RoundTripper {
	if t.Base != nil {
		return t.Base
	}
	return http.DefaultTransport
}

func (t *Transport) failed(r *http.Response) bool {
	if t.Failed != nil {
		return t.Failed(r)
	}
	return r.StatusCode >= http.StatusInternalServerError
}

// held is a lease for the time of one request.
type held struct {
	lease   *policies.Lease
	request *http.Request
	failed  bool // the verdict on the response
	handed  bool // the body ends the lease
	once    sync.Once
}

// addressed is the request with the picked server in its URL.
func (h *held) addressed() *http.Request {
	out := h.request.Clone(h.request.Context())
	if out.Host == "" {
		out.Host = out.URL.Host
	}
	out.URL.Host = h.lease.Server().Name
	return out
}

// end releases the lease, once.
func (h *held) end(o policies.Outcome) (err error) {
	h.once.Do(func() { err = h.lease.Release(o) })
	return err
}

// answered ends the lease with the verdict on the response.
func (h *held) answered() error { return h.end(policies.Outcome{Failed: h.failed}) }

// broken ends the lease of a request that got no whole response: a failure,
// unless it was the caller who gave up.
func (h *held) broken() error {
	canceled := errors.Is(h.request.Context().Err(), context.Canceled)
	return h.end(policies.Outcome{Failed: !canceled, Canceled: canceled})
}

// also adds a second error to a first one, which alone stays as it is: callers ask
// it whether it was a timeout.
func also(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	return errors.Join(first, second)
}

// wrap is a body that ends the lease. The body of a 101 can be written to.
func (h *held) wrap(body io.ReadCloser) io.ReadCloser {
	b := &leasedBody{ReadCloser: body, held: h}
	if w, ok := body.(io.Writer); ok {
		return struct {
			*leasedBody
			io.Writer
		}{b, w}
	}
	return b
}

type leasedBody struct {
	io.ReadCloser
	held *held
}

func (b *leasedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		if e := b.held.answered(); e != nil {
			err = e
		}
	case err != nil:
		_ = b.held.broken() // the reader hears of its own error
	}
	return n, err
}

func (b *leasedBody) Close() error {
	return also(b.ReadCloser.Close(), b.held.answered())
}
