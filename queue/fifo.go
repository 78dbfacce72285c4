//go:build !mutants

package queue

import "math"

// fifo is a first-come first-served server. It knows when it will be free and
// when each of its jobs will finish, so nothing has to happen at a departure:
// finished jobs are dropped when somebody looks (lazily). A job with work w
// accepted at time t finishes at
//
//	max(t, free) + w/speed
//
// and is in the system at time t as long as it finishes strictly after t. With
// several slots a job goes to the slot that is free first, the lowest on ties.
type fifo struct {
	busy  departures
	free  float64   // when the only slot is free
	slots []float64 // when each slot is free; nil for a single one
	speed float64   // work per unit of time
}

func newFIFO(speed float64, slots int) fifo {
	f := fifo{speed: speed}
	if slots > 1 {
		f.slots = make([]float64, slots)
	}
	return f
}

// inSystem is the number of jobs at time now, which must not run backwards.
func (f *fifo) inSystem(now float64) int {
	f.busy.retire(now)
	return f.busy.len()
}

// workLeft is the time that a single-slot server needs to finish what it has,
// or with several slots the mean of that time over its slots.
func (f *fifo) workLeft(now float64) float64 {
	if f.slots == nil {
		return max(0, f.free-now)
	}
	sum := 0.0
	for _, free := range f.slots {
		sum += max(0, free-now)
	}
	return sum / float64(len(f.slots))
}

// accept takes a job with work w and returns when it starts and finishes.
func (f *fifo) accept(now, w float64) (start, finish float64) {
	if f.slots == nil {
		start = max(now, f.free)
		finish = start + w/f.speed
		f.free = finish
		f.busy.push(finish)
		return start, finish
	}
	first, free := 0, math.Inf(1)
	for i, at := range f.slots {
		if at < free {
			first, free = i, at
		}
	}
	start = max(now, free)
	finish = start + w/f.speed
	f.slots[first] = finish
	f.busy.insert(finish)
	return start, finish
}

// departures is an ascending queue of finish times in a ring.
type departures struct {
	next       float64   // the first of them, which decides most questions without the ring
	head, tail uint      // counters; tail-head jobs are in the ring
	ring       []float64 // length 0 or a power of two
}

func (d *departures) len() int { return int(d.tail - d.head) }

func (d *departures) at(i uint) *float64 { return &d.ring[i&uint(len(d.ring)-1)] }

// retire drops the times up to now.
func (d *departures) retire(now float64) {
	if d.head != d.tail && d.next <= now {
		d.drop(now)
	}
}

func (d *departures) drop(now float64) {
	for d.head != d.tail {
		if d.next = *d.at(d.head); d.next > now {
			return
		}
		d.head++
	}
}

// after counts the times later than now and drops none.
func (d *departures) after(now float64) int {
	i := d.head
	for i != d.tail && *d.at(i) <= now {
		i++
	}
	return int(d.tail - i)
}

// push adds a time that is not earlier than any other.
func (d *departures) push(finish float64) {
	if d.len() == len(d.ring) {
		d.grow()
	}
	if d.head == d.tail {
		d.next = finish
	}
	*d.at(d.tail) = finish
	d.tail++
}

// insert adds a time wherever it belongs.
func (d *departures) insert(finish float64) {
	d.push(finish)
	for i := d.tail - 1; i != d.head && *d.at(i - 1) > finish; i-- {
		*d.at(i) = *d.at(i - 1)
		*d.at(i - 1) = finish
	}
	d.next = *d.at(d.head)
}

func (d *departures) grow() {
	ring := make([]float64, max(8, 2*len(d.ring)))
	n := uint(d.len())
	for i := range n {
		ring[i] = *d.at(d.head + i)
	}
	d.ring, d.head, d.tail = ring, 0, n
}
