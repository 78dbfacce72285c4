package httplb

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// over is a transport over one server that a function plays, and what it tells
// the policy.
func over(t *testing.T, base roundTrip) (*Transport, *[]policies.Outcome) {
	told := new([]policies.Outcome)
	b, err := policies.NewBalancer(listener{told: told}, policies.Endpoints("a:1"))
	require.NoError(t, err)
	return &Transport{Balancer: b, Base: base}, told
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type listener struct {
	policies.Random
	told *[]policies.Outcome
}

func (l listener) Observe(_ policies.ServerID, o policies.Outcome) {
	o.At, o.Latency = 0, 0
	*l.told = append(*l.told, o)
}

func answer(status int, body io.ReadCloser) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: body}, nil
	}
}

func text(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

func get(ctx context.Context) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http:///path?x=1", nil)
	if err != nil {
		panic(err)
	}
	return r
}

var background = context.Background()

var ok, failed = policies.Outcome{}, policies.Outcome{Failed: true}

func TestTheLeaseLastsAsLongAsTheBody(t *testing.T) {
	closes := func(b io.ReadCloser) { assert.NoError(t, b.Close()) }
	reads := func(b io.ReadCloser) {
		_, err := io.ReadAll(b)
		assert.NoError(t, err)
	}
	for name, finish := range map[string]func(io.ReadCloser){
		"close":                closes,
		"close twice":          func(b io.ReadCloser) { closes(b); closes(b) },
		"read to the end":      reads,
		"read, then close":     func(b io.ReadCloser) { reads(b); closes(b) },
		"read some, and close": func(b io.ReadCloser) { _, _ = b.Read(make([]byte, 2)); closes(b) },
	} {
		tr, told := over(t, answer(200, text("hello")))
		response, err := tr.RoundTrip(get(background))
		require.NoError(t, err)
		assert.Equal(t, 1, tr.Balancer.Open(), name)
		finish(response.Body)
		assert.Zero(t, tr.Balancer.Open(), name)
		assert.Equal(t, []policies.Outcome{ok}, *told, name)
	}
}

func TestWithoutABodyTheLeaseEndsAtOnce(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		tr, told := over(t, answer(204, body))
		_, err := tr.RoundTrip(get(background))
		require.NoError(t, err)
		assert.Zero(t, tr.Balancer.Open())
		assert.Equal(t, []policies.Outcome{ok}, *told)
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
func (b broken) Close() error             { return nil }

func TestVerdicts(t *testing.T) {
	reset := errors.New("connection reset")
	for _, c := range []struct {
		name string
		base roundTrip
		want policies.Outcome
	}{
		{"499", answer(499, text("")), ok},
		{"500", answer(500, text("")), failed},
		{"refused", func(*http.Request) (*http.Response, error) { return nil, reset }, failed},
		{"broken off", answer(200, broken{reset}), failed},
	} {
		tr, told := over(t, c.base)
		if response, err := tr.RoundTrip(get(background)); err == nil {
			_, _ = io.ReadAll(response.Body)
			response.Body.Close()
		} else {
			assert.ErrorIs(t, err, reset)
		}
		assert.Equal(t, []policies.Outcome{c.want}, *told, c.name)
		assert.Zero(t, tr.Balancer.Open())
	}
	tr, told := over(t, answer(404, http.NoBody))
	tr.Failed = func(r *http.Response) bool { return r.StatusCode == 404 }
	_, err := tr.RoundTrip(get(background))
	assert.NoError(t, err)
	assert.Equal(t, []policies.Outcome{failed}, *told)
}

func TestACallerWhoGivesUpIsNoVerdict(t *testing.T) {
	wait := func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }
	tr, told := over(t, wait)
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(time.Millisecond, cancel)
	_, err := tr.RoundTrip(get(ctx))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, *told)
	assert.Zero(t, tr.Balancer.Open())

	ctx, cancel = context.WithTimeout(background, time.Millisecond)
	defer cancel()
	_, err = tr.RoundTrip(get(ctx))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, []policies.Outcome{failed}, *told, "a deadline that passes is a failure")
	assert.Zero(t, tr.Balancer.Open())
}

func TestATimeoutStaysATimeout(t *testing.T) {
	tr, _ := over(t, func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
	client := &http.Client{Transport: tr, Timeout: time.Millisecond}
	_, err := client.Get("http://service/")
	var timeout interface{ Timeout() bool }
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout())

	reset := errors.New("connection reset")
	tr, _ = over(t, func(*http.Request) (*http.Response, error) { return nil, reset })
	_, err = tr.RoundTrip(get(background))
	assert.Equal(t, reset, err, "an error comes back as it is")
}

func TestAPolicyThatCannotLearnIsHeardOf(t *testing.T) {
	b, err := policies.NewBalancer(deaf{}, policies.Endpoints("a:1"))
	require.NoError(t, err)
	tr := &Transport{Balancer: b, Base: answer(200, text("hello"))}
	response, err := tr.RoundTrip(get(background))
	require.NoError(t, err)
	assert.ErrorContains(t, response.Body.Close(), "httplb.deaf panicked in Observe")
	assert.Zero(t, b.Open())
}

type deaf struct{ policies.Random }

func (deaf) Observe(policies.ServerID, policies.Outcome) { panic("what?") }

func TestAPanicDoesNotLeak(t *testing.T) {
	tr, told := over(t, func(*http.Request) (*http.Response, error) { panic("boom") })
	assert.PanicsWithValue(t, "boom", func() { _, _ = tr.RoundTrip(get(background)) })
	assert.Zero(t, tr.Balancer.Open())
	assert.Equal(t, []policies.Outcome{failed}, *told)
}

func TestTheRequestIsAddressedAndLeftAlone(t *testing.T) {
	var got *http.Request
	tr, _ := over(t, func(r *http.Request) (*http.Response, error) { got = r; return answer(200, nil)(r) })
	in := get(background)
	in.URL.Host = "shop.example"
	in.Host = ""
	_, err := tr.RoundTrip(in)
	require.NoError(t, err)
	assert.Equal(t, "http://a:1/path?x=1", got.URL.String())
	assert.Equal(t, "shop.example", got.Host)
	assert.Equal(t, "http://shop.example/path?x=1", in.URL.String())
	in.Host = "virtual.example"
	_, err = tr.RoundTrip(in)
	require.NoError(t, err)
	assert.Equal(t, "virtual.example", got.Host)
}

type tracked struct {
	io.Reader
	closed bool
}

func (b *tracked) Close() error { b.closed = true; return nil }

func TestABodyThatCannotBeSentIsClosed(t *testing.T) {
	tr, _ := over(t, nil)
	body := &tracked{Reader: strings.NewReader("x")}
	in := get(background)
	in.Body = body
	tr.Request = func(*http.Request) policies.Request { return policies.Request{Tried: []policies.ServerID{0}} }
	_, err := tr.RoundTrip(in)
	assert.ErrorIs(t, err, policies.ErrNoServer)
	assert.True(t, body.closed)
}

type duplex struct{ strings.Builder }

func (d *duplex) Read([]byte) (int, error) { return 0, io.EOF }
func (d *duplex) Close() error             { return nil }

func TestAnUpgradedConnectionCanBeWrittenTo(t *testing.T) {
	wire := &duplex{}
	tr, _ := over(t, answer(101, wire))
	response, err := tr.RoundTrip(get(background))
	require.NoError(t, err)
	_, err = response.Body.(io.Writer).Write([]byte("ping"))
	require.NoError(t, err)
	assert.Equal(t, "ping", wire.String())
	assert.Equal(t, 1, tr.Balancer.Open())
	require.NoError(t, response.Body.Close())
	assert.Zero(t, tr.Balancer.Open())
}

// Real servers on loopback, many clients, some of whom give up: at the end nothing
// is in flight.
func TestOverLoopback(t *testing.T) {
	var names []string
	for range 3 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Host)
		}))
		defer server.Close()
		names = append(names, server.Listener.Addr().String())
	}
	b, err := policies.NewBalancer(policies.PowerOfD{D: 2}, policies.Endpoints(names...))
	require.NoError(t, err)
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: &Transport{Balancer: b, Base: base}}
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for i := range 20 {
				ctx, cancel := context.WithCancel(background)
				r := get(ctx)
				r.URL.Host = "shop.example"
				if (worker+i)%5 == 0 {
					cancel()
				}
				if response, err := client.Do(r); err == nil {
					text, err := io.ReadAll(response.Body)
					assert.NoError(t, err)
					assert.Equal(t, "shop.example", string(text))
					response.Body.Close()
				} else {
					assert.ErrorIs(t, err, context.Canceled)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, b.Open())
}
