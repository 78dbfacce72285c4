package spec

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// recoveryProperties say how ejections end, and what it takes to get there. Time
// passes in a bubble.
var recoveryProperties = []*Property{
	{
		Name: "ejection/back-off", Level: Must,
		Sentence: "The k-th ejection of a server lasts k times the base, at most the longest; every whole interval in service takes one off k.",
		Source:   "longer and longer even after weeks of health: envoyproxy/envoy#14235",
		Applies:  isPart("leases"), Exact: bubbled(exactBackOff),
	},
	{
		Name: "ejection/fresh-start", Level: Must,
		Sentence: "A server that is back from an ejection has a clean record, and what it was asked before does not count.",
		Source:   "results of an interval that outlive it: grpc/grpc-rust#2673",
		Applies:  isPart("leases"), Exact: bubbled(exactFreshStart),
	},
	{
		Name: "ejection/success-rate", Level: Must,
		Sentence: "At the end of an interval those servers are ejected, and no others, whose success rate is more than so many standard deviations below the mean of all that had enough requests, if enough had.",
		Source:   "judged although too few have enough traffic: grpc/grpc-node#2204, grpc/proposal#322",
		Applies:  isPart("leases"), Exact: bubbled(exactSuccessRate),
	},
	{
		Name: "ejection/worst-first", Level: Must,
		Sentence: "Where the cap does not let every outlier go, those with the lowest success rates go.",
		Source:   "definition; what a cap lets through: envoyproxy/envoy#26877",
		Applies:  isPart("leases"), Exact: bubbled(exactWorstFirst),
	},
	{
		Name: "ejection/leavers", Level: Must,
		Sentence: "A server that leaves while it is ejected no longer counts against the cap, and comes back as a new one.",
		Source:   "ejected for ever in the books: grpc/grpc-rust#2673",
		Applies:  isPart("leases"), Exact: exactLeavers,
	},
	{
		Name: "slow-start/ramp", Level: Must,
		Sentence: "A server that joined, or is back from an ejection, is shown with probability time/window, from the floor up, each by its own time, and always after the window.",
		Source:   "full weight at once: apache/dubbo#4870; one start for all: apache/dubbo#463; late for ever: envoyproxy/envoy#19526",
		Applies:  isPart("leases"), Exact: bubbled(exactSlowRamp),
	},
}

func bubbled(check func(*Run) Result) func(*Run) Result {
	return func(r *Run) Result { return r.inBubble(check) }
}

// timed is a balancer over a spy that ejects by a rule.
func (r *Run) timed(n int, o policies.Outlier, more ...policies.Option) *leasing {
	servers := make([]policies.Endpoint, n)
	for i := range servers {
		servers[i] = endpoint(fmt.Sprint("s", i), 1)
	}
	l := &leasing{spy: &spy{}, run: r}
	r.try("NewBalancer", func() {
		var err error
		if l.Balancer, err = policies.NewBalancer(l.spy, servers, append(more, policies.WithOutlier(o))...); err != nil {
			panic(&fault{Refused, err.Error()})
		}
	})
	return l
}

// ejections expects who is ejected now.
func (l *leasing) ejections(when string, want ...string) {
	var got []string
	l.run.try("Ejected", func() { got = l.Ejected() })
	if !slices.Equal(got, want) {
		panic(&fault{Ineligible, fmt.Sprintf("%s: %v ejected, want %v", when, got, want)})
	}
}

const interval, base, longest = 10 * time.Second, 7 * time.Second, 30 * time.Second

// exactBackOff ejects a server again and again, after every number of healthy
// intervals, and looks one nanosecond before its return and at it.
func exactBackOff(r *Run) Result {
	lengths := 0
	for healthy := range 9 {
		l := r.timed(3, policies.Outlier{Consecutive: 1, Interval: interval, Backoff: base, MaxBackoff: longest, MaxEjected: 100})
		eject := func(k int) {
			l.outcome("s1", true)
			length := min(time.Duration(k)*base, longest)
			time.Sleep(length - 1)
			l.ejections(fmt.Sprintf("1ns before ejection %d, after %d healthy intervals, is over", k, healthy), "s1")
			time.Sleep(time.Nanosecond)
			l.ejections(fmt.Sprintf("when ejection %d, after %d healthy intervals, is over", k, healthy))
			lengths++
		}
		for k := 1; k <= 6; k++ {
			eject(k)
		}
		time.Sleep(time.Duration(healthy)*interval + interval - 1) // the last one is not whole
		l.outcome("s1", false)
		eject(max(0, 6-healthy) + 1)
		eject(max(0, 6-healthy) + 2)
	}
	l := r.timed(4, policies.Outlier{Consecutive: 1, Interval: interval, Backoff: base, MaxBackoff: longest, MaxEjected: 100})
	l.outcome("s0", true)
	time.Sleep(3 * time.Second)
	l.outcome("s1", true)
	l.ejections("with two that failed at different times", "s0", "s1")
	time.Sleep(base - 3*time.Second)
	l.ejections("when the first of two is back", "s1")
	time.Sleep(3 * time.Second)
	l.ejections("when both are back")
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d ejections, to the nanosecond", lengths)}
}

// exactFreshStart lets requests from before an ejection fail during it and after
// it, and failures from before come close to the limit.
func exactFreshStart(r *Run) Result {
	const limit = 3
	o := policies.Outlier{Consecutive: limit, Interval: time.Hour, Backoff: base, MaxBackoff: longest, MaxEjected: 100}
	l := r.timed(3, o)
	l.spy.pick = func(_ policies.Request, v policies.View, _ policies.Coins) int { return v.Len() - 1 } // s2
	var late []*policies.Lease
	for range limit + 1 {
		late = append(late, l.acquire(Request{}))
	}
	for range limit {
		l.outcome("s2", true)
	}
	l.ejections("after so many failures in a row", "s2")
	time.Sleep(base / 2)
	for _, lease := range late {
		l.release(lease, Outcome{Failed: true})
	}
	time.Sleep(base/2 - 1)
	l.ejections("whatever ends meanwhile", "s2")
	time.Sleep(time.Nanosecond)
	l.ejections("after the time of the first ejection")
	for range limit - 1 {
		l.outcome("s2", true)
	}
	l.ejections("after one failure fewer than the limit since it is back")
	l.outcome("s2", true)
	l.ejections("after as many failures as the limit since it is back", "s2")
	return Result{Verdict: Holds, Observed: "neither late outcomes nor old failures count"}
}

// exactSuccessRate draws what five servers answer in an interval and decides in
// rational numbers who is an outlier. Two intervals follow each other, so that
// what was counted in the first shows in the second. The limits are numbers that
// no five rates lie at exactly, since the policy takes a root in floating point:
// the lower of two rates, for one, is always one deviation below their mean.
func exactSuccessRate(r *Run) Result {
	random := rand.New(rand.NewPCG(r.Seed, 0))
	ejected, intervals := 0, 0
	for range 60 {
		o := policies.Outlier{Interval: interval, MinRequests: 1 + random.IntN(6), MinServers: 1 + random.IntN(5),
			Deviations: []float64{0.55, 1.1, 1.45}[random.IntN(3)], Backoff: time.Second, MaxBackoff: time.Second, MaxEjected: 100}
		l := r.timed(5, o)
		for range 2 {
			rates := make(map[string]*big.Rat)
			for i := range 5 {
				name, ok, failed := fmt.Sprint("s", i), random.IntN(6), random.IntN(4)
				for k := range ok + failed {
					l.outcome(name, k >= ok)
				}
				if ok+failed >= o.MinRequests {
					rates[name] = big.NewRat(int64(ok), int64(ok+failed))
				}
			}
			time.Sleep(interval - 1)
			l.ejections("1ns before the interval is over")
			time.Sleep(time.Nanosecond)
			want := outliers(rates, o)
			l.ejections(fmt.Sprintf("success rates %v, %d requests and %d servers wanted, %v deviations", rates, o.MinRequests, o.MinServers, o.Deviations), want...)
			ejected += len(want)
			intervals++
			time.Sleep(time.Second) // everybody is back
			time.Sleep(interval - time.Second)
			l.ejections("after an interval without a request")
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d ejections in %d intervals", ejected, intervals)}
}

// exactWorstFirst has three servers of seven fall behind, at rates of 0, 1/10 and
// 2/10, in every order, and a cap of none to three of them. The mean is 43/70 and
// the deviation below 1/2, so all three are more than 3/4 of it below the mean.
func exactWorstFirst(r *Run) Result {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, order := range orders {
		for percent, most := range map[int]int{0: 1, 15: 1, 29: 2, 43: 3, 100: 3} {
			l := r.timed(7, policies.Outlier{Interval: interval, MinRequests: 10, MinServers: 7, Deviations: 0.75, Backoff: time.Second, MaxBackoff: time.Second, MaxEjected: percent})
			names, worst := []string{"s1", "s4", "s6"}, make([]string, 3)
			for k, name := range names {
				worst[order[k]] = name
			}
			for i := range 7 {
				name, ok := fmt.Sprint("s", i), 10
				if rank := slices.Index(worst, name); rank >= 0 {
					ok = rank
				}
				for k := range 10 {
					l.outcome(name, k >= ok)
				}
			}
			time.Sleep(interval)
			want := slices.Clone(worst[:most])
			slices.Sort(want)
			l.ejections(fmt.Sprintf("%v from the worst on, at a cap of %d%% of 7", worst, percent), want...)
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d orders, at 5 caps", len(orders))}
}

// outliers are the names whose rates are more than the deviations below the
// mean, in order: (mean-rate)² > deviations²·variance, so no root is taken.
func outliers(rates map[string]*big.Rat, o policies.Outlier) []string {
	if len(rates) < o.MinServers {
		return nil
	}
	n, mean, variance := big.NewRat(int64(max(1, len(rates))), 1), new(big.Rat), new(big.Rat)
	for _, x := range rates {
		mean.Add(mean, x)
	}
	mean.Quo(mean, n)
	for _, x := range rates {
		d := new(big.Rat).Sub(x, mean)
		variance.Add(variance, d.Mul(d, d))
	}
	variance.Quo(variance, n)
	d := new(big.Rat).SetFloat64(o.Deviations)
	limit := d.Mul(d.Mul(d, d), variance)
	var names []string
	for name, x := range rates {
		below := new(big.Rat).Sub(mean, x)
		if below.Sign() > 0 && new(big.Rat).Mul(below, below).Cmp(limit) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func exactLeavers(r *Run) Result {
	l := r.ejecting(4, policies.Outlier{Consecutive: 1, MaxEjected: 25})
	all := policies.Endpoints("s0", "s1", "s2", "s3")
	l.outcome("s0", true)
	l.outcome("s1", true)
	l.ejections("at a cap of one of four", "s0")
	l.update(all[1:]...)
	l.ejections("after the ejected one left")
	l.outcome("s1", true)
	l.ejections("when another one fails then", "s1")
	l.update(all...)
	l.ejections("when the first one is back", "s1")
	if !l.outcome("s0", false) {
		return Result{Verdict: Violated, Finding: Ineligible, Expected: "s0 in sight, as a new server", Observed: "it is not"}
	}
	return Result{Verdict: Holds, Observed: "the cap counts who is there"}
}

// exactSlowRamp lets servers join at two times, and another one come back from
// an ejection, and reads the odds of every coin.
func exactSlowRamp(r *Run) Result {
	const window = time.Minute
	steps := 0
	for _, floor := range []int{0, 10, 100} {
		coins := &weighing{}
		l := r.timed(2, policies.Outlier{Consecutive: 1, Interval: time.Hour, Backoff: base, MaxBackoff: base, MaxEjected: 100},
			policies.WithSlowStart(policies.SlowStart{Window: window, Floor: floor}), policies.WithCoins(coins))
		since := make(map[string]time.Time) // who is warming up
		order := []string{"s0", "s1", "s2", "s3"}
		look := func() *Result {
			coins.weights = nil
			lease, err := l.Acquire(context.Background(), Request{})
			if err != nil {
				panic(&fault{Refused, err.Error()})
			}
			l.release(lease, Outcome{Canceled: true})
			steps++
			var want [][]uint64
			for _, name := range order {
				began, warming := since[name]
				if age := time.Since(began); warming && age < window {
					shown := max(age, window/100*time.Duration(floor))
					want = append(want, []uint64{uint64(shown), uint64(window - shown)})
				}
			}
			if !slices.EqualFunc(coins.weights, want, slices.Equal) {
				return &Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("odds %v with a floor of %d%%", want, floor), Observed: fmt.Sprint(coins.weights)}
			}
			return nil
		}
		l.spy.pick = nil
		time.Sleep(3 * time.Minute)
		l.update(policies.Endpoints("s0", "s1", "s2")...)
		since["s2"] = time.Now()
		for k := range 20 {
			switch k {
			case 4:
				l.update(policies.Endpoints("s0", "s1", "s2", "s3")...)
				since["s3"] = time.Now()
			case 6:
				l.outcome("s0", true)
				l.spy.pick = nil
				time.Sleep(base)
				since["s0"] = time.Now()
			}
			if bad := look(); bad != nil {
				return *bad
			}
			time.Sleep(7 * time.Second)
		}
		if bad := look(); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d looks", steps)}
}
