// Package policies holds what is specified: the reference policies of request
// load balancing, one small file each, and the Balancer that leases servers
// out to concurrent callers.
//
// A policy is a rule for one pick:
//
//	Pick(Request, View, Coins) int
//
// The View shows the eligible servers with their loads and the time; Coins is
// the only source of chance. Because nothing else may influence a pick, the
// exact law of a policy can be computed by trying every outcome of its coins
// (queue.Enumerate), its performance by solving the Markov chain that its picks
// generate, and any run repeats itself from a seed.
//
// The smallest example, and the same in production:
//
//	view := &policies.Snapshot{Servers: policies.Fleet(3), Loads: []float64{4, 0, 2}}
//	i := policies.PowerOfD{D: 2}.Pick(policies.Request{}, view, policies.NewCoins(1))
//
//	b, err := policies.NewBalancer(policies.PowerOfD{D: 2}, policies.Endpoints("a", "b", "c"))
//	err = b.Do(ctx, policies.Request{}, func(ctx context.Context, s policies.Server) error { ... })
//
// Where practice differs, these are the choices of this specification:
//
//   - minima tie uniformly;
//   - power of d draws distinct servers; drawing with replacement is a law of
//     its own;
//   - a server whose load is unknown loses to every server whose load is known;
//   - a weight of zero makes a server ineligible;
//   - a rotation starts at a random phase and continues after its last pick
//     whatever happens to the fleet;
//   - weighted least request minimises (in flight + 1) / weight; Envoy's weighted
//     mode is a rotation, and a law of its own;
//   - the keys of a server that is not eligible go each to its own next choice;
//   - a request counts as in flight from the pick on;
//   - the cap on ejections rounds down, but one server may always be ejected;
//   - a server that warms up is shown at a growing part of the picks;
//   - a server never heard from is as fast as the prior says, and silence
//     decays an estimate towards that prior.
//
// Index by kind:
//
//	chance alone     Random, WeightedRandom
//	in flight        LeastRequest, PowerOfD, WeightedLeastRequest, Least
//	and errors       LingeringErrors
//	rotations        RoundRobin, SmoothWeighted, WeightedRoundRobin
//	and in flight    EnvoyWeighted
//	learned latency  PeakEWMA, EWMA, LeastTime
//	and verdicts     OverSuccess
//	keys             Ring, HashMod, Rendezvous, Maglev, Sticky
//	weights          LoadReport, WholeWeights
//	the object       Balancer, Lease; Outlier, SlowStart
package policies
