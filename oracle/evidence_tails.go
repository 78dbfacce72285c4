package oracle

import "math"

// binomialTails is P(X <= k) and P(X >= k) for X binomial; k from 0 to n. The
// smaller of them is a sum of positive terms.
func binomialTails(k, n int, p float64) (lower, upper float64) {
	switch {
	case p == 0:
		return 1, indicator(k == 0)
	case p == 1:
		return indicator(k == n), 1
	}
	at, odds := binomialPoint(k, n, p), p/(1-p)
	if float64(k) >= float64(n)*p {
		upper = outwards(at, func(j int) float64 { return float64(n-k-j) / float64(k+j+1) * odds })
		return 1 - upper + at, upper
	}
	lower = outwards(at, func(j int) float64 { return float64(k-j) / float64(n-k+j+1) / odds })
	return lower, 1 - lower + at
}

// poissonTails is P(X <= k) and P(X >= k) for X Poisson with a mean of m.
func poissonTails(k int, m float64) (lower, upper float64) {
	if m == 0 {
		return 1, indicator(k == 0)
	}
	at := poissonPoint(k, m)
	if float64(k) >= m {
		upper = outwards(at, func(j int) float64 { return m / float64(k+j+1) })
		return 1 - upper + at, upper
	}
	lower = outwards(at, func(j int) float64 { return float64(k-j) / m })
	return lower, 1 - lower + at
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// outwards adds up first·(1 + r(0) + r(0)r(1) + ...), where the ratios r fall and
// start at 1 or less, until what follows is lost in rounding.
func outwards(first float64, ratio func(j int) float64) float64 {
	sum, term := 1.0, 1.0
	for j := 0; ; j++ {
		r := ratio(j)
		term *= r
		sum += term
		// All that follows is below term·r/(1-r).
		if term*r <= 0x1p-54*sum*(1-r) {
			return first * sum
		}
	}
}

// binomialPoint is P(X = k), for 0 < p < 1, by the saddle point (Loader 2000):
//
//	sqrt(n/(2 pi k (n-k))) exp(s(n) - s(k) - s(n-k) - np·h(k/np - 1) - nq·h((n-k)/nq - 1))
//
// with s what Stirling's formula leaves out and h(u) = (1+u) ln(1+u) - u. No term
// is a difference of large numbers.
func binomialPoint(k, n int, p float64) float64 {
	switch k {
	case 0:
		return math.Exp(float64(n) * math.Log1p(-p))
	case n:
		return math.Exp(float64(n) * math.Log(p))
	}
	N, K := float64(n), float64(k)
	e := stirling(n) - stirling(k) - stirling(n-k) - distance(K, N*p) - distance(N-K, N*(1-p))
	return math.Exp(e) * math.Sqrt(N/(2*math.Pi*K*(N-K)))
}

// poissonPoint is P(X = k) for a positive mean, likewise.
func poissonPoint(k int, m float64) float64 {
	if k == 0 {
		return math.Exp(-m)
	}
	return math.Exp(-stirling(k)-distance(float64(k), m)) / math.Sqrt(2*math.Pi*float64(k))
}

// distance is m·h(k/m - 1) = k ln(k/m) + m - k.
func distance(k, m float64) float64 { return m * excess((k-m)/m) }

// stirling is ln n! - (n ln n - n + ln(2 pi n)/2) for n at least 1. Up to 15 the
// logarithm is below 28 and loses less than 1e-14; beyond, what is left out of the
// series is below 691/360360·n^-11 < 2e-16.
func stirling(n int) float64 {
	x := float64(n)
	if n <= 15 {
		g, _ := math.Lgamma(x + 1)
		return g - (x*math.Log(x) - x + math.Log(2*math.Pi*x)/2)
	}
	y := 1 / (x * x)
	return (1./12 - y*(1./360-y*(1./1260-y*(1./1680-y/1188)))) / x
}
