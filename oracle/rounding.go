package oracle

import "math"

// rounding bounds the absolute error of x after that many correctly rounded
// operations that do not cancel. Each multiplies the result by
// 1+e with |e| <= u = 2^-53; together they give at most n·u/(1-n·u) <= 2·n·u
// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1) as
// long as n·u <= 1/2. Elementary functions are good to an ulp, that is 2u, and
// count as two. What underflows is off by less than the last summand.
func rounding(x float64, operations int) float64 {
	return math.Abs(x)*float64(operations)*0x1p-52 + 0x1p-1000
}

// maxTails is the largest number of tail probabilities in an answer, and
// leastTail the size below which the list ends.
const (
	maxTails  = 64
	leastTail = 1e-12
)

// tailList lists tail(1), tail(2), ... until they no longer matter.
func tailList(tail func(k int) float64) []float64 {
	var list []float64
	for k := 1; k <= maxTails; k++ {
		p := tail(k)
		if p < leastTail {
			break
		}
		list = append(list, p)
	}
	return list
}
