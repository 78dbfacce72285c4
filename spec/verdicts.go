package spec

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// verdictProperties say what a Balancer makes of how a call ended, and what time
// alone may do to its counts: nothing.
var verdictProperties = []*Property{
	{
		Name: "conservation/verdicts", Level: Must,
		Sentence: "A call that returns an error, runs into its deadline, panics or ends its goroutine has failed; one that returns an error because its caller gave up has no verdict; one that returns nil has succeeded, however late.",
		Source:   "a timeout that nobody books: skypilot-org/skypilot#10444; paths without feedback: elastic/elasticsearch#144146",
		Applies:  isPart("leases"), Exact: exactVerdicts,
	},
	{
		Name: "conservation/time", Level: Must,
		Sentence: "Whatever time passes, and whoever is ejected and comes back, requests in flight stay in flight until they end.",
		Source:   "counts that expire: BerriAI/litellm#40401",
		Applies:  isPart("leases"), Exact: bubbled(exactTimePasses),
	},
}

// deadline is a context whose deadline passes when it is told, so that nobody
// has to wait for it.
type deadline struct {
	context.Context
	passed atomic.Bool
}

func (d *deadline) Err() error {
	if d.passed.Load() {
		return context.DeadlineExceeded
	}
	return nil
}

func exactVerdicts(r *Run) Result {
	background := func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }
	expiring := func() (context.Context, context.CancelFunc) {
		ctx := &deadline{Context: context.Background()}
		return ctx, func() { ctx.passed.Store(true) }
	}
	const failed, succeeded, silent = "failed", "succeeded", "nothing"
	cases := []struct {
		what string
		made func() (context.Context, context.CancelFunc)
		call func(ctx context.Context, cancel func()) error
		want string
	}{
		{"nil", background, func(context.Context, func()) error { return nil }, succeeded},
		{"an error", background, func(context.Context, func()) error { return errOfCall }, failed},
		{"an error that looks like a cancellation", background, func(context.Context, func()) error { return context.Canceled }, failed},
		{"an error after the caller gave up", background, func(_ context.Context, cancel func()) error { cancel(); return errOfCall }, silent},
		{"nil after the caller gave up", background, func(_ context.Context, cancel func()) error { cancel(); return nil }, succeeded},
		{"an error at the deadline", expiring, func(ctx context.Context, pass func()) error { pass(); return ctx.Err() }, failed},
		{"nil after the deadline", expiring, func(_ context.Context, pass func()) error { pass(); return nil }, succeeded},
		{"a panic", background, func(context.Context, func()) error { panic("in the call") }, failed},
		{"the end of its goroutine", background, func(context.Context, func()) error { runtime.Goexit(); return nil }, failed},
	}
	for _, tc := range cases {
		for server := range 3 {
			s := &spy{pick: func(policies.Request, policies.View, policies.Coins) int { return server }}
			l := r.leasing(s, policies.Endpoints("a", "b", "c")...)
			ctx, cancel := tc.made()
			done := make(chan error, 1)
			go func() {
				err := error(nil)
				defer func() {
					if v := recover(); v != nil && v != "in the call" {
						err = fmt.Errorf("a panic came out of Do: %v", v)
					}
					done <- err
				}()
				_ = l.Do(ctx, Request{}, func(ctx context.Context, _ Server) error { return tc.call(ctx, cancel) })
			}()
			err := <-done
			cancel()
			if err != nil {
				panic(&fault{Panicked, err.Error()})
			}
			got := silent
			if len(s.told) == 1 {
				got = map[bool]string{true: failed, false: succeeded}[s.told[0].Failed]
			} else if len(s.told) > 1 {
				got = fmt.Sprint(len(s.told), " outcomes")
			}
			if got != tc.want || len(s.told) > 0 && int(s.told[0].id) != server {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%s is told of server %d, whose call ended with %s", tc.want, server, tc.what),
					Observed: fmt.Sprintf("%s: %+v", got, s.told)}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d ways for a call to end", len(cases))}
}

// exactTimePasses keeps requests open at every server through intervals and
// ejections, while others come and go.
func exactTimePasses(r *Run) Result {
	l := r.timed(3, policies.Outlier{Consecutive: 2, Interval: interval, Deviations: 1, Backoff: base, MaxBackoff: longest, MaxEjected: 100})
	open, want := make(map[string][]*policies.Lease), make(map[string]int)
	for i := range 3 {
		l.spy.pick = func(policies.Request, policies.View, policies.Coins) int { return i }
		for range i + 1 {
			lease := l.acquire(Request{})
			name := lease.Server().Name
			open[name] = append(open[name], lease)
			want[name]++
		}
	}
	l.counts("at the start", want, 0)
	for k := range 40 {
		name := fmt.Sprint("s", k%3)
		l.outcome(name, k%4 == 0)
		if k%8 == 0 {
			l.outcome(name, true) // and now it is ejected
		}
		l.counts(fmt.Sprintf("after %v", time.Duration(k)*interval/3), want, 0)
		time.Sleep(interval / 3)
	}
	for name, leases := range open {
		for _, lease := range leases {
			l.release(lease, Outcome{})
			want[name]--
		}
		l.counts("when the requests of "+name+" have ended", want, 0)
	}
	if len(l.Ejected()) > 0 {
		return Result{Verdict: Violated, Finding: Ineligible, Expected: "nobody ejected in the end", Observed: fmt.Sprint(l.Ejected())}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("through %v", 40*interval/3)}
}
