package spec

import (
	"fmt"
	"math"
)

// exactFillBudget compares the budget of filling up with the binomial law that
// it bounds, exactly: it must be enough, and not many times what would be.
func exactFillBudget(*Run) Result {
	const patience = 10 // Chernoff gives away a factor below 8 in these cases
	worst := 0.0
	for _, n := range []int{2, 3, 5, 7, 11} {
		for _, top := range []int{1, 2, 4, 6} {
			for _, beta := range []float64{1e-6, 1e-9, 1e-12} {
				share := 1 / float64(n)
				budget := fillBudget(n, top, share, beta)
				if p := fewSuccesses(budget, n*top, share); p > beta {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("probability %g at most", beta),
						Observed: fmt.Sprintf("%d picks fail to fill %d servers up to %d with probability %g", budget, n, top, p)}
				}
				need := 1
				for fewSuccesses(need, n*top, share) > beta {
					need += max(need/50, 1)
				}
				worst = max(worst, float64(budget)/float64(need))
			}
		}
	}
	if worst > patience {
		return Result{Verdict: Violated, Finding: Hung, Expected: fmt.Sprintf("%d times the picks that are enough, at most", patience),
			Observed: fmt.Sprintf("%.1f times as many", worst)}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("enough, and at most %.1f times what is", worst)}
}

// fewSuccesses is P(Binomial(trials, p) < k), term by term.
func fewSuccesses(trials, k int, p float64) float64 {
	sum := 0.0
	logTrials, _ := math.Lgamma(float64(trials + 1))
	for i := 0; i < k && i <= trials; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(trials - i + 1))
		sum += math.Exp(logTrials - a - b + float64(i)*math.Log(p) + float64(trials-i)*math.Log1p(-p))
	}
	return sum
}
