package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// Factory lets an audit drive the proxy. There is one proxy: whatever an earlier
// balancer still held is let go first. The fleet must be that of the target.
func (t *Target) Factory() spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		if len(f.Servers) != len(t.fleet) {
			return nil, fmt.Errorf("the proxy has %d servers", len(t.fleet))
		}
		t.mu.Lock()
		before := t.current
		t.current = &picker{target: t, held: make(map[uint64]*exchange)}
		now := t.current
		t.mu.Unlock()
		if before != nil {
			before.letGo()
		}
		return now, nil
	}
}

// A picker is the proxy as a balancer.
type picker struct {
	target *Target
	mu     sync.Mutex
	held   map[uint64]*exchange
}

// An exchange is a request that has arrived at a server, and its response.
type exchange struct {
	arrival
	client net.Conn
	result chan response
}

// A response is what the client saw.
type response struct {
	status int
	err    error
}

func (p *picker) Pick(ctx context.Context, r spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	t := p.target
	number, wrong := t.admit()
	if wrong != "" {
		spec.GiveUp("%s", wrong)
	}
	arrived := t.backends.expect(number)
	x, err := t.send(number, r)
	if err != nil {
		t.backends.forget(number)
		return 0, nil, err
	}
	timer := time.NewTimer(t.bounds.Patience)
	defer timer.Stop()
	select {
	case x.arrival = <-arrived:
	case got := <-x.result:
		t.backends.forget(number)
		if got.err != nil {
			return 0, nil, got.err
		}
		return 0, nil, fmt.Errorf("the proxy answered %d %s itself", got.status, http.StatusText(got.status))
	case <-timer.C:
		t.backends.forget(number)
		_ = x.client.Close()
		spec.Fail(spec.Hung, "a request reached no server within %v", t.bounds.Patience)
	case <-ctx.Done():
		t.backends.forget(number)
		_ = x.client.Close()
		return 0, nil, ctx.Err()
	}
	p.mu.Lock()
	p.held[number] = x
	p.mu.Unlock()
	return t.fleet[x.server].ID, func(o spec.Outcome) error {
		p.mu.Lock()
		_, held := p.held[number]
		delete(p.held, number)
		p.mu.Unlock()
		if !held {
			return fmt.Errorf("request %d has ended before", number)
		}
		return t.finish(x, o)
	}, nil
}

// Reachable tells why no connection to the proxy can be made; nil when one can.
func (t *Target) Reachable() error {
	conn, err := net.DialTimeout("tcp", t.address, t.bounds.Patience)
	if err != nil {
		return fmt.Errorf("nothing answers there: %w", err)
	}
	return conn.Close()
}

// send opens a connection for one request and writes it. The end of the response
// is the end of the connection, not of the body: proxies account in between.
func (t *Target) send(number uint64, r spec.Request) (*exchange, error) {
	conn, err := net.DialTimeout("tcp", t.address, t.bounds.Patience)
	if err != nil {
		return nil, fmt.Errorf("no connection to the proxy: %w", err)
	}
	if _, err := conn.Write(t.message(number, r)); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("the proxy does not take a request: %w", err)
	}
	x := &exchange{client: conn, result: make(chan response, 1)}
	go func() {
		defer conn.Close()
		text, err := io.ReadAll(conn)
		if err != nil {
			x.result <- response{err: fmt.Errorf("the response broke off: %w", err)}
			return
		}
		got, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil)
		if err != nil {
			x.result <- response{err: fmt.Errorf("the proxy sent no response: %w", err)}
			return
		}
		x.result <- response{status: got.StatusCode}
	}()
	return x, nil
}

// finish lets the response of an exchange go and waits until the proxy should
// have accounted for it.
func (t *Target) finish(x *exchange, o spec.Outcome) error {
	status := http.StatusOK
	if o.Failed {
		status = http.StatusInternalServerError
	}
	if o.Canceled {
		_ = x.client.Close()
		select { // a proxy that keeps the upstream request gets its response
		case <-x.gone:
		case <-time.After(50 * time.Millisecond):
		}
	}
	x.respond <- status
	if !o.Canceled {
		select {
		case got := <-x.result:
			if got.err != nil {
				return got.err
			}
			if got.status != status {
				return fmt.Errorf("the server answered %d and the client saw %d", status, got.status)
			}
		case <-time.After(t.bounds.Patience):
			spec.Fail(spec.Hung, "a response did not come through within %v", t.bounds.Patience)
		}
	}
	time.Sleep(t.Settle)
	return nil
}

// Close lets go of whatever is held.
func (p *picker) Close() error {
	p.letGo()
	return nil
}

func (p *picker) letGo() {
	p.mu.Lock()
	held := p.held
	p.held = make(map[uint64]*exchange)
	p.mu.Unlock()
	for _, x := range held {
		x.respond <- http.StatusOK
	}
	for _, x := range held {
		select {
		case <-x.result:
		case <-time.After(p.target.bounds.Patience):
			_ = x.client.Close()
		}
	}
}
