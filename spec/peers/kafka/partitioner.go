package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/picklaw/picklaw/spec"
)

// A partitioner drives what chooses a partition for a message. Servers are
// What an update does to rotations that do not know their last partition.
const (
	slotKept = "The rotation remembers a position in the list. When a partition that it has passed loses its leader, the others move up and the one that was next is passed over; when that partition comes back, one is written to twice in a row. " +
		"It is one message, or one batch, for each such change; but where a partition comes and goes all the time, the same neighbour may lose its turn each time."
	counterFolded = "The turn is a counter modulo the number of partitions. When that number changes, the rotation jumps to another place: a partition may get two messages in a row, and another wait for almost two rounds. " +
		"It is one jump for each change; a producer that writes little to a topic whose partitions lose and regain their leader often sees no rotation any more."
)

// partitions, in their order; one of weight 0 cannot be written to and is left
// out, as its producer does. A request without a key is a message without one.
type partitioner struct {
	// choose returns a position in the list of partitions.
	choose func(key []byte, open []spec.Server, inFlight []int) (int, error)

	alone sync.Mutex // held while choosing, where the producer holds a lock for each topic
	free  bool       // it may be called at once

	mu       sync.Mutex
	open     []spec.Server
	inFlight map[spec.ServerID]int
}

func partitions(fleet []spec.Server) []spec.Server {
	return slices.DeleteFunc(slices.Clone(fleet), func(s spec.Server) bool { return s.Weight == 0 })
}

// driven is the factory of a partitioner, which is free to be called at once or
// not. Each instance gets a new one.
func driven(free bool, build func() func([]byte, []spec.Server, []int) (int, error)) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		return &partitioner{choose: build(), free: free, open: partitions(f.Servers), inFlight: make(map[spec.ServerID]int)}, nil
	}
}

func (p *partitioner) Update(fleet []spec.Server) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = partitions(fleet)
	return nil
}

func (p *partitioner) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if !p.free {
		p.alone.Lock()
		defer p.alone.Unlock()
	}
	open, inFlight := p.view()
	if len(open) == 0 {
		return 0, nil, errors.New("no partition can be written to")
	}
	var key []byte
	if q.Key != "" {
		key = []byte(q.Key)
	}
	i, err := p.choose(key, open, inFlight)
	if err != nil {
		return 0, nil, err
	}
	if i < 0 || i >= len(open) {
		return 0, nil, fmt.Errorf("partition %d of %d", i, len(open))
	}
	id := open[i].ID
	p.count(id, 1)
	return id, func(spec.Outcome) error { p.count(id, -1); return nil }, nil
}

// view is what the producer shows: who is there, and what waits for each.
func (p *partitioner) view() (open []spec.Server, inFlight []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	inFlight = make([]int, len(p.open))
	for i, s := range p.open {
		inFlight[i] = p.inFlight[s.ID]
	}
	return p.open, inFlight
}

func (p *partitioner) count(id spec.ServerID, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight[id] += by
}
