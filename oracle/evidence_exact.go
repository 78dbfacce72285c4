package oracle

import (
	"fmt"
	"math"
)

// The tests here are for independent replications whose law is known exactly.
// Each returns a two-sided p-value: while the null holds it is at most a with
// probability at most a, for every a. It is twice the smaller tail, so it means
// something at 1e-12 as well, where a normal approximation does not.

// BinomialTest judges k successes in n independent trials of probability p
// (Clopper and Pearson 1934).
//
// The point probabilities are those of Loader (2000); the tails add them up from
// the point outwards, all terms positive. The relative error is below 1e-15
// times |k-np| plus the number of terms added, about 10·sqrt(n) at most.
func BinomialTest(k, n int, p float64) (float64, error) {
	if err := checkBinomial(k, n); err != nil {
		return 0, err
	}
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("oracle: the probability of a success is %v, want 0 to 1", p)
	}
	return twoSided(binomialTails(k, n, p)), nil
}

// BinomialInterval holds the probability of a success with confidence 1-alpha,
// after k successes in n independent trials: all p that BinomialTest does not
// reject at alpha.
func BinomialInterval(k, n int, alpha float64) (low, high float64, err error) {
	if err := checkBinomial(k, n); err != nil {
		return 0, 0, err
	}
	if !(alpha > 0 && alpha < 1) {
		return 0, 0, fmt.Errorf("oracle: alpha is %v, want a probability in (0, 1)", alpha)
	}
	low, high = 0, 1
	if k > 0 {
		low, _ = bisect(func(p float64) bool { _, upper := binomialTails(k, n, p); return upper > alpha/2 })
	}
	if k < n {
		_, high = bisect(func(p float64) bool { lower, _ := binomialTails(k, n, p); return lower <= alpha/2 })
	}
	return low, high, nil
}

func checkBinomial(k, n int) error {
	if n < 0 || k < 0 || k > n {
		return fmt.Errorf("oracle: %d successes in %d trials, want 0 <= successes <= trials", k, n)
	}
	return nil
}

// bisect encloses the point of [0, 1] where a monotone condition becomes true,
// as closely as floating point has it.
func bisect(becomes func(float64) bool) (before, after float64) {
	before, after = 0, 1
	for {
		mid := before + (after-before)/2
		if mid <= before || mid >= after {
			return before, after
		}
		if becomes(mid) {
			after = mid
		} else {
			before = mid
		}
	}
}

// ExponentialSumTest judges the sum of n independent exponential variables of
// the given mean. The sum is Gamma(n), and exceeds s exactly when a Poisson
// process of that pace has at most n-1 points in s. The relative error is that
// of BinomialTest, with |n - sum/mean| for the distance.
func ExponentialSumTest(sum float64, n int, mean float64) (float64, error) {
	if n < 1 {
		return 0, fmt.Errorf("oracle: a sum of %d exponential variables, want at least 1", n)
	}
	if !(mean > 0) || math.IsInf(mean, 1) {
		return 0, fmt.Errorf("oracle: the mean of an exponential variable is %v, want a positive number", mean)
	}
	if !(sum >= 0) || math.IsInf(sum, 1) {
		return 0, fmt.Errorf("oracle: the sum of exponential variables is %v, want a number that is not negative", sum)
	}
	atMost, _ := poissonTails(n-1, sum/mean)
	_, atLeast := poissonTails(n, sum/mean)
	return twoSided(atLeast, atMost), nil
}

// GeometricSumTest judges the sum of n independent geometric variables with
// P(k) = (1-p) p^k, such as the jobs found by n probes of M/M/1 at utilization
// p. A sum of at most s means at least n failures in n+s trials.
func GeometricSumTest(sum, n int, p float64) (float64, error) {
	if n < 1 || sum < 0 {
		return 0, fmt.Errorf("oracle: %d is the sum of %d geometric variables, want at least 0 and at least 1", sum, n)
	}
	if !(p >= 0 && p < 1) {
		return 0, fmt.Errorf("oracle: the parameter of a geometric variable is %v, want at least 0 and below 1", p)
	}
	// Successes are counted: at most s of them before the n-th failure.
	_, atMost := binomialTails(n, n+sum, 1-p)
	atLeast := 1.0
	if sum > 0 {
		atLeast, _ = binomialTails(n-1, n+sum-1, 1-p)
	}
	return twoSided(atMost, atLeast), nil
}

func twoSided(lower, upper float64) float64 { return min(1, 2*min(lower, upper)) }

// MultinomialNats is the evidence of independent draws, counted, against a law:
// the logarithm of a fair bet that mixes all laws (Dirichlet(1/2)). Exp(-nats)
// is a valid p-value, and the evidence of independent experiments adds up. It is
// +Inf when the law forbids what was drawn. Probabilities add up to 1 within
// rounding. The error is below 1e-15·n·ln n for n draws.
func MultinomialNats(counts []int, law []float64) (float64, error) {
	if len(counts) != len(law) || len(law) == 0 {
		return 0, fmt.Errorf("oracle: %d counts for a law with %d outcomes, want the same number, at least 1", len(counts), len(law))
	}
	sum, n, k, nats := 0.0, 0, 0, 0.0
	forbidden := false
	half, _ := math.Lgamma(0.5)
	for i, p := range law {
		if !(p >= 0 && p <= 1) || counts[i] < 0 {
			return 0, fmt.Errorf("oracle: outcome %d has probability %v and count %d, want 0 to 1 and at least 0", i, p, counts[i])
		}
		sum += p
		n += counts[i]
		if p == 0 {
			forbidden = forbidden || counts[i] > 0
			continue
		}
		k++
		g, _ := math.Lgamma(float64(counts[i]) + 0.5)
		nats += g - half - float64(counts[i])*math.Log(p)
	}
	if tolerance := 1e-15 * float64(len(law)+1); math.Abs(sum-1) > tolerance {
		return 0, fmt.Errorf("oracle: the probabilities add up to %v, want 1", sum)
	}
	if forbidden {
		return math.Inf(1), nil
	}
	before, _ := math.Lgamma(float64(k) / 2)
	after, _ := math.Lgamma(float64(n) + float64(k)/2)
	return nats + before - after, nil
}
