//go:build !mutants

package queue

import (
	"container/heap"

	"github.com/picklaw/picklaw/policies"
)

// outcomes are the ends of requests that their dispatchers have still to be
// told of, the earliest first and the lower number first among equals.
type outcomes struct{ pending jobHeap }

// add schedules the end of a request; the end of a lost one is its arrival.
func (o *outcomes) add(j Job) {
	if j.Lost {
		j.Finish = j.Arrival
	}
	heap.Push(&o.pending, j)
}

// deliver tells the policies what ended up to now.
func (o *outcomes) deliver(now float64, to []dispatcher) {
	for len(o.pending) > 0 && o.pending[0].Finish <= now {
		j := heap.Pop(&o.pending).(Job)
		to[j.Dispatcher].learner.Observe(policies.ServerID(j.Server), policies.Outcome{
			At:      seconds(j.Finish),
			Latency: seconds(j.Finish - j.Arrival),
			Failed:  j.Lost,
		})
	}
}

type jobHeap []Job

func (h jobHeap) Len() int { return len(h) }
func (h jobHeap) Less(i, j int) bool {
	if h[i].Finish != h[j].Finish {
		return h[i].Finish < h[j].Finish
	}
	return h[i].Number < h[j].Number
}
func (h jobHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *jobHeap) Push(x any)   { *h = append(*h, x.(Job)) }
func (h *jobHeap) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	*h = (*h)[:last]
	return j
}
