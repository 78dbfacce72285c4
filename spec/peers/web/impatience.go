package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/picklaw/picklaw/spec/peers"
)

// A slow backend answers after a time, or when the caller has had enough.
type slow struct {
	*backends
	latency time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.latency):
	case <-r.Context().Done():
	}
	return s.backends.RoundTrip(r)
}

// A performer is the transport of a client of a search cluster.
type performer interface {
	Perform(*http.Request) (*http.Response, error)
}

func perform(ctx context.Context, p performer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/index/_doc/1", nil)
	if err != nil {
		return err
	}
	res, err := p.Perform(r)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// observeImpatience has one caller cancel a request, and tells how many nodes
// the next 100 requests reach.
func observeImpatience(build func(http.RoundTripper) (performer, error)) (string, error) {
	const requests = 100
	servers, bubble := newBackends(), peers.NewBubble()
	// The requests wait for the clock, which moves in Sleep only.
	err := errors.New("the requests take too long")
	bubble.Do(func() {
		go func() { err = impatience(build, servers, requests) }()
	})
	bubble.Sleep(time.Second)
	if err != nil {
		return "", err
	}
	asked := servers.since(servers.requests() - requests)
	slices.Sort(asked)
	return fmt.Sprintf("the %d requests at %d of 5 nodes", requests, len(slices.Compact(asked))), nil
}

func impatience(build func(http.RoundTripper) (performer, error), servers *backends, requests int) error {
	const latency = 4 * time.Millisecond
	client, err := build(slow{servers, latency})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(latency/2, cancel)
	if err := perform(ctx, client); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a request that was cancelled ended with %v", err)
	}
	for range requests {
		if err := perform(context.Background(), client); err != nil {
			return err
		}
	}
	return nil
}
