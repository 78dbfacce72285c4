//go:build !mutants

package oracle

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
// So l is q(A)/((1-c) p(A) + c), and no other set has a larger quotient: the
// iteration of Dinkelbach (1967) climbs from all servers to it in a few steps.
//
// Without strays p* is p. All of q must be positive.
func stretch(p, q []float64, c float64) []float64 {
	if c == 0 {
		return p
	}
	l, next := 0.0, 1.0 // the quotient of all servers
	for next > l {
		l = next
		bet, claimed := 0.0, 0.0
		for i := range p {
			if q[i] > l*(1-c)*p[i] {
				bet += q[i]
				claimed += p[i]
			}
		}
		next = bet / ((1-c)*claimed + c)
	}
	out := make([]float64, len(p))
	for i := range out {
		out[i] = max((1-c)*p[i], q[i]/l)
	}
	return out
}
