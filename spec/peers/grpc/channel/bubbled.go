package channel

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/balancer"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

// A Bubbled channel lives in a bubble, for balancers that connect in goroutines
// of their own or look at the clock.
type Bubbled struct {
	Bubble  *peers.Bubble
	Channel *Channel
}

// InBubble is the factory of a Bubbled channel.
func InBubble(name, config string) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		b := &Bubbled{Bubble: peers.NewBubble()}
		var err error
		b.Bubble.Do(func() { b.Channel, err = New(name, config, f.Servers) })
		return b, err
	}
}

// Update resolves the name anew.
func (b *Bubbled) Update(fleet []spec.Server) (err error) {
	b.Bubble.Do(func() { err = b.Channel.Update(fleet) })
	return err
}

// Pick waits for a connection where there is none yet, as a client does.
func (b *Bubbled) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	var id spec.ServerID
	var done func(spec.Outcome) error
	var err error
	const patience = 10 // connections come at once, one after another
	for range patience {
		b.Bubble.Do(func() { id, done, err = b.Channel.Pick(ctx, q) })
		if !errors.Is(err, balancer.ErrNoSubConnAvailable) {
			break
		}
		b.settle()
	}
	if err != nil {
		return 0, nil, err
	}
	return id, func(o spec.Outcome) (err error) {
		b.Bubble.Do(func() { err = done(o) })
		return err
	}, nil
}

// settle lets the balancer's goroutines come to rest and delivers what they
// asked for.
func (b *Bubbled) settle() {
	b.Bubble.Sleep(time.Millisecond)
	b.Bubble.Do(b.Channel.deliver)
}
