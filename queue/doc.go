// Package queue holds the worlds that a policy is run in, and the engines that
// run it. One policy, the same code, can be looked at in three ways here:
//
//   - [Enumerate] computes the exact law of one pick: it runs the policy once for
//     every outcome of its coins and adds up the probabilities, as rational
//     numbers. Nothing is sampled, so nothing can be a false alarm.
//   - [Solve] computes the exact performance of a small fleet: the transitions of
//     its Markov chain are the enumerated picks.
//   - [Simulate] runs any fleet: first-come first-served servers with speeds and
//     slots, any arrivals and work, views that are fresh, stale or local.
//
// Each engine is checked against another one and against package oracle; the
// simulator also against published experiments, to the digit ([Tables]).
//
// The rule of a server, on which everything rests: a job with work w that
// arrives at time t at a server of speed v that is free at time f finishes at
//
//	max(t, f) + w/v
//
// and is in the system until just before that.
//
// The smallest example:
//
//	view := &policies.Snapshot{Servers: policies.Fleet(3), Loads: []float64{0, 1, 2}}
//	picks, err := queue.Enumerate(policies.PowerOfD{D: 2}, policies.Request{}, view)
//	// picks.P is 2/3, 1/3, 0
package queue
