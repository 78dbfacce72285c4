package oracle

import (
	"fmt"
	"math"
)

// Bound says how far the true law can be from the claim: at every view seen,
// the total variation between them is at most Bound, with confidence 1-alpha,
// whenever one stops. For a law with memory the statement is about its
// conditional probabilities averaged over the picks. It is 1 when nothing was
// observed. With AnyTie the distance is between the probabilities of groups.
//
// For a set A of groups and the t picks of a view let N be the picks in A and S =
// N - (sum of the true conditional probabilities of A). By Hoeffding's lemma
// exp(x S - x²t/8) is a supermartingale for every x, and so is its average over
// x ~ Normal(0, 4/m),
//
//	sqrt(m/(m+t)) exp(2 S²/(m+t))            (Robbins 1970)
//
// and the average of that over the 2^(k-1)-1 ways to split k groups in A and the
// rest, for which S² is the same. By Ville the latter never exceeds 1/a except
// with probability a, so that all A at all times satisfy
//
//	|S|/t <= sqrt((m+t)/2 · (ln((2^(k-1)-1)/a) + ln(1+t/m)/2)) / t  =: radius.
//
// The total variation of two laws is their largest difference on any A, hence at
// most that of frequencies and claim, plus the radius. The j-th view gets a =
// alpha/(j(j+1)), which adds up to alpha. Strays blur the law that is seen by the
// contamination at most.
func (e *Evidence) Bound() float64 {
	bound := 0.0
	for _, v := range e.views {
		bound = max(bound, v.distance()+radius(len(v.groups), v.picks, v.share(e.audit.Alpha)))
	}
	if e.picks == 0 {
		return 1
	}
	return min(bound+e.audit.Contamination, 1)
}

// Acquitted reports whether the claim is not convicted and the true law is
// within delta of it: see Bound.
func (e *Evidence) Acquitted(delta float64) bool { return !e.convicted && e.Bound() <= delta }

// share is the part of alpha that belongs to the view.
func (v *view) share(alpha float64) float64 { return alpha / float64(v.order*(v.order+1)) }

// distance is the total variation between frequencies and claim.
func (v *view) distance() float64 {
	picked := make([]int, len(v.groups))
	for i, count := range v.counts {
		picked[v.groupOf[i]] += count
	}
	sum := 0.0
	for g, p := range v.claimed {
		sum += math.Abs(float64(picked[g]) - p)
	}
	return sum / 2 / float64(max(v.picks, 1))
}

// robbins is the m of Bound. Any value is valid; the radius is smallest for t
// near m times twice the logarithm in it, and grows slowly beyond.
const robbins = 64.0

// radius is the largest deviation of Bound after t picks among k groups.
func radius(k, t int, alpha float64) float64 {
	if k < 2 {
		return 0
	}
	if t == 0 {
		return 1
	}
	n := float64(t)
	return math.Sqrt((robbins+n)/2*(logSplits(k)-math.Log(alpha)+math.Log1p(n/robbins)/2)) / n
}

// logSplits is ln(2^(k-1) - 1) for k at least 2.
func logSplits(k int) float64 {
	whole := float64(k-1) * math.Ln2
	return whole + math.Log(-math.Expm1(-whole))
}

// PicksFor is the number of picks to take at each of the states so that a
// balancer that keeps its claim is Acquitted(delta), except with probability
// alpha that it is convicted and probability beta that the bound does not get
// there.
//
// The frequencies of an honest balancer are within x of its claim on every A,
// except with probability (2^k-2) exp(-2 t x²) (Azuma 1967), and beta is divided
// evenly among the states; strays add the contamination. So t is the smallest
// with contamination·2 + x + radius <= delta. It fails when a parameter is out
// of range, a state is not valid, or no number of picks is enough.
func (a Audit) PicksFor(states []State, delta, beta float64) (int, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if !(beta > 0 && beta < 1) {
		return 0, fmt.Errorf("oracle: beta is %v, want a probability in (0, 1)", beta)
	}
	if !(delta > 2*a.Contamination && delta <= 1) {
		return 0, fmt.Errorf("oracle: delta is %v, want more than %v, twice the contamination, and at most 1", delta, 2*a.Contamination)
	}
	if len(states) == 0 {
		return 0, fmt.Errorf("oracle: no state to take picks at, want at least one")
	}
	groups := 0
	for _, s := range states {
		if err := s.Validate(); err != nil {
			return 0, err
		}
		groups = max(groups, len(a.groups(s)))
	}
	last := view{order: len(states)} // the view with the least share
	enough := func(t int) bool {
		honest := 0.0
		if groups > 1 {
			honest = math.Sqrt((math.Ln2 + logSplits(groups) - math.Log(beta/float64(len(states)))) / (2 * float64(t)))
		}
		return 2*a.Contamination+honest+radius(groups, t, last.share(a.Alpha)) <= delta
	}
	high := 1
	for !enough(high) {
		if high > 1<<50 {
			return 0, fmt.Errorf("oracle: delta is %v, which would take more than 2^50 picks; want a larger one", delta)
		}
		high *= 2
	}
	low := high / 2 // not enough, unless high is 1
	for high-low > 1 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, nil
}
