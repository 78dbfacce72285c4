package oracle

import (
	"cmp"
	"slices"
)

// stretch finds, among the laws that a claim p allows when up to a part c of the
// picks is stray,
//
//	{ (1-c) p + c r : r any law },
//
// the one that is hardest to tell from the bet q: the reverse information
// projection of q (Grünwald, de Heide and Koolen 2024; Huber 1965 for this
// neighbourhood). It is
//
//	p* = max((1-c) p, q/l),  l such that p* adds up to 1,
//
// and q/p* is fair against every law of the set: it is l on A = {q/l > (1-c) p},
// where all the strays do most harm, and q/((1-c) p) elsewhere, so with strays
// in A its mean is q(A^c) + l·((1-c) p(A) + c), while the sum of p* being 1 says
// that q(A) = l·(1 - (1-c) p(A^c)) = l·((1-c) p(A) + c). Together that is 1.
//
// Without strays p* is p. All of q must be positive.
func stretch(p, q []float64, c float64) []float64 {
	if c == 0 {
		return p
	}
	order := indices(len(p))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(q[j]*p[i], q[i]*p[j]) }) // q/p descending
	// A grows from the top until the next server would not be in it.
	bet, claimed := 0.0, 0.0
	l := 0.0
	for _, i := range order {
		if bet > 0 && q[i] <= l*(1-c)*p[i] {
			break
		}
		bet += q[i]
		claimed += p[i]
		l = bet / ((1-c)*claimed + c)
	}
	out := make([]float64, len(p))
	for i := range out {
		out[i] = max((1-c)*p[i], q[i]/l)
	}
	return out
}
