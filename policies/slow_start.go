//go:build !mutants

package policies

import "time"

// SlowStart brings a server up gently that has joined a running fleet or comes
// back from an ejection: for a Window, the policy sees it at a pick only with a
// probability that grows from Floor percent to 1, in proportion to the time. That
// works with any policy. When everybody else is out of sight, it is shown.
//
// The fleet that a Balancer begins with needs no warming up.
type SlowStart struct {
	Window time.Duration // 0: none
	Floor  int           // percent
}

// Check says what is wrong with the parameters.
func (s SlowStart) Check() error {
	return firstError(checkD("SlowStart.Window", int(s.Window), 0), checkPercent("SlowStart.Floor", s.Floor))
}

// WithSlowStart makes a Balancer bring servers up gently.
func WithSlowStart(s SlowStart) Option { return func(b *Balancer) { b.slow = s } }

// odds are those of showing and of hiding a server after a time in service.
func (s SlowStart) odds(service time.Duration) [2]uint64 {
	shown := max(service, s.Window/100*time.Duration(s.Floor), 0)
	return [2]uint64{uint64(shown), uint64(max(s.Window-shown, 0))}
}

// thin hides some of the servers in view that are still warming up, but not all
// that there are.
func (b *Balancer) thin() {
	if b.view.now >= b.warm {
		return
	}
	b.shown = b.shown[:0]
	for _, m := range b.view.servers {
		if service := b.view.now - m.since; service < b.slow.Window && !m.ejected {
			b.odds = b.slow.odds(service)
			if b.coins.Weighted(b.odds[:]) == 1 {
				continue
			}
		}
		b.shown = append(b.shown, m)
	}
	if len(b.shown) > 0 {
		b.view.servers = b.shown
	}
}
