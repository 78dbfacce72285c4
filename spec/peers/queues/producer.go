package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/picklaw/picklaw/spec"
)

// A producer drives what chooses where a message goes. Servers are queues, or
// partitions, in their order; one of weight 0 is left out. A request without a
// key is a message without one.
type producer struct {
	// choose returns a position among as many queues.
	choose func(key string, open []spec.Server) (int, error)

	mu   sync.Mutex
	open []spec.Server
}

func newProducer(choose func(string, []spec.Server) (int, error), fleet []spec.Server) *producer {
	p := &producer{choose: choose}
	_ = p.Update(fleet)
	return p
}

func (p *producer) Update(fleet []spec.Server) error {
	var open []spec.Server
	for _, s := range fleet {
		if s.Weight > 0 {
			open = append(open, s)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = open
	return nil
}

func (p *producer) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	if len(open) == 0 {
		return 0, nil, errors.New("there is no queue") // as the producers themselves say
	}
	i, err := p.choose(q.Key, open)
	if err != nil {
		return 0, nil, err
	}
	if i < 0 || i >= len(open) {
		return 0, nil, fmt.Errorf("queue %d of %d", i, len(open))
	}
	return open[i].ID, func(spec.Outcome) error { return nil }, nil
}
