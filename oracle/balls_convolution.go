package oracle

import "math"

// atMost is the probability that no bin gets more than k balls, with a bound of
// its relative error. It needs balls < bins·k for a proper tilt, or equality.
//
// Occupancies are independent Poisson numbers given their sum. For any t > 0,
// with Z = sum over j <= k of t^j/j! and X the sum of one such number a bin, each
// of law t^j/(j!·Z) on 0..k, and the load l = balls/bins,
//
//	P(max <= k) = balls!·(e/balls)^balls · exp(bins·(ln Z - l + l·ln(l/t))) · P(X = balls).
//
// Taking t so that X has mean balls keeps P(X = balls) of order 1/deviation. It
// comes from convolutions of positive numbers only, so nothing cancels.
func (b BallsInBins) atMost(k int) (p, relative float64) {
	bins, balls, load := float64(b.Bins), float64(b.Balls), b.load()
	if b.Balls == b.Bins*k { // every bin is full: one way, up to the order
		full := lgamma(balls+1) - bins*lgamma(float64(k)+1) - balls*math.Log(bins)
		e := rounding(lgamma(balls+1)+bins*lgamma(float64(k)+1)+balls*math.Log(bins), 4)
		return math.Exp(full), math.Expm1(e)
	}
	t := poissonTilt(load, k)
	w := newTruncated(t, k)
	exact, relative := w.sumProbability(b.Bins, b.Balls)
	exponent := bins * (w.logZ - load + load*math.Log(load/t))
	p = math.Exp(logStirling(balls)+exponent) * exact
	// Each part of the exponent is good to 4u of itself; Stirling's to what it leaves
	// out, and a few roundings of numbers below 10.
	e := rounding(bins*(math.Abs(w.logZ)+load+math.Abs(load*math.Log(load/t))), 4) + 1/(1680*math.Pow(balls, 7)) + 1e-14
	return min(p, 1), relative + math.Expm1(e) + rounding(1, 4)
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// logStirling is ln(m!·(e/m)^m) by Stirling's series, whose error is below its first
// omitted term, 1/(1680·m^7): less than 1e-14 for m > 40.
func logStirling(m float64) float64 {
	return math.Log(2*math.Pi*m)/2 + 1/(12*m) - 1/(360*m*m*m) + 1/(1260*math.Pow(m, 5))
}

// poissonTilt finds the t for which a Poisson number of mean t, given that it is at most
// k, has the given mean, which must be below k. The identity of atMost holds for
// every t, so its error does not matter.
func poissonTilt(mean float64, k int) float64 {
	low, high := 0.0, math.Max(2*mean, 1)
	for newTruncated(high, k).mean < mean {
		low, high = high, 2*high
	}
	for range 60 {
		middle := (low + high) / 2
		if newTruncated(middle, k).mean < mean {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// truncated is the law t^j/(j!·Z) on 0..k.
type truncated struct {
	weights        []float64
	logZ           float64
	mean, variance float64
	relative       float64 // bounds the relative error of each weight, Z aside
}

func newTruncated(t float64, k int) truncated {
	logT := math.Log(t)
	w := truncated{weights: make([]float64, k+1)}
	largest := math.Inf(-1)
	for j := range w.weights {
		x := float64(j)*logT - lgamma(float64(j)+1)
		w.weights[j] = x
		largest = max(largest, x)
		// The two parts are good to 4u and 8u of themselves, their difference
		// and the exponential to 2u more.
		w.relative = max(w.relative, rounding(float64(j)*math.Abs(logT)+lgamma(float64(j)+1)+math.Abs(x)+1, 8))
	}
	sum := 0.0
	for _, x := range w.weights {
		sum += math.Exp(x - largest)
	}
	w.logZ = largest + math.Log(sum)
	for j, x := range w.weights {
		w.weights[j] = math.Exp(x - w.logZ)
		w.mean += float64(j) * w.weights[j]
	}
	for j, p := range w.weights {
		w.variance += (float64(j) - w.mean) * (float64(j) - w.mean) * p
	}
	return w
}

// A window is a law on first, first+1, ....
type window struct {
	first int
	p     []float64
}

// sumProbability is the probability that so many independent numbers of this law
// sum up to total, by repeated doubling, with a bound of its relative error.
func (w truncated) sumProbability(count, total int) (p, relative float64) {
	base := w.clip(window{0, w.weights}, 1)
	var result window // the sum of `have` numbers
	have, block, rounds := 0, 1, 0.0
	for ; ; block *= 2 {
		if count&block != 0 {
			last := have+block == count
			switch {
			case have == 0 && last: // count is a power of two, or 1
				p = at(base.p, total-base.first)
			case have == 0:
				result = base
			case last:
				p = convolve(result, base, total)
				rounds += float64(min(len(result.p), len(base.p)))
			default:
				result = w.clip(convolveAll(result, base), have+block)
				rounds += float64(min(len(result.p), len(base.p)))
			}
			if have += block; have == count {
				break
			}
		}
		if 2*block == count { // one entry of the last doubling is enough
			p = convolve(base, base, total)
			rounds += float64(len(base.p))
			break
		}
		// A doubling is used once for each block of twice the size.
		rounds += float64(count) / float64(2*block) * float64(len(base.p))
		base = w.clip(double(base), 2*block)
	}
	// Each entry of a block sums as many positive products as the shorter law has
	// entries, in some order, and each adds u to the relative error; errors of
	// blocks add up. Multiplying by 2 is exact.
	relative = float64(count)*w.relative + rounding(1, 1)*(rounds+2*float64(count))
	// What clip leaves out: twice e^-depth for each block at most.
	lost := (2*float64(count) + 64) * 2 * math.Exp(-depth)
	return p, relative + lost/p
}

// clip leaves out what lies too far from the mean: on each side a probability of
// at most e^-depth, by Chernoff's inequality, for any r > 0
//
//	P(S - n·mean >= h) <= exp(n·psi(r) - r·h),  psi(r) = ln E exp(r·(X - mean)),
//
// and likewise for r < 0. The r that would be best for a normal law is tried.
func (w truncated) clip(law window, n int) window {
	r := math.Sqrt(2 * depth / (float64(n) * w.variance))
	reach := func(r float64) float64 { return (depth + float64(n)*w.cumulant(r)) / math.Abs(r) }
	mean := float64(n) * w.mean
	from := max(law.first, int(math.Floor(mean-reach(-r))))
	to := min(law.first+len(law.p)-1, int(math.Ceil(mean+reach(r))))
	return window{from, law.p[from-law.first : to-law.first+1]}
}

// depth is minus the logarithm of what may be left out on each side of a block.
// There are at most 2e8 blocks, so it stays below 1e-9 times P(X = balls), which
// is of order 1/sqrt(balls).
const depth = 50

// cumulant is the logarithm of the mean of exp(r·(X-mean)).
func (w truncated) cumulant(r float64) float64 {
	sum := 0.0
	for j, p := range w.weights {
		sum += p * math.Exp(r*(float64(j)-w.mean))
	}
	return math.Log(sum)
}

// convolveAll is the law of the sum of two independent numbers.
func convolveAll(x, y window) window {
	out := window{x.first + y.first, make([]float64, len(x.p)+len(y.p)-1)}
	addProducts(out.p, x.p, y.p, 1)
	return out
}

// double is the law of the sum of two independent numbers of the same law.
func double(x window) window {
	out := window{2 * x.first, make([]float64, 2*len(x.p)-1)}
	addSquare(out.p, x.p)
	return out
}

// addSquare adds the convolution of x with itself to out. Of the products of its
// two halves, which come twice, only one is computed.
func addSquare(out, x []float64) {
	if len(x) < 64 {
		addProducts(out, x, x, 1)
		return
	}
	half := len(x) / 2
	addSquare(out, x[:half])
	addSquare(out[2*half:], x[half:])
	addProducts(out[half:], x[:half], x[half:], 2)
}

// addProducts adds times·x[i]·y[j] to out[i+j], four rows at a time: what is read
// from out and y serves for all of them.
func addProducts(out, x, y []float64, times float64) {
	for ; len(x) >= 4; x, out = x[4:], out[4:] {
		x0, x1, x2, x3 := times*x[0], times*x[1], times*x[2], times*x[3]
		y1, y2, y3 := 0.0, 0.0, 0.0 // what came before y0
		row := out[:len(y)]
		for j, y0 := range y {
			row[j] += x0*y0 + x1*y1 + x2*y2 + x3*y3
			y1, y2, y3 = y0, y1, y2
		}
		end := out[len(y):]
		end[0] += x1*y1 + x2*y2 + x3*y3
		end[1] += x2*y1 + x3*y2
		end[2] += x3 * y1
	}
	for i, a := range x {
		for j, b := range y {
			out[i+j] += times * a * b
		}
	}
}

// convolve is one entry of convolveAll.
func convolve(x, y window, total int) float64 {
	sum := 0.0
	for i, a := range x.p {
		if j := total - x.first - i - y.first; j >= 0 {
			sum += a * at(y.p, j)
		}
	}
	return sum
}
