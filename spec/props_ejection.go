package spec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// ejectionProperties bind what a Balancer does about servers that fail or are
// new. Nothing here waits: intervals are hours, so that only counts decide.
var ejectionProperties = []*Property{
	{
		Name: "ejection/consecutive", Level: Must,
		Sentence: "A server is ejected by so many failures in a row, by no fewer, and a success starts the count anew; then it is out of sight.",
		Source:   "definition; routing to ejected servers is the classic",
		Applies:  isPart("leases"), Exact: exactConsecutive,
	},
	{
		Name: "ejection/cap", Level: Must,
		Sentence: "Of the servers that take requests, the share of ejected ones never exceeds the cap, rounded down, except that one is always allowed.",
		Source:   "envoyproxy/envoy#26877; grpc/grpc-java#9489",
		Applies:  isPart("leases"), Exact: exactCap,
	},
	{
		Name: "ejection/panic", Level: Must,
		Sentence: "When fewer servers are left than the threshold, none left included, ejections are ignored; otherwise never.",
		Source:   "envoyproxy/envoy#7478; istio/istio#20135",
		Applies:  isPart("leases"), Exact: exactPanic,
	},
	{
		Name: "retry/elsewhere", Level: Must,
		Sentence: "A retry goes to a server that has not had the request, its outcome to that server, and it ends at a success, at the last attempt, or when no server is left.",
		Source:   "kubernetes/ingress-nginx#6632; kubernetes/ingress-nginx#11852",
		Applies:  isPart("leases"), Exact: exactRetry,
	},
	{
		Name: "slow-start/newcomer", Level: Must,
		Sentence: "A newcomer is shown with a probability that grows with its own time in service, from the floor; the first fleet is warm, and who is in sight only because ejections are ignored always is.",
		Source:   "apache/dubbo#463; apache/dubbo#4870; envoyproxy/envoy#19526",
		Applies:  isPart("leases"), Exact: exactSlowStart,
	},
}

// ejecting is a balancer of n servers with a rule that waits for nothing.
func (r *Run) ejecting(n int, o policies.Outlier, more ...policies.Option) *leasing {
	o.Interval, o.Backoff, o.MaxBackoff = time.Hour, time.Hour, 8*time.Hour
	s := &spy{}
	var servers []policies.Endpoint
	for i := range n {
		servers = append(servers, endpoint(fmt.Sprint("s", i), 1))
	}
	l := &leasing{spy: s, run: r}
	r.try("NewBalancer", func() {
		var err error
		more = append(more, policies.WithOutlier(o), policies.WithCoins(policies.NewCoins(r.Seed)))
		if l.Balancer, err = policies.NewBalancer(s, servers, more...); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
	return l
}

// names are those of the servers that take requests.
func (l *leasing) names() []string { return slices.Sorted(maps.Keys(l.InFlight())) }

// outcome gives one outcome to a server, by name; false when it is not shown.
func (l *leasing) outcome(name string, failed bool) (shown bool) {
	l.spy.pick = func(_ policies.Request, v policies.View, _ policies.Coins) int {
		for i := range v.Len() {
			if v.Server(i).Name == name {
				return i
			}
		}
		return policies.None
	}
	var lease *policies.Lease
	var err error
	l.run.try("Acquire", func() { lease, err = l.Acquire(context.Background(), Request{}) })
	if err != nil {
		return false
	}
	l.release(lease, Outcome{Failed: failed})
	return true
}

func exactConsecutive(r *Run) Result {
	for limit := 1; limit <= 5; limit++ {
		l := r.ejecting(3, policies.Outlier{Consecutive: limit, MaxEjected: 100})
		for range 3 { // almost, again and again
			for range limit - 1 {
				l.outcome("s1", true)
			}
			l.outcome("s1", false)
		}
		if e := l.Ejected(); len(e) > 0 {
			return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("nobody ejected without %d failures in a row", limit), Observed: fmt.Sprint(e)}
		}
		for range limit {
			l.outcome("s1", true)
		}
		if e := l.Ejected(); !slices.Equal(e, []string{"s1"}) {
			return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("s1 ejected after %d failures in a row", limit), Observed: fmt.Sprint(e)}
		}
		if l.outcome("s1", false) {
			return Result{Verdict: Violated, Finding: Ineligible, Expected: "an ejected server out of sight", Observed: "it was picked"}
		}
		if !l.outcome("s0", false) || !l.outcome("s2", false) {
			return Result{Verdict: Violated, Finding: Refused, Expected: "the others in sight", Observed: "one of them is not"}
		}
	}
	return Result{Verdict: Holds, Observed: "for 1 to 5 failures"}
}

func exactCap(r *Run) Result {
	states := 0
	for n := 1; n <= 10; n++ {
		for _, percent := range []int{0, 1, 10, 33, 34, 50, 66, 67, 99, 100} {
			l := r.ejecting(n, policies.Outlier{Consecutive: 1, MaxEjected: percent})
			if n%2 == 0 { // servers that were drained are no part of the fleet here
				l.update(append(policies.Endpoints(l.names()...), endpoint("drained", 0), endpoint("drained, too", 0), endpoint("and this", 0))...)
			}
			most := max(1, percent*n/100)
			for i := range n {
				l.outcome(fmt.Sprint("s", i), true)
				if e := len(l.Ejected()); e != min(i+1, most) {
					return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("%d of %d ejected at a cap of %d%% after %d have failed", min(i+1, most), n, percent, i+1), Observed: fmt.Sprint(e)}
				}
				states++
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d states of 1 to 10 servers", states)}
}

func exactPanic(r *Run) Result {
	states := 0
	for n := 1; n <= 6; n++ {
		for _, threshold := range []int{0, 1, 34, 50, 51, 100} {
			l := r.ejecting(n, policies.Outlier{Consecutive: 1, MaxEjected: 100, Panic: threshold})
			for gone := range n + 1 {
				left := n - gone
				want := left
				if left*100 < threshold*n {
					want = n
				}
				before := len(l.spy.shown)
				l.spy.pick = nil
				lease, err := l.Acquire(context.Background(), Request{})
				shown := 0
				if err == nil && len(l.spy.shown) == before {
					return Result{Verdict: Violated, Finding: Ineligible, Expected: "a pick by the policy", Observed: "a server that it was not asked for"}
				}
				if err == nil {
					shown = len(l.spy.shown[before])
					l.release(lease, Outcome{Canceled: true})
				}
				if shown != want || err != nil && !errors.Is(err, policies.ErrNoServer) {
					return Result{Verdict: Violated, Finding: Ineligible, Expected: fmt.Sprintf("%d servers in sight with %d of %d left and a threshold of %d%%", want, left, n, threshold),
						Observed: fmt.Sprintf("%d, error %v", shown, err)}
				}
				l.outcome(fmt.Sprint("s", gone), true)
				states++
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d states of 1 to 6 servers", states)}
}

func exactRetry(r *Run) Result {
	for n := 1; n <= 4; n++ {
		for attempts := 1; attempts <= n+1; attempts++ {
			for success := 0; success <= attempts; success++ { // the attempt that succeeds; the last number is none
				s := &spy{}
				var servers []policies.Endpoint
				for i := range n {
					servers = append(servers, endpoint(fmt.Sprint("s", i), 1))
				}
				l := r.leasing(s, servers...)
				tried := make([]ServerID, 0, 8) // room in which an alias would show
				var visited []ServerID
				var err error
				r.try("Retry", func() {
					err = l.Retry(context.Background(), Request{Tried: tried}, attempts, func(_ context.Context, s Server) error {
						visited = append(visited, s.ID)
						if len(visited)-1 == success {
							return nil
						}
						return errOfCall
					})
				})
				state := fmt.Sprintf("%d servers, %d attempts, success at attempt %d", n, attempts, success+1)
				calls := min(n, attempts, success+1)
				succeeded := success < min(n, attempts)
				ranOut := !succeeded && attempts > n
				if len(visited) != calls || (err == nil) != succeeded || errors.Is(err, policies.ErrNoServer) != ranOut || !succeeded && !errors.Is(err, errOfCall) {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%d calls, success %v, out of servers %v: %s", calls, succeeded, ranOut, state),
						Observed: fmt.Sprintf("%d calls, error %v", len(visited), err)}
				}
				slices.Sort(visited)
				if len(slices.Compact(slices.Clone(visited))) != calls {
					return Result{Verdict: Violated, Finding: Ineligible, Expected: "a server once at most", Observed: fmt.Sprintf("servers %v: %s", visited, state)}
				}
				if len(s.told) != calls || len(s.shown) != calls {
					return Result{Verdict: Violated, Finding: Leak, Expected: fmt.Sprintf("%d picks and as many outcomes", calls), Observed: fmt.Sprint(len(s.shown), " and ", len(s.told))}
				}
				for k, t := range s.told {
					if t.id != s.shown[k][0].ID || t.Failed != (k != success) {
						return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("outcome %d at server %d", k+1, s.shown[k][0].ID), Observed: fmt.Sprintf("at server %d, failed %v", t.id, t.Failed)}
					}
				}
				if slices.ContainsFunc(tried[:cap(tried)], func(id ServerID) bool { return id != 0 }) {
					return Result{Verdict: Violated, Finding: Impure, Expected: "a request that is left alone", Observed: "its list of servers was written to"}
				}
				want := make(map[string]int)
				for _, e := range servers {
					want[e.Name] = 0
				}
				l.counts("after "+state, want, 0)
			}
		}
	}
	return Result{Verdict: Holds, Observed: "with 1 to 4 servers and every outcome"}
}

// weighing is a source of coins that writes down how they are weighted, and
// always answers the same.
type weighing struct {
	answer  int
	weights [][]uint64
}

func (w *weighing) IntN(int) int { return 0 }
func (w *weighing) Weighted(weights []uint64) int {
	w.weights = append(w.weights, slices.Clone(weights))
	return w.answer
}

func exactSlowStart(r *Run) Result {
	for _, floor := range []int{0, 25, 100} {
		for answer := range 2 {
			s, coins := &spy{}, &weighing{answer: answer}
			slow := policies.SlowStart{Window: time.Hour, Floor: floor}
			var b *policies.Balancer
			var err error
			r.try("NewBalancer", func() {
				b, err = policies.NewBalancer(s, policies.Endpoints("a", "b"), policies.WithCoins(coins), policies.WithSlowStart(slow))
			})
			if err != nil {
				return Result{Verdict: Violated, Finding: Refused, Observed: err.Error()}
			}
			l := &leasing{b, s, r}
			l.release(l.acquire(Request{}), Outcome{})
			if len(coins.weights) > 0 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "no coin for the first fleet", Observed: fmt.Sprint(coins.weights)}
			}
			time.Sleep(2 * time.Millisecond) // an age that is not the newcomer's
			joined := time.Now()
			l.update(policies.Endpoints("a", "b", "c")...)
			l.release(l.acquire(Request{}), Outcome{})
			most := uint64(max(time.Since(joined), slow.Window/100*time.Duration(floor)))
			least := uint64(slow.Window / 100 * time.Duration(floor))
			if len(coins.weights) != 1 {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: "one coin, for the newcomer", Observed: fmt.Sprint(coins.weights)}
			}
			w := coins.weights[0]
			if len(w) != 2 || w[0] < least || w[0] > most || w[0]+w[1] != uint64(slow.Window) {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("weights from %d to %d of %d", least, most, uint64(slow.Window)), Observed: fmt.Sprint(w)}
			}
			if shown := len(s.shown[len(s.shown)-1]); shown != 3-answer {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%d servers in sight", 3-answer), Observed: fmt.Sprint(shown)}
			}
			l.update(endpoint("a", 0), endpoint("b", 0), endpoint("c", 1))
			l.release(l.acquire(Request{}), Outcome{}) // nobody else is in sight
		}
	}
	if bad := r.coldInPanic(); bad != nil {
		return *bad
	}
	return Result{Verdict: Holds, Observed: "for floors of 0, 25 and 100 percent, and in a panic"}
}

// coldInPanic ejects a newcomer while it warms up, from a fleet that any ejection
// puts in a panic.
func (r *Run) coldInPanic() *Result {
	s, coins := &spy{}, &weighing{}
	l := &leasing{spy: s, run: r}
	r.try("NewBalancer", func() {
		var err error
		if l.Balancer, err = policies.NewBalancer(s, policies.Endpoints("a", "b"), policies.WithCoins(coins),
			policies.WithSlowStart(policies.SlowStart{Window: time.Hour}),
			policies.WithOutlier(policies.Outlier{
				Consecutive: 1, MaxEjected: 100, Panic: 100, Interval: time.Hour, Backoff: time.Hour, MaxBackoff: time.Hour,
			})); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
	l.update(policies.Endpoints("a", "b", "c")...)
	l.outcome("c", true)
	if e := l.Ejected(); !slices.Equal(e, []string{"c"}) {
		return &Result{Verdict: Violated, Finding: Ineligible, Expected: "c ejected", Observed: fmt.Sprint(e)}
	}
	coins.weights, s.pick = nil, nil
	l.release(l.acquire(Request{}), Outcome{Canceled: true})
	if shown := s.shown[len(s.shown)-1]; len(coins.weights) > 0 || len(shown) != 3 {
		return &Result{Verdict: Violated, Finding: WrongLaw, Expected: "all three in a panic, and no coin", Observed: fmt.Sprintf("%d, and coins %v", len(shown), coins.weights)}
	}
	return nil
}
