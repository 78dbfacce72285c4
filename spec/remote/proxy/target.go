package proxy

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// A Target is a proxy with the servers behind it, which the auditor runs.
type Target struct {
	// Settle is how long the proxy gets after each response to account for its
	// end, besides the end of the connection.
	Settle time.Duration

	probes   int // of a calibration, after each wait
	url      *url.URL
	address  string // to dial
	fleet    []spec.Server
	backends *backends
	bounds   Bounds
	stopped  chan struct{}
	stop     sync.Once

	mu       sync.Mutex
	current  *picker
	requests uint64
	next     time.Time // when the next request may be sent
	end      time.Time
}

// Bounds keep an audit from being an attack.
type Bounds struct {
	Requests uint64        // in total
	Rate     float64       // requests a second
	Time     time.Duration // for everything
	Patience time.Duration // for one request to arrive
	// OwnTarget says that whoever runs the audit answers for the target. Without it
	// only the local machine is audited.
	OwnTarget bool
}

// DefaultBounds let an audit of a local proxy run for half an hour.
var DefaultBounds = Bounds{Requests: 500_000, Rate: 2000, Time: 30 * time.Minute, Patience: 5 * time.Second}

// DefaultSettle is enough for every proxy that was tried.
const DefaultSettle = time.Millisecond

// Open listens on the addresses of the servers behind the proxy at rawURL.
// Weights are those that the proxy is configured with; nil when they are equal.
// It fails when the target is not on the local machine, unless the bounds allow
// that.
func Open(rawURL string, servers []string, weights []uint64, b Bounds) (*Target, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("proxy: the target is %q, want a URL such as http://127.0.0.1:8080/", rawURL)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "80")
	}
	switch {
	case len(servers) == 0:
		return nil, errNoServers
	case weights != nil && len(weights) != len(servers):
		return nil, fmt.Errorf("proxy: %d weights for %d servers, want one for each", len(weights), len(servers))
	case b.Requests == 0 || !(b.Rate > 0) || b.Time <= 0 || b.Patience <= 0:
		return nil, fmt.Errorf("proxy: the bounds are %+v, want positive ones", b)
	}
	if !b.OwnTarget {
		for _, a := range append([]string{address}, servers...) {
			if err := local(a); err != nil {
				return nil, err
			}
		}
	}
	t := &Target{
		Settle: DefaultSettle, probes: 500, url: u, address: address, bounds: b,
		stopped: make(chan struct{}), end: time.Now().Add(b.Time),
	}
	if t.backends, err = listen(servers); err != nil {
		return nil, err
	}
	for i, a := range t.backends.addresses {
		s := spec.Server{ID: spec.ServerID(i + 1), Name: a, Weight: 1}
		if weights != nil {
			s.Weight = weights[i]
		}
		t.fleet = append(t.fleet, s)
	}
	return t, nil
}

// local accepts addresses of the loopback interface alone.
func local(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("proxy: address %q: %w", address, err)
	}
	var ips []net.IP
	if ip := net.ParseIP(host); ip != nil {
		ips = []net.IP{ip}
	} else if ips, err = net.LookupIP(host); err != nil {
		return fmt.Errorf("proxy: address %q: %w", address, err)
	}
	for _, ip := range ips {
		if !ip.IsLoopback() {
			return fmt.Errorf("proxy: %s is not on this machine (%v); an audit sends many requests, so only loopback targets are taken, or those of --i-own-this-target", address, ip)
		}
	}
	return nil
}

// Fleet is the servers behind the proxy.
func (t *Target) Fleet() []spec.Server { return t.fleet }

// Requests is how many were sent.
func (t *Target) Requests() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests
}

// Moved is how many times a request arrived at a second server: the proxy
// retried it after the pick.
func (t *Target) Moved() int {
	t.backends.mu.Lock()
	defer t.backends.mu.Unlock()
	return t.backends.moved
}

// Stop lets everything under way give up. It can be called at any time.
func (t *Target) Stop() { t.stop.Do(func() { close(t.stopped) }) }

// Close ends the servers behind the proxy.
func (t *Target) Close() error {
	t.Stop()
	t.mu.Lock()
	current := t.current
	t.mu.Unlock()
	if current != nil {
		current.letGo()
	}
	t.backends.close()
	return nil
}

// admit waits until one more request may be sent and numbers it; what is wrong
// is not empty when it may not.
func (t *Target) admit() (number uint64, wrong string) {
	t.mu.Lock()
	if t.requests == t.bounds.Requests {
		t.mu.Unlock()
		return 0, fmt.Sprintf("%d requests were sent, which is the bound", t.bounds.Requests)
	}
	t.requests++
	number = t.requests
	now := time.Now()
	at := t.next
	if at.Before(now) {
		at = now
	}
	t.next = at.Add(time.Duration(float64(time.Second) / t.bounds.Rate))
	t.mu.Unlock()
	if at.After(t.end) {
		return 0, fmt.Sprintf("the audit has run for %v, which is the bound", t.bounds.Time)
	}
	select {
	case <-t.stopped:
		return 0, "the audit was stopped"
	case <-time.After(at.Sub(now)):
		return number, ""
	}
}

// target is what a request line asks for, with the key as a parameter.
func (t *Target) target(key string) string {
	u := *t.url
	if key != "" {
		q := u.Query()
		q.Set("key", key)
		u.RawQuery = q.Encode()
	}
	return u.RequestURI()
}

// message is a whole request.
func (t *Target) message(number uint64, r spec.Request) []byte {
	text := "GET " + t.target(r.Key) + " HTTP/1.1\r\nHost: " + t.url.Host + "\r\nConnection: close\r\n" +
		requestHeader + ": " + strconv.FormatUint(number, 10) + "\r\n"
	if r.Cookie != "" {
		text += "Cookie: server=" + url.QueryEscape(r.Cookie) + "\r\n"
	}
	return []byte(text + "\r\n")
}
