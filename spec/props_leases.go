package spec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// balancerProperties bind the Balancer itself. Its policy is a spy that writes
// down what it is shown and told, so every sentence is decided for certain.
var balancerProperties = []*Property{
	{
		Name: "conservation/every-ending", Level: Must,
		Sentence: "However a request ends, it is in flight until then and not a moment longer, in a fleet of one as in any.",
		Source:   "skypilot-org/skypilot#10444; vllm-project/router#215; h2o/h2o#1750",
		Applies:  isPart("leases"), Exact: exactEndings,
	},
	{
		Name: "conservation/churn", Level: Must,
		Sentence: "A server that leaves and comes back starts with nothing in flight, whatever ends late.",
		Source:   "counts below zero: skypilot-org/skypilot#10444; yyyar/gobetween#132",
		Applies:  isPart("leases"), Exact: exactChurn,
	},
	{
		Name: "conservation/feedback", Level: Must,
		Sentence: "A learner hears of every request once: of its own server, its verdict, its time in system; of none that was cancelled or whose server has left.",
		Source:   "kubernetes/ingress-nginx#6632; elastic/elasticsearch#144146",
		Applies:  isPart("leases"), Exact: exactFeedback,
	},
	{
		Name: "eligibility/not-shown", Level: Must,
		Sentence: "A policy is shown the servers of positive weight that have not had this request, and no others; without any of them there is an error and no pick.",
		Source:   "traefik/traefik#1294; mosn/mosn#1711; kubernetes/ingress-nginx#6632",
		Applies:  isPart("leases"), Exact: exactShown,
	},
	{
		Name: "totality/distrust", Level: Must,
		Sentence: "A policy that answers nonsense or panics is an error: nothing is counted, and the next pick works.",
		Source:   "Netflix/ribbon#365; traefik/traefik#11755",
		Applies:  isPart("leases"), Exact: exactDistrust,
	},
	{
		Name: "totality/done-context", Level: Must,
		Sentence: "A request whose context is done gets no server.",
		Source:   "definition",
		Applies:  isPart("leases"), Exact: exactDoneContext,
	},
}

// A spy is a policy that watches.
type spy struct {
	pick func(policies.Request, policies.View, policies.Coins) int // nil: the first server

	shown    [][]Server  // at each pick
	loads    [][]float64 // of the same
	told     []told
	fleets   [][]Server // at each update
	observed func()     // called while being told
	updated  func()     // called while being updated
}

// told is one call of Observe.
type told struct {
	id ServerID
	Outcome
}

func (s *spy) Pick(q policies.Request, v policies.View, c policies.Coins) int {
	var shown []Server
	var loads []float64
	for i := range v.Len() {
		load, _ := v.Load(i)
		shown, loads = append(shown, v.Server(i)), append(loads, load)
	}
	s.shown, s.loads = append(s.shown, shown), append(s.loads, loads)
	if s.pick == nil {
		return 0
	}
	return s.pick(q, v, c)
}

func (s *spy) Observe(id ServerID, o Outcome) {
	s.told = append(s.told, told{id, o})
	if s.observed != nil {
		s.observed()
	}
}

func (s *spy) Update(all []Server) {
	s.fleets = append(s.fleets, slices.Clone(all))
	if s.updated != nil {
		s.updated()
	}
}

// leasing is a Balancer over a spy, for straight-line scenarios: whatever the
// scenario does not expect is a fault.
type leasing struct {
	*policies.Balancer
	spy *spy
	run *Run
}

func (r *Run) leasing(s *spy, servers ...policies.Endpoint) *leasing {
	var b *policies.Balancer
	r.try("NewBalancer", func() {
		var err error
		if b, err = policies.NewBalancer(s, servers, policies.WithCoins(policies.NewCoins(r.Seed))); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
	return &leasing{b, s, r}
}

func (l *leasing) acquire(q Request) (lease *policies.Lease) {
	l.run.try("Acquire", func() {
		var err error
		if lease, err = l.Acquire(context.Background(), q); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
	return lease
}

func (l *leasing) release(lease *policies.Lease, o Outcome) {
	l.run.try("Release", func() {
		if err := lease.Release(o); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
}

func (l *leasing) update(servers ...policies.Endpoint) {
	l.run.try("Update", func() {
		if err := l.Update(servers); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
}

// counts expects what is in flight, by name, and the sum that Open tells besides
// those of servers that have left.
func (l *leasing) counts(when string, want map[string]int, gone int) {
	open := gone
	for _, n := range want {
		open += n
	}
	got := l.InFlight()
	if !maps.Equal(got, want) || l.Open() != open {
		panic(&fault{Leak, fmt.Sprintf("%s: %v in flight and %d open, want %v and %d", when, got, l.Open(), want, open)})
	}
	l.run.try("Snapshot", func() {
		s := l.Snapshot()
		for i, server := range s.Servers {
			if s.Loads[i] != float64(want[server.Name]) {
				panic(&fault{Leak, fmt.Sprintf("%s: a policy is shown load %v at %s, want %d", when, s.Loads[i], server.Name, want[server.Name])})
			}
		}
	})
}

func endpoint(name string, weight uint64) policies.Endpoint {
	return policies.Endpoint{Name: name, Weight: weight}
}

var errOfCall = errors.New("the call failed")

// endings are the ways for a request to end.
var endings = map[string]func(*leasing){
	"released":                  func(l *leasing) { l.release(l.acquire(Request{}), Outcome{}) },
	"released as failed":        func(l *leasing) { l.release(l.acquire(Request{}), Outcome{Failed: true}) },
	"released as canceled":      func(l *leasing) { l.release(l.acquire(Request{}), Outcome{Canceled: true}) },
	"called":                    func(l *leasing) { l.do(context.Background(), func() error { return nil }) },
	"called and failed":         func(l *leasing) { l.do(context.Background(), func() error { return errOfCall }) },
	"called and panicked":       func(l *leasing) { l.do(context.Background(), func() error { panic("in the call") }) },
	"called, goroutine ended":   func(l *leasing) { l.do(context.Background(), func() error { runtime.Goexit(); return nil }) },
	"called and then canceled":  func(l *leasing) { l.doCanceled() },
	"released a second time":    func(l *leasing) { l.twice(Outcome{}) },
	"failed, released again":    func(l *leasing) { l.twice(Outcome{Failed: true}) },
	"canceled, released again":  func(l *leasing) { l.twice(Outcome{Canceled: true}) },
	"the learner panicked over": func(l *leasing) { l.unheard() },
}

// do calls a function with a server, in a goroutine of its own, and checks that
// it counts meanwhile.
func (l *leasing) do(ctx context.Context, call func() error) {
	open := l.Open()
	done := make(chan *fault, 1)
	go func() {
		f := &fault{Exited, "Do ended the goroutine"} // unless it returns, or the call itself ends it
		expected := false
		defer func() {
			if v := recover(); v != nil && v != "in the call" {
				f = &fault{Panicked, fmt.Sprint("Do panicked: ", v)}
				expected = false
			} else if expected {
				f = nil
			}
			done <- f
		}()
		_ = l.Do(ctx, Request{}, func(context.Context, Server) error {
			expected = true
			if now := l.Open(); now != open+1 {
				f, expected = &fault{Leak, fmt.Sprintf("%d open during a call, want %d", now, open+1)}, false
			}
			return call()
		})
	}()
	if f := <-done; f != nil {
		panic(f)
	}
}

func (l *leasing) doCanceled() {
	ctx, cancel := context.WithCancel(context.Background())
	l.do(ctx, func() error { cancel(); return ctx.Err() })
}

// twice releases a lease two times; the second must be an error.
func (l *leasing) twice(o Outcome) {
	lease := l.acquire(Request{})
	l.release(lease, o)
	if err := lease.Release(o); !errors.Is(err, policies.ErrReleased) {
		panic(&fault{SecondRelease, fmt.Sprintf("a second release returned %v, want %v", err, policies.ErrReleased)})
	}
}

// unheard releases a lease while the learner panics.
func (l *leasing) unheard() {
	l.spy.observed = func() { panic("in Observe") }
	defer func() { l.spy.observed = nil }()
	lease := l.acquire(Request{})
	var err error
	l.run.try("Release", func() { err = lease.Release(Outcome{}) })
	if err == nil {
		panic(&fault{Panicked, "a panic of the learner was swallowed without an error"})
	}
}

func exactEndings(r *Run) Result {
	names := slices.Sorted(maps.Keys(endings))
	for n := 1; n <= 3; n++ {
		servers := policies.Endpoints([]string{"a", "b", "c"}[:n]...)
		last := servers[n-1].Name
		for _, ending := range names {
			l := r.leasing(&spy{pick: func(_ policies.Request, v policies.View, _ policies.Coins) int { return v.Len() - 1 }}, servers...)
			want := make(map[string]int)
			for _, s := range servers {
				want[s.Name] = 0
			}
			first := l.acquire(Request{}) // stays open
			want[last] = 1
			l.counts("one request", want, 0)
			for range 3 {
				endings[ending](l)
				l.counts("after a request was "+ending, want, 0)
			}
			l.release(first, Outcome{})
			want[last] = 0
			l.counts("when everything has ended", want, 0)
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d ways to end, in fleets of 1 to 3", len(names))}
}

func exactChurn(r *Run) Result {
	a, b := endpoint("a", 1), endpoint("b", 1)
	l := r.leasing(&spy{}, a, b)
	old := []*policies.Lease{l.acquire(Request{}), l.acquire(Request{})} // both at a
	l.counts("two requests at a", map[string]int{"a": 2, "b": 0}, 0)
	l.update(b)
	l.counts("a has left", map[string]int{"b": 0}, 2)
	l.update(b, a)
	l.counts("a is back", map[string]int{"a": 0, "b": 0}, 2)
	ids := make(map[ServerID]bool)
	for _, fleet := range l.spy.fleets {
		for _, s := range fleet {
			if s.Name == "a" {
				ids[s.ID] = true
			}
		}
	}
	if len(ids) != 2 {
		return Result{Verdict: Violated, Finding: Leak, Expected: "a new id for a server that comes back", Observed: fmt.Sprintf("%d ids", len(ids))}
	}
	l.release(old[0], Outcome{})
	l.counts("a late request ended", map[string]int{"a": 0, "b": 0}, 1)
	l.spy.pick = func(_ policies.Request, v policies.View, _ policies.Coins) int { return v.Len() - 1 } // the new a
	fresh := l.acquire(Request{})
	l.counts("a new request at a", map[string]int{"a": 1, "b": 0}, 1)
	l.release(old[1], Outcome{Failed: true})
	l.release(fresh, Outcome{})
	l.counts("everything has ended", map[string]int{"a": 0, "b": 0}, 0)
	return Result{Verdict: Holds, Observed: "through leaving, coming back and two late endings"}
}

func exactFeedback(r *Run) Result {
	s := &spy{}
	l := r.leasing(s, endpoint("a", 1), endpoint("b", 1), endpoint("c", 1))
	time.Sleep(3 * time.Millisecond) // so that the age of the balancer is no latency
	for k, tc := range []struct {
		outcome Outcome
		heard   bool
	}{{Outcome{}, true}, {Outcome{Failed: true}, true}, {Outcome{Canceled: true}, false}, {Outcome{Failed: true, Canceled: true}, false}} {
		for server := range 3 {
			s.pick = func(policies.Request, policies.View, policies.Coins) int { return server }
			before, from := len(s.told), time.Now()
			lease := l.acquire(Request{})
			l.release(lease, tc.outcome)
			most := time.Since(from)
			if !tc.heard {
				if len(s.told) != before {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: "silence about a cancelled request", Observed: fmt.Sprintf("%+v", s.told[before])}
				}
				continue
			}
			if len(s.told) != before+1 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "one outcome of one request", Observed: fmt.Sprint(len(s.told)-before, " outcomes")}
			}
			t := s.told[before]
			// The clock is monotonic, so the latency lies within what was measured around it.
			if t.id != lease.Server().ID || t.Failed != tc.outcome.Failed || t.Latency < 0 || t.Latency > most {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("server %d, failed %v, at most %v", lease.Server().ID, tc.outcome.Failed, most),
					Observed: fmt.Sprintf("server %d, failed %v, %v, in case %d", t.id, t.Failed, t.Latency, k)}
			}
		}
	}
	s.pick = nil
	late := l.acquire(Request{})
	l.update(endpoint("b", 1), endpoint("c", 1))
	before := len(s.told)
	l.release(late, Outcome{})
	if len(s.told) != before {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "silence about a server that has left", Observed: fmt.Sprintf("%+v", s.told[before])}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d outcomes", before)}
}

// exactShown tries every subset of servers that have had the request, and every
// subset of weight 0.
func exactShown(r *Run) Result {
	const n = 4
	picks := 0
	for zero := range 1<<n - 1 { // at least one has a weight
		var servers []policies.Endpoint
		for i := range n {
			weight := uint64(i + 1)
			if zero&(1<<i) != 0 {
				weight = 0
			}
			servers = append(servers, endpoint(fmt.Sprint("s", i), weight))
		}
		s := &spy{}
		l := r.leasing(s, servers...)
		if len(s.fleets) != 1 || len(s.fleets[0]) != n {
			return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("a policy that is told once of all %d servers", n), Observed: fmt.Sprint(s.fleets)}
		}
		fleet := s.fleets[0]
		for had := range 1 << n {
			var q Request
			var want []Server
			for i, server := range fleet {
				if had&(1<<i) != 0 {
					q.Tried = append(q.Tried, server.ID)
				} else if server.Weight > 0 {
					want = append(want, server)
				}
			}
			before := len(s.shown)
			var lease *policies.Lease
			var err error
			r.try("Acquire", func() { lease, err = l.Acquire(context.Background(), q) })
			if len(want) == 0 {
				if !errors.Is(err, policies.ErrNoServer) || len(s.shown) != before {
					return Result{Verdict: Violated, Finding: Ineligible, Expected: policies.ErrNoServer.Error(),
						Observed: fmt.Sprintf("error %v after %d picks, weights 0 at %04b, tried %04b", err, len(s.shown)-before, zero, had)}
				}
				continue
			}
			if err != nil {
				return Result{Verdict: Violated, Finding: Refused, Expected: "a server", Observed: err.Error()}
			}
			if shown := s.shown[before]; !slices.Equal(shown, want) || lease.Server() != want[0] {
				return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("servers %v", want),
					Observed: fmt.Sprintf("servers %v, and a lease of %v", shown, lease.Server())}
			}
			l.release(lease, Outcome{})
			picks++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d picks", picks)}
}

func exactDistrust(r *Run) Result {
	answers := map[string]func() int{
		"None": func() int { return policies.None }, "-7": func() int { return -7 },
		"one too many": func() int { return 2 }, "a panic": func() int { panic("in Pick") },
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		s := &spy{pick: func(policies.Request, policies.View, policies.Coins) int { return answers[name]() }}
		l := r.leasing(s, endpoint("a", 1), endpoint("b", 1))
		var err error
		r.try("Acquire", func() { _, err = l.Acquire(context.Background(), Request{}) })
		if err == nil {
			return Result{Verdict: Violated, Finding: OutOfRange, Expected: "an error", Observed: "a lease, although the policy answered " + name}
		}
		s.pick = nil
		l.counts("after the answer "+name, map[string]int{"a": 0, "b": 0}, 0)
		l.release(l.acquire(Request{}), Outcome{})
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d kinds of nonsense", len(answers))}
}

func exactDoneContext(r *Run) Result {
	reason := errors.New("the reason")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	s := &spy{}
	l := r.leasing(s, endpoint("a", 1), endpoint("b", 1))
	var err error
	r.try("Acquire", func() { _, err = l.Acquire(ctx, Request{}) })
	if !errors.Is(err, reason) || len(s.shown) > 0 {
		return Result{Verdict: Violated, Finding: Refused, Expected: "the reason, and no pick", Observed: fmt.Sprintf("error %v after %d picks", err, len(s.shown))}
	}
	l.counts("after a done context", map[string]int{"a": 0, "b": 0}, 0)
	return Result{Verdict: Holds, Observed: "the reason, and no pick"}
}
