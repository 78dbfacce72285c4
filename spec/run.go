package spec

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Run is what a check is given: the subject, its claims, and its share of the
// run's chance.
type Run struct {
	Subject  Subject
	Claims   Claims
	Property *Property
	Tier     Tier
	Seed     uint64  // of this property alone
	Alpha    float64 // probability of convicting a conforming subject
	Beta     float64 // probability of leaving a conforming subject undecided

	traced        bool     // keep a Trace
	fixed         []Server // the only fleet of the subject; nil when it takes any
	contamination float64  // bounds the probability of a stray pick
	delta         float64  // the smallest wrongness that must not be missed
	holds         int      // requests in flight at a server at most; 0: any number

	bubble func(func()) // nil: there is none

	mu      sync.Mutex
	calls   []call // of the subject, under way
	next    int
	closers []io.Closer
}

// A call is one of the subject. Nobody looks at the clock when it starts: there
// are millions of them. The watchdog notes when it first saw it.
type call struct {
	id   int
	what string
	seen time.Time
}

// A fault is something that the subject did and must not do. Checks let it
// unwind them: it is a finding whatever was being checked.
type fault struct {
	finding Finding
	text    string
}

func (f *fault) Error() string { return string(f.finding) + ": " + f.text }

func (f *fault) result() Result {
	if f.finding == gaveUp {
		return Result{Verdict: Undecided, Observed: f.text}
	}
	return Result{Verdict: Violated, Finding: f.finding, Observed: f.text}
}

// try calls the subject. A panic becomes a fault; while the call lasts, the
// watchdog sees it.
func (r *Run) try(what string, f func()) {
	r.mu.Lock()
	id := r.next
	r.next++
	r.calls = append(r.calls, call{id: id, what: what})
	r.mu.Unlock()
	defer func() {
		v := recover()
		r.mu.Lock()
		for i := len(r.calls) - 1; i >= 0; i-- { // mostly the last, so that nothing moves
			if r.calls[i].id == id {
				r.calls = slices.Delete(r.calls, i, i+1)
				break
			}
		}
		r.mu.Unlock()
		if v == nil {
			return
		}
		if _, ours := v.(*fault); ours {
			panic(v)
		}
		panic(&fault{Panicked, fmt.Sprintf("%s panicked: %v\n%s", what, v, subjectFrames(debug.Stack()))})
	}()
	f()
}

// outstanding is the longest call of the subject that is under way, as far as it
// has been seen.
func (r *Run) outstanding() (what string, since time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for i := range r.calls {
		c := &r.calls[i]
		if c.seen.IsZero() {
			c.seen = now
		}
		if d := now.Sub(c.seen); d > since {
			what, since = c.what, d
		}
	}
	return what, since
}

// subjectFrames shortens a stack to the frames between the panic and the suite.
func subjectFrames(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") {
			lines = lines[i+2:]
			break
		}
	}
	for i, l := range lines {
		if strings.Contains(l, "spec.(*Run).try") {
			lines = lines[:i]
			break
		}
	}
	return strings.TrimSpace(strings.Join(lines[:min(len(lines), 8)], "\n"))
}
