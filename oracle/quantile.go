package oracle

import "math"

// quantile is the smallest t with tail(t) <= 1-p, by bisection to the last bit,
// for a tail that falls continuously from at most 1 to 0.
func quantile(tail func(float64) float64, p float64) float64 {
	switch p {
	case 0:
		return 0
	case 1:
		return math.Inf(1)
	}
	if tail(0) <= 1-p {
		return 0
	}
	low, high := 0.0, 1.0
	for tail(high) > 1-p {
		low, high = high, 2*high
	}
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if tail(middle) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
}

// quantileBound bounds the distance of t from the p quantile of the true tail,
// when the computed tail is within a relative error of it. It widens a bracket
// around t until the true tail has to cross 1-p inside, whatever the errors. The
// p meant is a decimal, which the float64 misses by up to u = 2^-53.
func quantileBound(tail func(float64) float64, p, relative, t float64) float64 {
	for width := max(t, 1) * 0x1p-52; ; width *= 2 {
		left := t-width <= 0 || tail(t-width)*(1-relative) > 1-p+0x1p-53
		right := tail(t+width)*(1+relative) < 1-p-0x1p-53
		if left && right {
			return width
		}
		if math.IsInf(width, 1) {
			return width
		}
	}
}

// erlangMixture is the tail of a time in system at a FIFO server with
// exponential work of mean 1, when a job finds j or more others with probability
// found(j): who finds k others stays for k+1 exponential times, so
//
//	P(T > t) = sum over k of P(K = k)·P(Poisson(t) <= k)
//	         = sum over j of P(Poisson(t) = j)·P(K >= j).
//
// The list found ends where the probability is 0 or negligible.
func erlangMixture(t float64, found []float64) float64 {
	if t <= 0 {
		return 1
	}
	sum, logT := 0.0, math.Log(t)
	for j, p := range found {
		lg, _ := math.Lgamma(float64(j + 1))
		sum += p * math.Exp(float64(j)*logT-t-lg)
	}
	return min(sum, 1)
}

// erlangMixtureError bounds the relative error of erlangMixture when the
// probabilities found have the relative error given. Each term exponentiates
// j·ln t - t - ln j!, whose three parts are good to 4u relative, and all terms
// are positive; the sum adds one u a term.
func erlangMixtureError(t float64, found []float64, relative float64) float64 {
	j := float64(len(found))
	lg, _ := math.Lgamma(j + 1)
	return relative + ((j*math.Abs(math.Log(t))+t+lg)*8+j+4)*0x1p-53
}
