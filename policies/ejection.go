//go:build !mutants

package policies

import (
	"math"
	"time"
)

// WithOutlier makes a Balancer eject servers by a rule.
func WithOutlier(o Outlier) Option { return func(b *Balancer) { b.outlier = &o } }

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// health is what a Balancer holds against a server.
type health struct {
	streak    int   // failures in a row
	tally     tally // of this interval
	ejections int   // that have not been made good
	ejected   bool
	until     time.Duration // end of the ejection
	since     time.Duration // in service: when it joined, or its last ejection ended
}

// judge takes a verdict into the health of a server. While it is ejected, what it
// was asked before does not count.
func (b *Balancer) judge(m *member, failed bool, now time.Duration) {
	if b.outlier == nil || m.ejected {
		return
	}
	if !failed {
		m.streak = 0
		m.tally.ok++
		return
	}
	m.streak++
	m.tally.failed++
	if b.outlier.Consecutive > 0 && m.streak >= b.outlier.Consecutive {
		b.eject(m, now)
	}
}

// eject takes a server out of the view, if the cap allows it.
func (b *Balancer) eject(m *member, now time.Duration) {
	ejected, n := b.takers()
	if !b.outlier.mayEject(ejected, n) {
		return
	}
	m.ejections = max(0, m.ejections-b.outlier.healed(now-m.since)) + 1
	m.ejected, m.until = true, now+b.outlier.length(m.ejections)
	m.streak, m.tally = 0, tally{}
	b.sortOut()
}

// advance does what has become due: ends ejections, and judges the interval that
// is over.
func (b *Balancer) advance(now time.Duration) {
	if now >= b.nextReturn {
		for _, m := range b.members {
			if m.ejected && now >= m.until {
				m.ejected, m.since = false, m.until
			}
		}
		b.sortOut()
	}
	if b.outlier != nil && now >= b.nextVerdict {
		b.nextVerdict = now - now%b.outlier.Interval + b.outlier.Interval
		tallies := make([]tally, len(b.members))
		for i, m := range b.members {
			tallies[i], m.tally = m.tally, tally{}
		}
		for _, i := range b.outlier.stragglers(tallies) {
			b.eject(b.members[i], now)
		}
	}
}

// takers counts the servers that take requests by their weights, and how many of
// them are ejected.
func (b *Balancer) takers() (ejected, n int) {
	for _, m := range b.members {
		if m.Weight > 0 {
			n++
			if m.ejected {
				ejected++
			}
		}
	}
	return ejected, n
}

// sortOut lists who is eligible until something changes.
func (b *Balancer) sortOut() {
	ejected, n := b.takers()
	panics := b.outlier != nil && b.outlier.panics(n-ejected, n)
	b.eligible, b.nextReturn, b.warm = b.eligible[:0], never, 0
	for _, m := range b.members {
		if m.ejected {
			b.nextReturn = min(b.nextReturn, m.until)
		}
		if m.Weight > 0 && (!m.ejected || panics) {
			b.eligible = append(b.eligible, m)
			b.warm = max(b.warm, m.since+b.slow.Window)
		}
	}
}

// Ejected returns the names of the servers that are ejected, in the order of
// their ids.
func (b *Balancer) Ejected() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(b.now())
	var names []string
	for _, m := range b.members {
		if m.ejected {
			names = append(names, m.Name)
		}
	}
	return names
}
