package main

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/balancer"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

// A bubbled channel lives in a bubble, for balancers that connect in goroutines
// of their own or look at the clock.
type bubbled struct {
	bubble  *peers.Bubble
	channel *channel
}

func inBubble(name, config string) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		b := &bubbled{bubble: peers.NewBubble()}
		var err error
		b.bubble.Do(func() { b.channel, err = newChannel(name, config, f.Servers) })
		return b, err
	}
}

func (b *bubbled) Update(fleet []spec.Server) (err error) {
	b.bubble.Do(func() { err = b.channel.Update(fleet) })
	return err
}

// Pick waits for a connection where there is none yet, as a client does.
func (b *bubbled) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	var id spec.ServerID
	var done func(spec.Outcome) error
	var err error
	const patience = 10 // connections come at once, one after another
	for range patience {
		b.bubble.Do(func() { id, done, err = b.channel.Pick(ctx, q) })
		if !errors.Is(err, balancer.ErrNoSubConnAvailable) {
			break
		}
		b.settle()
	}
	if err != nil {
		return 0, nil, err
	}
	return id, func(o spec.Outcome) (err error) {
		b.bubble.Do(func() { err = done(o) })
		return err
	}, nil
}

// settle lets the balancer's goroutines come to rest and delivers what they
// asked for.
func (b *bubbled) settle() {
	b.bubble.Sleep(time.Millisecond)
	b.bubble.Do(b.channel.deliver)
}
