package proxy

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// A Scenario is a timed run: clients that send one request after another to a
// proxy whose servers work on one request at a time, first come first served.
type Scenario struct {
	Name     string
	Clients  int
	Requests int
	Work     []time.Duration // of one request, at each server
	Failing  []bool          // which servers answer 500; nil: none
	// Away is the server that stops listening after a third of the requests; -1
	// for none.
	Away int
}

// Scenarios are what a proxy with n servers is run through: one server four
// times as slow as the others, one that fails at once, one that is taken away.
func Scenarios(n int, work time.Duration) []Scenario {
	even := slices.Repeat([]time.Duration{work}, n)
	with := func(last time.Duration) []time.Duration {
		w := slices.Clone(even)
		w[n-1] = last
		return w
	}
	failing := make([]bool, n)
	failing[n-1] = true
	return []Scenario{
		{Name: "one server four times as slow", Clients: 4 * n, Requests: 50 * n, Work: with(4 * work), Away: -1},
		{Name: "one server fails at once", Clients: 4 * n, Requests: 50 * n, Work: with(work / 20), Failing: failing, Away: -1},
		{Name: "one server is taken away", Clients: 4 * n, Requests: 50 * n, Work: even, Away: n - 1},
	}
}

// Timing is what a scenario led to. Times are in seconds.
type Timing struct {
	Scenario string    `json:"scenario"`
	Requests int       `json:"requests"`
	Served   []int     `json:"served"` // requests that each server worked on
	Shares   []float64 `json:"shares"` // of those
	Failed   int       `json:"failed"` // responses other than 200, or none
	Seconds  float64   `json:"seconds"`
	P50      float64   `json:"p50"`
	P99      float64   `json:"p99"`
	Goodput  float64   `json:"goodput"` // successes a second
	// Over lists the servers in the order in which requests came to them.
	Over []int `json:"over"`
}

// timed is a scenario under way, as the servers see it.
type timed struct {
	scenario Scenario
	queues   []chan func()

	mu   sync.Mutex
	over []int
}

// serve is one request at a server; it returns the status.
func (p *timed) serve(i int) int {
	p.mu.Lock()
	p.over = append(p.over, i)
	p.mu.Unlock()
	done := make(chan struct{})
	p.queues[i] <- func() {
		time.Sleep(p.scenario.Work[i])
		close(done)
	}
	<-done
	if p.scenario.Failing != nil && p.scenario.Failing[i] {
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// Run plays a scenario. It fails when a bound is reached. A server that was taken
// away is back afterwards.
func (t *Target) Run(s Scenario) (*Timing, error) {
	n := len(t.fleet)
	if len(s.Work) != n || s.Clients < 1 || s.Requests < 1 {
		return nil, fmt.Errorf("proxy: scenario %q has work for %d of %d servers, %d clients and %d requests", s.Name, len(s.Work), n, s.Clients, s.Requests)
	}
	plan := &timed{scenario: s, queues: make([]chan func(), n)}
	for i := range plan.queues {
		plan.queues[i] = make(chan func(), s.Requests*2) // retries come on top
		defer close(plan.queues[i])
		go func() {
			for work := range plan.queues[i] {
				work()
			}
		}()
	}
	t.backends.mu.Lock()
	t.backends.timed = plan
	t.backends.mu.Unlock()
	defer func() {
		t.backends.mu.Lock()
		t.backends.timed = nil
		t.backends.mu.Unlock()
	}()
	var (
		mu        sync.Mutex
		sent      int
		failed    int
		latencies []float64
		trouble   error
	)
	start := time.Now()
	var clients sync.WaitGroup
	for range s.Clients {
		clients.Go(func() {
			for {
				mu.Lock()
				mine := sent
				sent++
				stop := mine >= s.Requests || trouble != nil
				mu.Unlock()
				if stop {
					return
				}
				if mine == s.Requests/3 && s.Away >= 0 {
					t.backends.takeAway(s.Away)
				}
				number, wrong := t.admit()
				if wrong != "" {
					mu.Lock()
					trouble = fmt.Errorf("proxy: scenario %q: %s", s.Name, wrong)
					mu.Unlock()
					return
				}
				from := time.Now()
				ok := t.once(number)
				mu.Lock()
				latencies = append(latencies, time.Since(from).Seconds())
				if !ok {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	seconds := time.Since(start).Seconds()
	if s.Away >= 0 {
		if err := t.backends.open(s.Away); err != nil {
			return nil, err
		}
	}
	if trouble != nil {
		return nil, trouble
	}
	plan.mu.Lock()
	defer plan.mu.Unlock()
	return timing(s, n, plan.over, latencies, failed, seconds), nil
}

// once sends one request and tells whether it was answered with 200.
func (t *Target) once(number uint64) bool {
	x, err := t.send(number, spec.Request{})
	if err != nil {
		return false
	}
	select {
	case got := <-x.result:
		return got.err == nil && got.status == http.StatusOK
	case <-time.After(6 * t.bounds.Patience):
		_ = x.client.Close()
		return false
	}
}

func timing(s Scenario, n int, over []int, latencies []float64, failed int, seconds float64) *Timing {
	slices.Sort(latencies)
	r := &Timing{
		Scenario: s.Name, Requests: s.Requests, Served: make([]int, n), Shares: make([]float64, n), Failed: failed,
		Seconds: seconds, P50: quantile(latencies, 0.5), P99: quantile(latencies, 0.99),
		Goodput: float64(s.Requests-failed) / seconds, Over: slices.Clone(over),
	}
	for _, i := range over {
		r.Served[i]++
	}
	for i, k := range r.Served {
		r.Shares[i] = float64(k) / float64(max(len(over), 1))
	}
	return r
}

// quantile is the smallest value that at least a part q of a sorted list does
// not exceed.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
