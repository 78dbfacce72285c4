package spec

import (
	"testing"
	"testing/synctest"
)

// Bubbled gives a run bubbles to work in (testing/synctest), where the standard
// library's clock jumps instead of waiting. Properties that need one are not
// decided without it. Test brings its own.
func Bubbled(t *testing.T) Option {
	return func(c *config) {
		c.bubble = func(f func()) { synctest.Test(t, func(*testing.T) { f() }) }
	}
}

// inBubble runs a check in a bubble and judges outside: nothing may fail in
// there. Its clock is none for the watchdog, so the check works with a run of its
// own while the watchdog looks at the bubble as a whole.
func (r *Run) inBubble(check func(*Run) Result) (result Result) {
	if r.bubble == nil {
		return Result{Verdict: NotClaimed, Observed: "needs a clock that jumps: go test has one"}
	}
	inner := &Run{Subject: r.Subject, Claims: r.Claims, Property: r.Property, Tier: r.Tier, Seed: r.Seed, Alpha: r.Alpha, Beta: r.Beta}
	var thrown any
	r.try("a bubble", func() {
		r.bubble(func() {
			defer func() { thrown = recover() }()
			result = check(inner)
		})
	})
	if thrown != nil {
		panic(thrown)
	}
	return result
}
