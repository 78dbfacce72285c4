//go:build !mutants

package policies

import (
	"context"
	"errors"
	"slices"
)

// Retry is Do, up to so many times until the function succeeds, each time at a
// server that has not had the request. Every attempt is a lease of its own, and
// its outcome goes to the server that served it. Retry stops when the context is
// done or no server is left. It returns nil or what the last attempt said,
// together with ErrNoServer if it was for want of a server that it stopped.
func (b *Balancer) Retry(ctx context.Context, q Request, attempts int, call func(context.Context, Server) error) error {
	q.Tried = slices.Clone(q.Tried)
	var last error
	for range max(attempts, 1) {
		called := false
		err := b.Do(ctx, q, func(ctx context.Context, s Server) error {
			called = true
			q.Tried = append(q.Tried, s.ID)
			return call(ctx, s)
		})
		if err == nil {
			return nil
		}
		if !called {
			return errors.Join(err, last)
		}
		last = err
	}
	return last
}
