//go:build !mutants

package spec

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"pgregory.net/rapid"
)

// leaseProperties bind black boxes: what is in flight is what was picked and
// has not ended, whatever happened in between.
var leaseProperties = []*Property{
	{
		Name: "conservation/in-flight", Level: Must,
		Sentence: "The requests in flight at a server are the open leases, at every step, and none are left at the end.",
		Source:   "counts that drift: h2o/h2o#1750; apache/dubbo#737",
		Applies:  func(c *Claims) bool { return c.CountsInFlight },
		Sampled:  auditedCounts,
	},
	{
		Name: "conservation/second-release", Level: Must,
		Sentence: "Ending a request a second time is an error and changes nothing.",
		Source:   "decrements twice on a failed connect: reports on counts below zero",
		Applies:  func(c *Claims) bool { return c.ReleasesOnce },
		Probe:    func(s Subject, c *Claims) bool { return s.New != nil },
		Sampled:  auditedSecondRelease,
	},
	{
		Name: "conservation/after-churn", Level: Must,
		Sentence: "After any mixture of successes, failures and cancelled requests the picks follow the claimed law again.",
		Source:   "counts not released on cancel, found by the law that they bend",
		Applies:  func(c *Claims) bool { return c.CountsInFlight && c.Law != nil },
		Sampled:  auditedChurn, Statistical: true, Delta: 0.1,
	},
	{
		Name: "continuity/counts-across-update", Level: Must,
		Sentence: "Requests in flight stay counted when the fleet is updated.",
		Source:   "continuity; kubernetes/ingress-nginx#4448",
		Applies:  func(c *Claims) bool { return c.KeepsCounts && c.Law != nil },
		Sampled:  auditedUpdate, Statistical: true, Delta: 0.1,
	},
	{
		Name: "continuity/law-after-updates", Level: Must,
		Sentence: "After servers have joined and left, the picks follow the claimed law over those that are there.",
		Source:   "the neighbour inherits a share: OpenSIPS/opensips#387; newcomers without traffic: envoyproxy/envoy#45212",
		// Where a rotation goes on after a change is for its own properties to say.
		Applies: func(c *Claims) bool { return c.Law != nil && c.KeepsCounts && !rotates(c.Law) },
		Sampled: auditedChanges, Statistical: true, Delta: 0.1,
		trial: trial{fleets: grownFleets},
	},
	{
		Name: "concurrency/conservation", Level: Must,
		Sentence: "After many goroutines have picked and released at once, the picks follow the claimed law again.",
		Source:   "updates of a counter that are lost: BerriAI/litellm#40009",
		Applies:  func(c *Claims) bool { return c.Concurrent && c.CountsInFlight && c.Law != nil },
		Sampled:  auditedAfterStress, Statistical: true, Delta: 0.1,
	},
	{
		Name: "concurrency/stress", Level: Must,
		Sentence: "Many goroutines may pick and release at once: no pick fails, and who counts has nothing in flight in the end.",
		Source:   "traefik/traefik#11755; BerriAI/litellm#40009",
		Applies:  func(c *Claims) bool { return c.Concurrent },
		Sampled:  auditedStress,
	},
}

// A step is one thing that happens to a black box: the weights of the actions first,
// so that long runs of one action occur.
type step struct {
	action string // "pick"; "end", "fail", "cancel" a request; "cancelled" before it was made
	which  int    // of the open leases, and how long it is said to have taken
}

// outcome is how a request ends in a step: after a time between an instant and
// minutes, since what a balancer makes of an outcome may depend on that.
func (s step) outcome() Outcome {
	return Outcome{
		Failed: s.action == "fail", Canceled: s.action == "cancel",
		Latency: time.Duration(1) << (s.which % 38), // up to 137 s
	}
}

var histories = rapid.Custom(func(t *rapid.T) []step {
	actions := []string{"pick", "end", "fail", "cancel", "cancelled"}
	var deck []string
	for _, a := range actions {
		for range rapid.IntRange(0, 6).Draw(t, "weight of "+a) {
			deck = append(deck, a)
		}
	}
	deck = append(deck, actions...) // each at least once, so that none is left out
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{rapid.SampledFrom(deck).Draw(t, "action"), rapid.IntRange(0, 1<<20).Draw(t, "which")}
	}), 40, 160).Draw(t, "steps")
})

// play plays a history and calls check after every step.
func (a *auditor) play(steps []step, check func(k int)) {
	for k, s := range steps {
		switch s.action {
		case "pick":
			a.acquire(Request{})
		case "end", "fail", "cancel":
			if i := a.nth(s.which); i >= 0 {
				a.release(i, s.outcome())
			}
		case "cancelled":
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			// Refusing a cancelled request is as good as serving it; losing count is not.
			if i, l, err := a.tryPick(ctx, Request{}); err == nil {
				a.history = append(a.history, i)
				a.leases[i] = append(a.leases[i], l)
			}
		}
		check(k)
	}
}

// nth is the server of one of the open leases, or -1 when none is open.
func (a *auditor) nth(which int) int {
	open := 0
	for _, l := range a.leases {
		open += len(l)
	}
	if open == 0 {
		return -1
	}
	which %= open
	for i, l := range a.leases {
		if which < len(l) {
			return i
		}
		which -= len(l)
	}
	return -1
}

func auditedSecondRelease(r *Run) Result {
	a := r.open(Fleet{Servers: r.servers(3), Seed: r.Seed})
	for range 6 {
		a.acquire(Request{})
	}
	for i := range a.leases {
		if len(a.leases[i]) == 0 {
			continue
		}
		l := a.leases[i][0]
		a.release(i, Outcome{})
		var err error
		r.try("done", func() { err = l(Outcome{}) })
		if err == nil {
			return Result{Verdict: Violated, Finding: SecondRelease, Expected: "an error", Observed: "a request ended twice without one"}
		}
		if c, ok := a.picker.(Counter); ok {
			if bad := a.counted(c); bad != nil {
				return *bad
			}
		}
	}
	return Result{Verdict: Holds, Observed: "an error, and nothing changed", Samples: 6}
}

// auditedChurn plays histories, and then judges the law as if nothing had
// happened.
func auditedChurn(r *Run) Result {
	result := r.judgeLaw(func(a *auditor, k int) {
		for h := range 4 {
			a.play(histories.Example(int(r.Seed>>1)+4*k+h), func(int) {})
			a.drain()
		}
	}, nil)
	return after("a history of successes, failures and cancelled requests, all of them ended", result)
}

// grownFleets are those that the law is judged on most closely, and a larger one.
func grownFleets(r *Run) [][]Server {
	return append(r.auditFleets(), r.weighed(fleetOf(max(crowd, 2*r.choices()+4)), upTo3))
}

// crowd is a number of servers beyond the size classes and stack buffers of 8.
const crowd = 9

// withCrowd is a fleet to which strangers have come, behind the others, so that there
// are a crowd.
func withCrowd(fleet []Server) []Server {
	all := slices.Clone(fleet)
	for k := range max(crowd-len(fleet), 1) {
		all = append(all, Server{ID: ServerID(2000 + k), Name: fmt.Sprint("stranger ", k+1), Weight: 1})
	}
	return all
}

// auditedChanges lets a stranger join in the middle and leave, and a server leave
// and join again; then a crowd comes and goes, and all but a few leave and come
// back at once, with some picks in between, before the law is judged.
func auditedChanges(r *Run) Result {
	if _, ok := r.open(Fleet{Servers: r.servers(3), Seed: r.Seed}).picker.(Updater); !ok || r.fixed != nil {
		return Result{Verdict: NotClaimed, Observed: "it has no Update"}
	}
	result := r.judgeLaw(func(a *auditor, _ int) {
		all := a.fleet
		middle := len(all) / 2
		stranger := Server{ID: all[middle].ID - 1, Name: "stranger", Weight: all[middle].Weight}
		for _, fleet := range [][]Server{
			slices.Insert(slices.Clone(all), middle, stranger), all, slices.Delete(slices.Clone(all), middle, middle+1), all,
			withCrowd(all), all, all[:min(max(2, r.choices()), len(all))], all,
		} {
			a.change(fleet)
			for range 4 * len(fleet) {
				a.probe(Request{})
			}
		}
		a.history = nil // of other fleets
	}, nil)
	return after("a server joined and left, and others left and joined", result)
}

// after says in a diagnosis what had gone before.
func after(what string, result Result) Result {
	if d := result.Diagnosis; d != nil {
		d.State += ", after " + what
	}
	return result
}

// auditedUpdate updates the fleet several times while requests are in flight:
// one more server comes, behind the others or among them, or a crowd, and goes.
func auditedUpdate(r *Run) Result {
	if p := r.open(Fleet{Servers: r.servers(3), Seed: r.Seed}).picker; p != nil {
		if _, ok := p.(Updater); !ok {
			return Result{Verdict: Undecided, Observed: "it has no Update"}
		}
	}
	return r.judgeLaw(nil, func(a *auditor) {
		own := slices.SortedFunc(slices.Values(a.fleet), func(s, t Server) int { return cmp.Compare(s.ID, t.ID) })
		middle := len(own) / 2
		behind := append(slices.Clone(own), Server{ID: 1000, Name: "visitor", Weight: 1})
		among := slices.Insert(slices.Clone(own), middle, Server{ID: own[middle].ID - 1, Name: "guest", Weight: 1})
		for _, fleet := range [][]Server{behind, own, own, withCrowd(own), own, among, own, behind, among, own} {
			if err := r.refit(a.picker.(Updater), fleet); err != nil {
				panic(&fault{Refused, "it refused an update: " + err.Error()})
			}
		}
	})
}

const goroutines, rounds = 8, 400

func auditedStress(r *Run) Result {
	a := r.open(Fleet{Servers: r.servers(5), Seed: r.Seed})
	a.stress()
	if c, ok := a.picker.(Counter); ok {
		if bad := a.counted(c); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d goroutines, %d requests each", goroutines, rounds), Samples: goroutines * rounds}
}

// auditedAfterStress judges the law as if nobody had been there before.
func auditedAfterStress(r *Run) Result {
	result := r.judgeLaw(func(a *auditor, _ int) { a.stress() }, nil)
	return after(fmt.Sprintf("%d goroutines that each picked and released %d times", goroutines, rounds), result)
}

// stress lets many goroutines pick and release. All requests succeed, since what
// failures leave behind is the business of conservation/after-churn. They start together, and yield
// with a request open, so that their calls overlap even on one core.
func (a *auditor) stress() {
	faults := make(chan *fault, goroutines)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			<-start
			defer func() {
				switch v := recover().(type) {
				case nil:
				case *fault:
					faults <- v
				default:
					panic(v)
				}
			}()
			for k := range rounds {
				_, l, err := a.tryPick(context.Background(), Request{Key: fmt.Sprint(g, k)})
				if err != nil {
					panic(&fault{Refused, fmt.Sprintf("with %d goroutines at once it refused a request: %v", goroutines, err)})
				}
				if k%4 == 0 {
					runtime.Gosched()
				}
				a.end(l, Outcome{})
			}
		})
	}
	close(start)
	wg.Wait()
	select {
	case f := <-faults:
		panic(f)
	default:
	}
}
