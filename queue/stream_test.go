package queue

import "testing"

// With three residues of n = 3·2^61, a draw that is not corrected for the
// outcomes that 2^64 draws favour gives a residue 3/8 or 1/4 instead of 1/3.
func TestIntNIsUniformForHugeN(t *testing.T) {
	m := max(bernoulliSum.sampleSize(1./3, 3./8), bernoulliSum.sampleSize(1./3, 1./4))
	s, count := NewPCG(1, t.Name()), [3]float64{}
	for range m {
		count[s.IntN(3<<61)%3]++
	}
	for residue := range count {
		bernoulliSum.check(t, "residue", m, 1./3, count[residue])
	}
}

// Weighted coins, with a weight of zero and one that is twice the other.
func TestWeightedFollowsItsWeights(t *testing.T) {
	m := bernoulliSum.sampleSize(2./3, 0.6)
	for _, s := range []Stream{NewPCG(1, t.Name()), NewPython(1)} {
		count := [3]float64{}
		for range m {
			count[s.Weighted([]uint64{1 << 40, 0, 2 << 40})]++
		}
		if count[1] > 0 {
			t.Errorf("a weight of zero came up %v times in %d", count[1], m)
		}
		bernoulliSum.check(t, "the heavier outcome", m, 2./3, count[2])
	}
}
