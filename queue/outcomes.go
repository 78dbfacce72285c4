//go:build !mutants

package queue

import "github.com/picklaw/picklaw/policies"

// outcomes are the ends of requests that their dispatchers have still to be
// told of, the earliest first and the lower number first among equals. They are a
// binary heap (Williams 1964): no entry is before its parent. The standard
// library's would allocate for every request.
type outcomes []Job

// add schedules the end of a request; the end of a lost one is its arrival.
func (o *outcomes) add(j Job) {
	if j.Lost {
		j.Finish = j.Arrival
	}
	*o = append(*o, j)
	h := *o
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].endsBefore(&h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// deliver tells the policies what ended up to now.
func (o *outcomes) deliver(now float64, to []dispatcher) {
	for len(*o) > 0 && (*o)[0].Finish <= now {
		j := o.first()
		to[j.Dispatcher].learner.Observe(policies.ServerID(j.Server), policies.Outcome{
			At:      seconds(j.Finish),
			Latency: seconds(j.Finish - j.Arrival),
			Failed:  j.Lost,
		})
	}
}

// first takes the earliest end out.
func (o *outcomes) first() Job {
	h := *o
	j, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*o = h
	for i := 0; ; {
		child := 2*i + 1
		if right := child + 1; right < len(h) && h[right].endsBefore(&h[child]) {
			child = right
		}
		if child >= len(h) || !h[child].endsBefore(&h[i]) {
			return j
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (j *Job) endsBefore(k *Job) bool {
	if j.Finish != k.Finish {
		return j.Finish < k.Finish
	}
	return j.Number < k.Number
}
