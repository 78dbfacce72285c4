package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress is a line on a terminal that tells how far a number of tasks have
// come. It costs little when it is told often, and is nil, which says nothing,
// where there is no terminal.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	doing string
	done  []float64 // of each task, 0 to 1
	next  time.Time // when to write again
}

// newProgress writes nothing in the first half second.
func newProgress(f *os.File, doing string, tasks int) *progress {
	if !isTerminal(f) {
		return nil
	}
	return &progress{out: f, doing: doing, done: make([]float64, tasks), next: time.Now().Add(500 * time.Millisecond)}
}

// report tells how much of a task is done.
func (p *progress) report(task int, done float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done[task] = min(1, done)
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(100 * time.Millisecond)
	sum := 0.0
	for _, d := range p.done {
		sum += d
	}
	fmt.Fprintf(p.out, "\r\033[K%s %.0f%%", p.doing, 100*sum/float64(len(p.done)))
}

// clear takes the line away.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.out, "\r\033[K")
}
