package httplb_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/policies/httplb"
)

// work is how long an ordinary server takes for a request.
const work = 4 * time.Millisecond

// serve starts a server on loopback that takes one request at a time, and says
// how many it had.
func serve(takes time.Duration, status int) (server *httptest.Server, had *atomic.Int64) {
	var busy sync.Mutex
	had = new(atomic.Int64)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		had.Add(1)
		busy.Lock()
		defer busy.Unlock()
		time.Sleep(takes)
		w.WriteHeader(status)
	})), had
}

// outcome is what the clients of a fleet saw.
type outcome struct {
	slow, failing float64       // shares of the slow and of the failing server
	goodput       float64       // share of the requests answered well
	p99           time.Duration // of those
}

// drive sends 125 requests from ten clients to five servers: three ordinary ones,
// one five times slower, one that fails every request at once.
func drive(p policies.Policy, options ...policies.Option) outcome {
	const requests, clients = 125, 10
	var names []string
	var counts []*atomic.Int64
	for i := range 5 {
		takes, status := work, http.StatusOK
		switch i {
		case 3:
			takes = 5 * work
		case 4:
			takes, status = 0, http.StatusServiceUnavailable
		}
		server, had := serve(takes, status)
		defer server.Close()
		names = append(names, server.Listener.Addr().String())
		counts = append(counts, had)
	}
	b, err := policies.NewBalancer(p, policies.Endpoints(names...), append(options, policies.WithCoins(policies.NewCoins(1)))...)
	if err != nil {
		panic(err)
	}
	base := &http.Transport{MaxIdleConnsPerHost: clients}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: &httplb.Transport{Balancer: b, Base: base}}

	var mu sync.Mutex
	var good []time.Duration
	var sent atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for sent.Add(1) <= requests {
				start := time.Now()
				response, err := client.Get("http://service/")
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if response.StatusCode == http.StatusOK {
					mu.Lock()
					good = append(good, time.Since(start))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	slices.Sort(good)
	return outcome{
		slow:    float64(counts[3].Load()) / requests,
		failing: float64(counts[4].Load()) / requests,
		goodput: float64(len(good)) / requests,
		p99:     good[len(good)*99/100],
	}
}

// Three ordinary servers, one five times slower, one that fails fast. Set VERBOSE
// to see the figures; those of time are in units of an ordinary request.
func Example_slowAndFailing() {
	run := func(name string, p policies.Policy, options ...policies.Option) outcome {
		o := drive(p, options...)
		if os.Getenv("VERBOSE") != "" {
			fmt.Fprintf(os.Stderr, "%-26s slow %3.0f%%  failing %3.0f%%  goodput %3.0f%%  p99 %5.1f\n",
				name, 100*o.slow, 100*o.failing, 100*o.goodput, float64(o.p99)/float64(work))
		}
		return o
	}
	rotation := run("round robin", &policies.RoundRobin{})
	least := run("least request", policies.LeastRequest{})
	peak := run("peak EWMA", &policies.PeakEWMA{Tau: time.Second, Prior: work})
	success := run("peak EWMA over success", &policies.OverSuccess{Latency: &policies.PeakEWMA{Tau: time.Second, Prior: work}})
	lingering := run("errors linger", &policies.LingeringErrors{Linger: time.Second})
	ejecting := run("least request, ejections", policies.LeastRequest{}, policies.WithOutlier(policies.Outlier{
		Consecutive: 3, Interval: time.Second, Backoff: time.Minute, MaxBackoff: time.Hour, MaxEjected: 40}))

	fmt.Printf("round robin: slow %.0f%%, failing %.0f%%, goodput %.0f%%\n", 100*rotation.slow, 100*rotation.failing, 100*rotation.goodput)
	fmt.Println("least request sends less to the slow server:", least.slow < rotation.slow/1.5)
	fmt.Println("and has less than half the p99:", least.p99 < rotation.p99/2)
	fmt.Println("but it sends more to the failing one:", least.failing > 1.5*rotation.failing)
	fmt.Println("so its goodput is worse:", least.goodput < rotation.goodput)
	fmt.Println("peak EWMA does no better:", peak.goodput < rotation.goodput)
	fmt.Println("until it learns of success:", success.goodput > peak.goodput)
	fmt.Println("errors that linger count at once:", lingering.goodput > rotation.goodput)
	fmt.Println("and an ejected server has no say:", ejecting.goodput > rotation.goodput)
	// Output:
	// round robin: slow 20%, failing 20%, goodput 80%
	// least request sends less to the slow server: true
	// and has less than half the p99: true
	// but it sends more to the failing one: true
	// so its goodput is worse: true
	// peak EWMA does no better: true
	// until it learns of success: true
	// errors that linger count at once: true
	// and an ejected server has no say: true
}
