//go:build !mutants

package spec

import "fmt"

// counted compares what a Counter says with what is open.
func (a *auditor) counted(c Counter) *Result {
	for i, s := range a.fleet {
		var n int
		a.run.try("InFlight", func() { n = c.InFlight(s.ID) })
		if n != len(a.leases[i]) {
			return &Result{Verdict: Violated, Finding: Leak,
				Expected: fmt.Sprintf("%s in flight at %s", requests(len(a.leases[i])), s.Name),
				Observed: fmt.Sprintf("it counts %d, with %s", n, a.state())}
		}
	}
	return nil
}

func auditedCounts(r *Run) Result {
	steps := 0
	for h := range 30 {
		a := r.open(Fleet{Servers: r.servers(2 + h%6), Seed: r.Seed + uint64(h)})
		c, ok := a.picker.(Counter)
		if !ok {
			return Result{Verdict: NotClaimed, Observed: "it does not tell what it counts; conservation/after-churn judges its picks instead"}
		}
		var bad *Result
		history := histories.Example(int(r.Seed>>1) + h)
		a.play(history, func(int) {
			if bad == nil {
				bad = a.counted(c)
			}
		})
		a.drain()
		if bad == nil {
			bad = a.counted(c)
		}
		if bad != nil {
			return *bad
		}
		steps += len(history)
	}
	for _, f := range []struct{ servers, deep int }{{2, 300}, {r.drawnSize(), 3}, {65, 1}} {
		if bad := r.countedDeep(f.servers, r.held(f.deep), &steps); bad != nil {
			return *bad
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("after each of %d steps", steps), Samples: steps}
}

// countedDeep compares the counts while a fleet is filled up, past what 8 bits
// count where it is small, and while it is emptied in another order.
func (r *Run) countedDeep(servers, deep int, steps *int) (bad *Result) {
	a := r.open(Fleet{Servers: r.servers(servers), Seed: r.Seed})
	c := a.picker.(Counter)
	check := func() bool {
		*steps++
		bad = a.counted(c)
		return bad == nil
	}
	for range deep * len(a.fleet) {
		if a.acquire(Request{}); !check() {
			return bad
		}
	}
	for k := 7; ; k += 7 {
		i := a.nth(k)
		if i < 0 {
			return nil
		}
		if a.release(i, Outcome{}); !check() {
			return bad
		}
	}
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprint(n, " requests")
}
