//go:build !mutants

package queue

import (
	"math"
	"slices"
)

// Quantiles returns, for each p in [0, 1], the element at index
// min(m-1, floor(p·m)) of the m values in ascending order; NaN without values.
// It neither sorts nor changes them: it counts how many values share their 16
// leading bits, looks only at those that share them with the answer, and goes
// on with the next 16 bits. That reads all m values twice or so.
func Quantiles(values []float64, ps ...float64) []float64 {
	out := make([]float64, len(ps))
	var leading []int
	for i, p := range ps {
		if len(values) == 0 {
			out[i] = math.NaN()
			continue
		}
		if leading == nil {
			leading = histogram(values, 48)
		}
		k := min(len(values)-1, int(math.Floor(p*float64(len(values)))))
		out[i] = nth(values, k, leading)
	}
	return out
}

// nth is the value with exactly k values before it in ascending order.
func nth(values []float64, k int, leading []int) float64 {
	for shift := 48; ; shift -= 16 {
		digit := uint64(0)
		for k >= leading[digit] {
			k -= leading[digit]
			digit++
		}
		same := make([]float64, 0, leading[digit])
		for _, x := range values {
			if orderedBits(x)>>shift&0xffff == digit {
				same = append(same, x)
			}
		}
		values = same
		if len(values) < 1<<12 || shift == 0 {
			slices.Sort(values)
			return values[k]
		}
		leading = histogram(values, shift-16)
	}
}

// histogram counts the values by 16 of their ordered bits.
func histogram(values []float64, shift int) []int {
	counts := make([]int, 1<<16)
	for _, x := range values {
		counts[orderedBits(x)>>shift&0xffff]++
	}
	return counts
}

// orderedBits maps floating-point numbers to integers in the same order:
// positive ones get the top bit, negative ones are inverted.
func orderedBits(x float64) uint64 {
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}
