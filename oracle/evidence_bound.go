//go:build !mutants

package oracle

import "math"

// Bound says how far the true law can be from the claim: at every view seen, the
// total variation between them, averaged over the picks of that view, is at most
// Bound, with confidence 1-alpha, whenever one stops. For a law with memory it is
// the conditional probabilities that are compared. Bound is 1 when nothing was
// observed, and after a forbidden pick. With AnyTie it is about groups.
//
// The j-th view gets a = alpha/(j(j+1)), which adds up to alpha, and divides it
// among the bounds on two kinds of picks. Strays make every pick one of the
// second kind, with all groups possible, and blur the law that is seen by the
// contamination at most.
//
// Certain picks, for which the claim allows one group only: the product of
// 1/(1 - P(any other)) over such picks is, until another group is picked, a
// martingale. While all goes as claimed it stays below 1/a except with
// probability a, so that the mean of P(any other) is at most
//
//	1 - a^(1/t)
//
// after t of them, the geometric mean being below the arithmetic mean.
//
// Open picks: let the claim allow k groups, and let F be the groups that it never
// allows. Total variation is the largest difference of the laws on a set that
// contains F. F alone is bounded like the above. For another set A and t picks,
// let N be the picks in A and S = N - (sum of the true conditional
// probabilities of A). By Hoeffding's lemma exp(x S - x²t/8) is a
// supermartingale for every x, and so is its average over x ~ Normal(0, 4/m),
//
//	sqrt(m/(m+t)) exp(2 S²/(m+t))            (Robbins 1970)
//
// and the average of that over the 2^k-2 sets that hold F and some of the
// k groups, but not all. By Ville the latter never exceeds 1/a except with
// probability a, so that all these sets at all times satisfy
//
//	|S|/t <= sqrt((m+t)/2 · (ln((2^k-2)/a) + ln(1+t/m)/2)) / t  =: radius.
//
// The distance of the laws is at most that of frequencies and claim, plus the
// radius.
func (e *Evidence) Bound() float64 {
	if e.picks == 0 {
		return 1
	}
	bound := 0.0
	for _, v := range e.views {
		bound = max(bound, v.bound(share(e.audit.Alpha, v.order)))
	}
	return min(bound+e.audit.Contamination, 1)
}

// Acquitted reports whether the claim is not convicted and the true law is
// within delta of it: see Bound.
func (e *Evidence) Acquitted(delta float64) bool { return !e.convicted && e.Bound() <= delta }

// share is the part of alpha that belongs to the j-th view.
func share(alpha float64, j int) float64 { return alpha / float64(j*(j+1)) }

func (v *view) bound(alpha float64) float64 {
	switch {
	case len(v.groups) == 1:
		return 0
	case v.forbidden && !v.strays:
		return 1
	}
	allowed := possible(v.claimed)
	if v.strays {
		allowed = len(v.groups)
	}
	open, distance := v.picks-v.certain, 0.0
	for g, p := range v.claimed {
		distance += math.Abs(float64(v.open[g])-p) / 2 / float64(max(open, 1))
	}
	return within(v.certain, open, allowed, distance, alpha)
}

// within is the bound for picks of both kinds, given the distance between claim
// and frequencies over the open ones.
func within(certain, open, allowed int, distance, alpha float64) float64 {
	bound := 0.0
	if certain > 0 {
		bound += float64(certain) * unseen(certain, alpha/2)
	}
	if open > 0 {
		bound += float64(open) * min(1, max(distance+radius(allowed, open, alpha/4), unseen(open, alpha/4)))
	}
	return bound / float64(certain+open)
}

// unseen is 1 - alpha^(1/t): how likely something can be on average that did not
// happen in t picks.
func unseen(t int, alpha float64) float64 { return -math.Expm1(math.Log(alpha) / float64(t)) }

// robbins is the m of Bound. Any value is valid; the radius is smallest for t
// near m times twice the logarithm in it, and grows slowly beyond.
const robbins = 64.0

// radius is the largest deviation of Bound after t picks among k groups.
func radius(k, t int, alpha float64) float64 {
	n := float64(t)
	return math.Sqrt((robbins+n)/2*(logSets(k)-math.Log(alpha)+math.Log1p(n/robbins)/2)) / n
}

// logSets is ln(2^k - 2) for k at least 2.
func logSets(k int) float64 {
	return math.Ln2 + float64(k-1)*math.Ln2 + math.Log(-math.Expm1(-float64(k-1)*math.Ln2))
}
