package spec

import (
	"fmt"
	"io"
	"slices"
)

// What follows serves adapters to subjects that are not Go code: programs that
// speak a protocol, proxies that are reached over a network.

// Fail ends the call of the subject that is under way with a finding, whatever
// was being checked. An adapter calls it, on the goroutine that called it, when
// the subject does something that no return value can say: it died, or wrote
// garbage. Outside of a check it panics.
func Fail(finding Finding, format string, args ...any) {
	panic(&fault{finding: finding, text: fmt.Sprintf(format, args...)})
}

// GiveUp ends the check that is under way without a verdict, because a bound of
// the adapter's own was reached: the property is undecided.
func GiveUp(format string, args ...any) {
	panic(&fault{finding: gaveUp, text: fmt.Sprintf(format, args...)})
}

// gaveUp marks a fault that is none of the subject's.
const gaveUp Finding = "gave up"

// FixedFleet says that the subject has a fleet of its own, which an audit can
// neither choose nor change: every check drives this one.
func FixedFleet(servers []Server) Option {
	return func(c *config) { c.fixed = slices.Clone(servers) }
}

// Contamination declares that a pick is a stray, which says nothing about the
// subject, with this probability at most, given all that happened before. A
// pick that the claim forbids then no longer convicts at once.
func Contamination(probability float64) Option {
	return func(c *config) { c.contamination = probability }
}

// Resolution coarsens the smallest wrongness, as a total variation between laws,
// that a statistical check must not miss, where its property asks for less: the
// number of picks falls with its square. A conviction is as certain as before.
func Resolution(delta float64) Option {
	return func(c *config) { c.resolution = delta }
}

// HoldsAtMost says that the transport between audit and subject cannot hold more
// requests in flight at a server: no state with more is asked for.
func HoldsAtMost(requests int) Option {
	if requests < 1 {
		panic(fmt.Sprintf("spec: HoldsAtMost(%d), want at least 1", requests))
	}
	return func(c *config) { c.holds = requests }
}

// needsFleets is the result of a check that cannot be made on a FixedFleet.
var needsFleets = Result{Verdict: NotClaimed, Observed: "its fleet is fixed"}

// servers is a fleet of n servers, or the only one that the subject has.
func (r *Run) servers(n int) []Server {
	if r.fixed != nil {
		return r.fixed
	}
	return fleetOf(n)
}

// sizes are the sizes of fleet that can be tried, of those wanted.
func (r *Run) sizes(wanted ...int) []int {
	if r.fixed != nil {
		return []int{len(r.fixed)}
	}
	return wanted
}

// keep lets the resources of a balancer be freed at the end of the check.
func (r *Run) keep(p Picker) {
	if c, ok := p.(io.Closer); ok {
		r.mu.Lock()
		r.closers = append(r.closers, c)
		r.mu.Unlock()
	}
}

// close frees the balancers that the check built.
func (r *Run) close() {
	r.mu.Lock()
	all := r.closers
	r.closers = nil
	r.mu.Unlock()
	for _, c := range all {
		func() {
			defer func() {
				if v := recover(); v != nil {
					if _, ours := v.(*fault); !ours {
						panic(v)
					}
				}
			}()
			_ = c.Close() // the check is over; what a subject says now is no finding
		}()
	}
}

// fleetsTried words what sizes returned.
func (r *Run) fleetsTried(wanted string) string {
	if r.fixed != nil {
		return fmt.Sprintf("its %d servers", len(r.fixed))
	}
	return wanted
}

// ClaimsOf is what options claim.
func ClaimsOf(options ...Option) Claims { return newConfig(options).claims }
