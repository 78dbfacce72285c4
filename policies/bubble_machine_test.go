package policies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A step of a script that runs in a bubble.
type step struct {
	Kind   string
	Which  int
	Failed bool
}

var kinds = []string{"acquire", "release", "release twice", "sleep", "update", "panic", "cancel", "retry"}

// Scripts of requests, updates and pauses in a bubble, over every policy, with a
// server that always fails. All is drawn before the bubble begins, and what went
// wrong is told after it has ended.
func TestBalancerInABubble(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Outlier{
			Consecutive: rapid.IntRange(0, 3).Draw(rt, "consecutive"), Interval: 20 * s, Backoff: 7 * s, MaxBackoff: 30 * s,
			Deviations: rapid.SampledFrom([]float64{0, 0.5, 1.5}).Draw(rt, "deviations"),
			MaxEjected: rapid.IntRange(0, 100).Draw(rt, "cap"), Panic: rapid.SampledFrom([]int{0, 40, 80}).Draw(rt, "panic"),
		}
		lots := []string{"acquire"} // the weights come first, so that long runs occur
		for _, kind := range kinds {
			lots = append(lots, slices.Repeat([]string{kind}, rapid.SampledFrom([]int{0, 1, 4, 10}).Draw(rt, "weight"))...)
		}
		sick := ServerID(rapid.IntRange(0, 5).Draw(rt, "sick"))
		all := everyPolicy()
		policy := all[rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(rt, "policy")]
		script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{rapid.SampledFrom(lots).Draw(t, "kind"), rapid.IntRange(0, 20).Draw(t, "which"), rapid.Bool().Draw(t, "failed")}
		}), 1, 80).Draw(rt, "script")
		var err error
		synctest.Test(t, func(*testing.T) { err = play(policy, o, sick, script) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// play runs a script and says what is wrong.
func play(p Policy, o Outlier, sick ServerID, script []step) error {
	b, err := NewBalancer(p, Endpoints("s0", "s1", "s2", "s3", "s4"), WithOutlier(o), WithCoins(NewCoins(7)),
		WithSlowStart(SlowStart{Window: 5 * s, Floor: 10}))
	if err != nil {
		return err
	}
	var open []*Lease
	for _, st := range script {
		before := b.Ejected()
		view := b.Snapshot()
		panicking := (len(b.InFlight())-len(before))*100 < o.Panic*len(b.InFlight())
		for _, server := range view.Servers {
			if slices.Contains(before, server.Name) && !panicking {
				return fmt.Errorf("%s is eligible although ejected are %v", server.Name, before)
			}
		}
		seen := func(server Server) error {
			if view.Index(server.ID) < 0 {
				return fmt.Errorf("picked %v, eligible are %v", server, view.Servers)
			}
			return nil
		}
		switch st.Kind {
		case "acquire":
			lease, err := b.Acquire(background, Request{})
			if (err == nil) != (len(view.Servers) > 0) || err != nil && !errors.Is(err, ErrNoServer) {
				return fmt.Errorf("Acquire with %d eligible servers: %w", len(view.Servers), err)
			}
			if err != nil {
				break
			}
			open = append(open, lease)
			if err := seen(lease.Server()); err != nil {
				return err
			}
		case "release", "release twice":
			if len(open) == 0 {
				break
			}
			i := st.Which % len(open)
			if err := open[i].Release(Outcome{Failed: st.Failed || open[i].Server().ID == sick}); err != nil {
				return err
			}
			if st.Kind == "release twice" {
				if err := open[i].Release(Outcome{Failed: true}); !errors.Is(err, ErrReleased) {
					return fmt.Errorf("a second release says %w", err)
				}
			}
			open = slices.Delete(open, i, i+1)
		case "sleep":
			time.Sleep(time.Duration(st.Which) * s)
		case "update":
			if err := b.Update(Endpoints("s0", fmt.Sprint("s", 1+st.Which%5), "s6", "s7")); err != nil {
				return err
			}
		case "panic":
			panics(b)
		case "cancel":
			ctx, cancel := context.WithCancel(background)
			_ = b.Do(ctx, Request{}, func(context.Context, Server) error { cancel(); return ctx.Err() })
			cancel()
		case "retry":
			var tried []ServerID
			_ = b.Retry(background, Request{}, 3, func(_ context.Context, server Server) error {
				if tried = append(tried, server.ID); server.ID == sick || st.Failed {
					return errors.New("sick")
				}
				return nil
			})
			if different := slices.Compact(slices.Sorted(slices.Values(tried))); len(different) < len(tried) {
				return fmt.Errorf("a request went to %v", tried)
			}
		}
		ejected, n := b.Ejected(), len(b.InFlight())
		if limit := max(1, o.MaxEjected*n/100); st.Kind != "update" && len(ejected) > max(limit, len(before)) {
			return fmt.Errorf("%v are ejected, the cap for %d servers is %d", ejected, n, limit)
		}
		total := 0
		for _, c := range b.InFlight() {
			if total += c; c < 0 {
				return fmt.Errorf("a count is below 0: %v", b.InFlight())
			}
		}
		if b.Open() != len(open) || total > len(open) {
			return fmt.Errorf("%d leases are open, counted %d and %d", len(open), b.Open(), total)
		}
	}
	time.Sleep(o.MaxBackoff + o.Interval)
	b.Ejected() // the last interval is judged now
	time.Sleep(o.MaxBackoff)
	if ejected := b.Ejected(); len(ejected) > 0 {
		return fmt.Errorf("%v are still ejected", ejected)
	}
	return nil
}

// panics is a call that panics inside Do.
func panics(b *Balancer) {
	defer func() { _ = recover() }()
	_ = b.Do(background, Request{}, func(context.Context, Server) error { panic("boom") })
}
