package policies

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRetryGoesElsewhere(t *testing.T) {
	for name, p := range everyPolicy() {
		b := mustBalancer(t, p, Endpoints("a", "b", "c"))
		var seen []ServerID
		down := errors.New("down")
		call := func(_ context.Context, s Server) error { seen = append(seen, s.ID); return down }
		q := Request{Key: "k"}
		assert.Equal(t, down, b.Retry(background, q, 2, call))
		assert.Len(t, seen, 2)
		seen = nil
		err := b.Retry(background, q, 5, call)
		assert.ErrorIs(t, err, down, name)
		assert.ErrorIs(t, err, ErrNoServer, name)
		assert.ElementsMatch(t, []ServerID{0, 1, 2}, seen, name)
		assert.Zero(t, b.Open())
		assert.Nil(t, q.Tried)
	}
}

func TestRetryStopsWhenItShould(t *testing.T) {
	b := mustBalancer(t, Random{}, Endpoints("a", "b", "c"))
	calls := 0
	assert.NoError(t, b.Retry(background, Request{}, 3, func(context.Context, Server) error {
		if calls++; calls == 2 {
			return nil
		}
		return errors.New("once")
	}))
	assert.Equal(t, 2, calls)

	ctx, cancel := context.WithCancel(background)
	calls = 0
	err := b.Retry(ctx, Request{}, 3, func(context.Context, Server) error { calls++; cancel(); return errors.New("off") })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, calls)
	calls = 0
	assert.Error(t, b.Retry(background, Request{}, 0, func(context.Context, Server) error { calls++; return errors.New("no") }))
	assert.Equal(t, 1, calls, "a request is asked for once at least")
}

// The outcome of each attempt is told of the server that served it.
func TestRetryCreditsTheServerOfEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := map[ServerID]bool{}
		b := mustBalancer(t, odd{
			pick:    func(Request, View, Coins) int { return 0 },
			observe: func(id ServerID, o Outcome) { failed[id] = o.Failed },
		}, Endpoints("a", "b", "c"))
		require.NoError(t, b.Retry(background, Request{}, 3, func(_ context.Context, s Server) error {
			if s.Name == "c" {
				return nil
			}
			return errors.New(s.Name)
		}))
		assert.Equal(t, map[ServerID]bool{0: true, 1: true, 2: false}, failed)
	})
}
