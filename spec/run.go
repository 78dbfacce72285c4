package spec

import (
	"fmt"
	"io"
	"runtime/debug"
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

	bubble func(func()) // nil: there is none

	mu      sync.Mutex
	calls   map[int]call // of the subject, under way
	next    int
	closers []io.Closer
}

type call struct {
	what  string
	start time.Time
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
	if r.calls == nil {
		r.calls = make(map[int]call)
	}
	id := r.next
	r.next++
	r.calls[id] = call{what, time.Now()}
	r.mu.Unlock()
	defer func() {
		v := recover()
		r.mu.Lock()
		delete(r.calls, id)
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

// outstanding is the longest call of the subject that is under way.
func (r *Run) outstanding() (what string, since time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		if d := time.Since(c.start); d > since {
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
