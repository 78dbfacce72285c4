package queue

import (
	"math"
	"slices"
)

// Quantiles returns, for each p in ascending order, the element at index
// min(m-1, floor(p·m)) of the m values in ascending order. It selects and does
// not sort: the values end up in another order. Each call costs about 3m
// comparisons for the first p and less for every other.
func Quantiles(values []float64, ps ...float64) []float64 {
	out, done := make([]float64, len(ps)), 0
	for i, p := range ps {
		k := min(len(values)-1, int(math.Floor(p*float64(len(values)))))
		selectNth(values[done:], k-done)
		out[i] = values[k]
		done = k
	}
	return out
}

// selectNth moves the k-th smallest value to index k, no larger one before it
// and no smaller one behind (Hoare 1961). The pivots are medians of three; when
// too many of them are bad, it sorts what is left.
func selectNth(v []float64, k int) {
	for budget := 64; len(v) > 12; budget-- {
		if budget == 0 {
			break
		}
		p := pivot(v[0], v[len(v)/2], v[len(v)-1])
		i, j := 0, len(v)-1
		for i <= j {
			for v[i] < p {
				i++
			}
			for v[j] > p {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch { // v[:j+1] <= p <= v[i:], and what is between equals p
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return
		}
	}
	slices.Sort(v)
}

func pivot(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}
