// Package oracle holds what is true of load balancing from mathematics alone:
// pick laws, queueing formulas, limits, and the judgement of evidence. It never
// sees code under test, so it cannot inherit its bugs.
//
// # Pick laws
//
// A law says with which probability each server is picked in a state, as exact
// rationals:
//
//	Probabilities(State) ([]*big.Rat, error)
//
// Each is counted from ranks and groups of ties. Power of d, for instance, picks
// one of g equally loaded servers, b others being lighter, with probability
//
//	[C(n-b, d) - C(n-b-g, d)] / C(n, d).
//
// The smallest example:
//
//	law, err := oracle.ParseLaw("power-of-d:2")
//	p, err := law.Probabilities(oracle.State{Loads: []float64{0, 1, 2}}) // 2/3 1/3 0
//
// # Evidence
//
// Evidence bets against a claimed law p, pick by pick. Before each pick it
// predicts with a mixture q of the other known laws and of predictors that
// learn, and its wealth is multiplied by q(pick)/p(pick). While the claim holds
// the wealth is not expected to grow, so that
//
//	P(the wealth ever reaches 1/alpha) <= alpha        (Ville 1939)
//
// and one may look after every pick. Whoever does not keep the claim is
// convicted after little more than LimitPicks, which no sequential test beats on
// average; what is little is measured by package oracle/calibrate. Who is not
// convicted is not thereby acquitted: Bound says how far from the claim the law
// can still be, and PicksFor how many picks make that bound small. Sample sizes
// are never typed: they follow from alpha, from the probability beta of an
// honest balancer being left undecided, and from the distance delta that matters;
// SplitAlpha divides alpha and beta alike.
//
// Where replications are independent and exact in law, use the exact tests:
// BinomialTest, ExponentialSumTest, GeometricSumTest, MultinomialNats.
//
// # Questions
//
// Everything that has a name can be asked by it: see Catalog, and
//
//	picklaw oracle pick-law policy=power-of-d:2 loads=0,1,2
//
// An Answer says for each value how far it can be from the truth.
//
// Index by kind:
//
//	chance alone      Random, WeightedRandom, EnvoyWeighted
//	in flight         LeastRequest, LowestIndex, WeightedLeastRequest
//	samples           PowerOfD, HeavierOfD, TwoLightest
//	rotations         RoundRobin, SmoothWeighted, WeightedRoundRobin
//	keys              Remap
//	queues            MM1, MMC, ErlangB, MG1, EKM1, GG1, MM1B, Drift
//	limits            MeanField, RefinedMeanField, StaleBoard, BallsFluid (limits.md says how wrong they are)
//	counting          BallsInBins, Blast, ViralKey, LatencyBoundary
//	about laws        ParseLaw, Spellings, KnownLaws, WeightedLaws, Fits
//	evidence          Audit, Evidence, Standing, Views, SplitAlpha, Stream
//	exact tests       BinomialTest, BinomialInterval, ExponentialSumTest, GeometricSumTest, MultinomialNats
//	questions         Catalog, Lookup, Answer
package oracle
