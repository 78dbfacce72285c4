package proxy

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// A testProxy is a proxy of this process: a policy in front of servers.
type testProxy struct {
	*Target
	lag    atomic.Int64 // how much later than the client it sees an end
	twice  atomic.Bool  // sends every request to two servers
	broken atomic.Bool  // answers itself
}

// startProxy starts a proxy and the servers of an audit behind it.
func startProxy(t *testing.T, n int, p policies.Policy, b Bounds) *testProxy {
	t.Helper()
	proxy := &testProxy{}
	var balancer *policies.Balancer
	transport := &http.Transport{DisableKeepAlives: true}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if proxy.broken.Load() {
			http.Error(w, "nobody home", http.StatusServiceUnavailable)
			return
		}
		lease, err := balancer.Acquire(r.Context(), policies.Request{Key: r.URL.Query().Get("key")})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		release := func() { _ = lease.Release(policies.Outcome{}) }
		if lag := proxy.lag.Load(); lag > 0 {
			defer time.AfterFunc(time.Duration(lag), release)
		} else {
			defer release()
		}
		to := &url.URL{Scheme: "http", Host: lease.Server().Name}
		if proxy.twice.Load() {
			again := r.Clone(context.Background())
			again.RequestURI = ""
			again.URL.Scheme, again.URL.Host = "http", proxy.Fleet()[0].Name
			go func() {
				if got, err := transport.RoundTrip(again); err == nil {
					_, _ = io.Copy(io.Discard, got.Body)
					got.Body.Close()
				}
			}()
		}
		reverse := httputil.NewSingleHostReverseProxy(to)
		reverse.Transport = transport
		reverse.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
		reverse.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	target, err := Open(front.URL, slices.Repeat([]string{"127.0.0.1:0"}, n), nil, b)
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	proxy.Target = target
	var endpoints []policies.Endpoint
	for _, s := range target.Fleet() {
		endpoints = append(endpoints, policies.Endpoint{Name: s.Name, Weight: 1})
	}
	balancer, err = policies.NewBalancer(p, endpoints, policies.WithCoins(policies.NewCoins(1)))
	require.NoError(t, err)
	return proxy
}

// The resolution of these tests is coarse, since one probe takes about a
// millisecond and a half.
var coarse = spec.Resolution(0.35)

func TestHonestProxyHolds(t *testing.T) {
	t.Parallel()
	p := startProxy(t, 3, policies.LeastRequest{}, DefaultBounds)
	r, err := p.Audit("least", spec.Law(oracle.LeastRequest{}), coarse, spec.Only("least-request/pick-law"))
	require.NoError(t, err)
	require.Equal(t, spec.Holds, r.Properties[0].Verdict, "%v", r.Properties[0])
	require.NotNil(t, r.Calibration)
	require.Zero(t, r.Calibration.Forbidden, r.Calibration.Text)
	require.Zero(t, r.Moved)
}

func TestWrongProxyIsConvictedAndDiagnosed(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of waits of 16 ms; an honest proxy is audited in short runs too")
	}
	t.Parallel()
	target := startProxy(t, 4, policies.Random{}, DefaultBounds)
	target.probes = 100
	r, err := target.Audit("random", spec.Law(oracle.PowerOfD{D: 2}), coarse, spec.Only("power-of-d/pick-law"))
	require.NoError(t, err)
	got := r.Properties[0]
	require.Equal(t, spec.Violated, got.Verdict, "%v", got)
	require.Equal(t, spec.WrongLaw, got.Finding)
	require.True(t, strings.HasPrefix(got.Diagnosis.Fits, "random"), "%v", got)
	require.Contains(t, r.Calibration.Text, "they are picks, not strays")
}

// TestLagIsWaitedFor lets the proxy notice an end 6 ms after the client, which is
// more than the first wait and less than the third.
func TestLagIsWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of waits of 16 ms; a settled proxy is calibrated in short runs too")
	}
	t.Parallel()
	p := startProxy(t, 3, policies.LeastRequest{}, DefaultBounds)
	p.lag.Store(int64(6 * time.Millisecond))
	target := p
	target.probes = 100
	c, err := target.Calibrate(oracle.LeastRequest{})
	require.NoError(t, err)
	require.Equal(t, 16.0, c.SettleMS, c.Text)
	if c.Forbidden == 0 { // a busy machine may keep the proxy from its work for longer
		require.InDelta(t, 1-math.Pow(0.01, 0.01), c.Contamination, 1e-9, "none of 100 at confidence 0.99")
	}
	require.Contains(t, c.Text, "were strays, 16ms after")
}

func TestRotationInAProxy(t *testing.T) {
	t.Parallel()
	p := startProxy(t, 3, &policies.RoundRobin{}, DefaultBounds)
	r, err := p.Audit("turns", spec.Law(oracle.RoundRobin{}), spec.Only("round-robin/window"))
	require.NoError(t, err)
	require.Equal(t, spec.Holds, r.Properties[0].Verdict, "%v", r.Properties[0])
	require.Equal(t, 0.01, r.Calibration.Contamination)
}

func TestKeysThroughAProxy(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of keys take some seconds; the other tests drive the same path")
	}
	t.Parallel()
	p := startProxy(t, 3, &policies.Ring{Points: 50}, DefaultBounds)
	r, err := p.Audit("ring", spec.HashesKeys(), spec.Only("keys/stable"))
	require.NoError(t, err)
	require.Equal(t, spec.Holds, r.Properties[0].Verdict, "%v", r.Properties[0])

	p = startProxy(t, 3, policies.Random{}, DefaultBounds)
	r, err = p.Audit("random", spec.HashesKeys(), spec.Only("keys/stable"))
	require.NoError(t, err)
	require.Equal(t, spec.Violated, r.Properties[0].Verdict, "%v", r.Properties[0])
}

func TestABrokenProxyIsAFinding(t *testing.T) {
	t.Parallel()
	p := startProxy(t, 3, policies.LeastRequest{}, DefaultBounds)
	p.broken.Store(true)
	r, err := p.Audit("broken", spec.Law(oracle.LeastRequest{}), spec.Only("least-request/pick-law"))
	require.NoError(t, err)
	require.Equal(t, spec.Refused, r.Properties[0].Finding)
	require.Contains(t, r.Properties[0].Observed, "503 Service Unavailable itself")
}

func TestRepeatedArrivalsAreCounted(t *testing.T) {
	t.Parallel()
	p := startProxy(t, 3, policies.Random{}, DefaultBounds)
	p.twice.Store(true)
	target := p
	d, err := spec.Drive(target.Factory(), spec.Fleet{Servers: target.Fleet()}, 1e-9)
	require.NoError(t, err)
	for range 20 {
		_, err := d.Probe(spec.Request{})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return target.Moved() == 20 }, time.Second, time.Millisecond)
}

func TestBoundsAreKept(t *testing.T) {
	t.Parallel()
	b := DefaultBounds
	b.Requests = 30
	target := startProxy(t, 2, policies.Random{}, b)
	r, err := target.Audit("few", spec.Law(oracle.Random{}), spec.Only("random/pick-law"))
	require.NoError(t, err)
	require.Equal(t, spec.Undecided, r.Properties[0].Verdict)
	require.Contains(t, r.Properties[0].Observed, "30 requests were sent")
	require.EqualValues(t, 30, target.Requests())

	b = DefaultBounds
	b.Rate = 100
	target = startProxy(t, 2, policies.Random{}, b)
	d, err := spec.Drive(target.Factory(), spec.Fleet{Servers: target.Fleet()}, 1e-9)
	require.NoError(t, err)
	start := time.Now()
	for range 11 {
		_, err := d.Probe(spec.Request{})
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond, "ten gaps of 10 ms")

	b = DefaultBounds
	b.Time = 50 * time.Millisecond
	r, err = startProxy(t, 2, policies.Random{}, b).Audit("short", spec.Law(oracle.Random{}), spec.Only("random/pick-law"))
	require.NoError(t, err)
	require.Equal(t, spec.Undecided, r.Properties[0].Verdict)
	require.Contains(t, r.Properties[0].Observed, "50ms")
}

func TestStopEndsAnAuditAtOnce(t *testing.T) {
	t.Parallel()
	b := DefaultBounds
	b.Rate = 0.1
	target := startProxy(t, 2, policies.Random{}, b)
	time.AfterFunc(50*time.Millisecond, target.Stop)
	start := time.Now()
	r, err := target.Audit("stopped", spec.Law(oracle.Random{}), spec.Only("random/pick-law"))
	require.NoError(t, err)
	require.Equal(t, spec.Undecided, r.Properties[0].Verdict)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestOnlyLocalTargetsAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, server, says string }{
		{"http://192.0.2.1/", "127.0.0.1:0", "not on this machine"},
		{"http://127.0.0.1:1/", "192.0.2.1:80", "not on this machine"},
		{"http://[2001:db8::1]:80/", "127.0.0.1:0", "not on this machine"},
		{"https://127.0.0.1/", "127.0.0.1:0", "want a URL"},
		{"127.0.0.1:80", "127.0.0.1:0", "proxy"},
		{"http://127.0.0.1:1/", "127.0.0.1", "missing port"},
	} {
		_, err := Open(c.url, []string{c.server}, nil, DefaultBounds)
		require.ErrorContains(t, err, c.says, c.url)
	}
	_, err := Open("http://127.0.0.1:1/", nil, nil, DefaultBounds)
	require.ErrorContains(t, err, "at least one server")
	_, err = Open("http://127.0.0.1:1/", []string{"127.0.0.1:0"}, []uint64{1, 2}, DefaultBounds)
	require.ErrorContains(t, err, "2 weights for 1 servers")
	own := DefaultBounds
	own.OwnTarget = true
	target, err := Open("http://192.0.2.1/", []string{"127.0.0.1:0"}, nil, own)
	require.NoError(t, err) // nothing is sent before something is asked
	require.NoError(t, target.Close())
}

// TestScenarios checks what must be true of any run: counts add up, work takes
// at least its time, and a server that is gone gets nothing more.
func TestScenarios(t *testing.T) {
	t.Parallel()
	p := startProxy(t, 3, &policies.RoundRobin{}, DefaultBounds)
	target := p
	const work = 2 * time.Millisecond
	for _, s := range Scenarios(3, work) {
		r, err := target.Run(s)
		require.NoError(t, err)
		served := 0
		for i, n := range r.Served {
			served += n
			require.GreaterOrEqual(t, r.Seconds, float64(n)*s.Work[i].Seconds(), "server %d works on one request at a time", i)
		}
		require.LessOrEqual(t, r.P50, r.P99)
		switch {
		case s.Failing != nil:
			require.Equal(t, s.Requests, served)
			require.Equal(t, r.Served[2], r.Failed, "what the failing server answers are the failures")
		case s.Away >= 0:
			require.GreaterOrEqual(t, r.Failed, s.Requests/9, "a rotation that does not look sends a third of the rest nowhere")
			require.Less(t, r.Served[2], r.Served[0])
		default:
			require.Equal(t, s.Requests, served)
			require.Zero(t, r.Failed)
			require.Equal(t, []int{50, 50, 50}, r.Served, "a rotation does not care who is slow")
		}
	}
	d, err := spec.Drive(target.Factory(), spec.Fleet{Servers: target.Fleet()}, 1e-9)
	require.NoError(t, err)
	seen := map[int]bool{}
	for range 3 {
		i, err := d.Probe(spec.Request{})
		require.NoError(t, err)
		seen[i] = true
	}
	require.Len(t, seen, 3, "the server that was taken away is back")
}
