package spec

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// historyProperties bind what the suite does to a black box before it looks.
var historyProperties = []*Property{{
	Name: "suite/wrong-histories", Level: Must,
	Sentence: "A black box that goes wrong only after cancelled or slow requests, after updates, or when many call it at once is violated, with the name of the deviation.",
	Source:   "counts that leak on cancellation: vllm-project/router#215; newcomers without traffic: envoyproxy/envoy#45212; updates that are lost: BerriAI/litellm#40009",
	Applies:  isPart("suite"), Exact: exactWrongHistories,
}}

// seasoned is a random choice that after an update gives half of what the first
// server gets to the second.
type seasoned struct{ updates int }

func (s *seasoned) Update([]Server) { s.updates++ }

func (s *seasoned) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	if v.Len() == 0 {
		return policies.None
	}
	i := c.IntN(v.Len())
	if s.updates > 1 && i == 0 && v.Len() > 1 && c.IntN(2) == 0 {
		return 1
	}
	return i
}

// rebuilt is a balancer that is made anew by an update, and so forgets what is in flight.
type rebuilt struct{ Picker }

func (b *rebuilt) Update(fleet []Server) (err error) {
	b.Picker, err = Leased(func() policies.Policy { return policies.LeastRequest{} })(Fleet{Servers: fleet, Seed: 1})
	return err
}

// miscounted tells one request too many once any has failed.
type miscounted struct {
	*leased
	failed bool
}

func (b *miscounted) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	id, done, err := b.leased.Pick(ctx, q)
	return id, func(o Outcome) error { b.failed = b.failed || o.Failed; return done(o) }, err
}

func (b *miscounted) InFlight(id ServerID) int {
	if n := b.leased.InFlight(id); !b.failed || n == 0 {
		return n
	}
	return b.leased.InFlight(id) + 1
}

// crowded is a balancer that goes wrong when two calls overlap.
type crowded struct {
	Picker
	inside atomic.Int32
	wrong  func(id ServerID, done func(Outcome) error) (func(Outcome) error, error)
}

func (b *crowded) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	others := b.inside.Add(1) > 1
	runtime.Gosched() // so that calls overlap on one core, too
	id, done, err := b.Picker.Pick(ctx, q)
	others = others || b.inside.Load() > 1
	b.inside.Add(-1)
	if others && err == nil {
		done, err = b.wrong(id, done)
	}
	return id, done, err
}

func leasedLeast(f Fleet) (Picker, error) {
	return Leased(func() policies.Policy { return policies.LeastRequest{} })(f)
}

func exactWrongHistories(*Run) Result {
	type done = func(Outcome) error
	counts := []Option{Law(oracle.LeastRequest{}), CountsInFlight()}
	leaking := func(what string, leaks func(Outcome) bool) liar {
		return tampering(what, policies.LeastRequest{}, func(_ *tamperer, id ServerID, d done) (ServerID, done) {
			return id, func(o Outcome) error {
				if leaks(o) {
					return nil
				}
				return d(o)
			}
		}, "conservation/after-churn", WrongLaw, counts...)
	}
	box := func(what string, build Factory, property string, finding Finding, claims ...Option) liar {
		return liar{what, Subject{Name: "liar", New: build, Claims: claims}, property, finding}
	}
	var lost atomic.Bool
	return caught([]liar{
		leaking("never releases what was cancelled", func(o Outcome) bool { return o.Canceled }),
		leaking("never releases what took more than a minute", func(o Outcome) bool { return o.Latency > time.Minute }),
		box("favours a server once its fleet has changed", Leased(func() policies.Policy { return &seasoned{} }),
			"continuity/law-after-updates", WrongLaw, Law(oracle.Random{}), KeepsCounts()),
		box("forgets what is in flight at an update", func(f Fleet) (Picker, error) {
			p, err := leasedLeast(f)
			return &rebuilt{p}, err
		}, "continuity/counts-across-update", WrongLaw, append(counts, KeepsCounts())...),
		box("tells one too many after a failure", func(f Fleet) (Picker, error) {
			p, err := leasedLeast(f)
			if err != nil {
				return nil, err
			}
			return &miscounted{leased: p.(*leased)}, nil
		}, "conservation/in-flight", Leak, CountsInFlight()),
		box("loses a count when two calls overlap", func(f Fleet) (Picker, error) {
			p, err := leasedLeast(f)
			lost.Store(false)
			return &crowded{Picker: p, wrong: func(_ ServerID, d done) (done, error) {
				if lost.Swap(true) {
					return d, nil
				}
				return func(Outcome) error { return nil }, nil
			}}, err
		}, "concurrency/conservation", WrongLaw, append(counts, Concurrent())...),
		box("refuses when two calls overlap", func(f Fleet) (Picker, error) {
			p, err := leasedLeast(f)
			return &crowded{Picker: p, wrong: func(_ ServerID, d done) (done, error) { return nil, errors.Join(d(Outcome{}), errOfCall) }}, err
		}, "concurrency/stress", Refused, Concurrent()),
	})
}
