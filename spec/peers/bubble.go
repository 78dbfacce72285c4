package peers

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/verify"
)

// host is the test that bubbles belong to; package synctest wants one.
var host struct {
	sync.Mutex
	t *testing.T
}

// Host makes t the test that bubbles belong to. Main and Audit call it.
func Host(t *testing.T) {
	host.Lock()
	defer host.Unlock()
	host.t = t
}

// Main is verify.Main for subjects some of which live in bubbles: it runs
// inside a test of its own.
func Main(subjects ...spec.Subject) {
	args := os.Args
	os.Args = args[:1] // the rest is not for package testing
	testing.Main(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "peers", F: func(t *testing.T) {
			os.Args = args
			Host(t)
			verify.Main(subjects...)
		}}}, nil, nil)
}

// A Bubble is a world with a clock of its own, for peers that look at the time.
// The clock stands still except in Sleep. What is made inside stays inside.
type Bubble struct {
	calls chan call
}

type call struct {
	f      func()
	inline bool // on the bubble's first goroutine, which lets time pass
}

// NewBubble opens a bubble, which lasts as long as the process: the peers inside
// may leave goroutines and timers behind.
func NewBubble() *Bubble {
	host.Lock()
	t := host.t
	host.Unlock()
	if t == nil {
		panic("peers: NewBubble without a test to host it; call Host or Main first")
	}
	b := &Bubble{make(chan call)}
	// The channel is made outside. Waiting for it is not what synctest calls
	// durable, so no time passes meanwhile.
	go synctest.Test(t, func(*testing.T) {
		for c := range b.calls {
			if c.inline {
				c.f()
			} else {
				go c.f()
			}
		}
	})
	return b
}

// Do calls f inside and returns when it has returned. Calls may overlap. A panic
// is passed on to the caller, with the stack where it happened.
func (b *Bubble) Do(f func()) { b.call(f, false) }

// Sleep lets d pass on the clock inside, with all timers that go off in it.
func (b *Bubble) Sleep(d time.Duration) {
	b.call(func() {
		time.Sleep(d)
		synctest.Wait()
	}, true)
}

func (b *Bubble) call(f func(), inline bool) {
	failed := make(chan any, 1)
	b.calls <- call{func() {
		defer func() {
			if v := recover(); v != nil {
				failed <- fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
			close(failed)
		}()
		f()
	}, inline}
	if v := <-failed; v != nil {
		panic(v)
	}
}
