package queue

import "math"

// A space numbers the vectors of jobs at n servers, each from 0 to buffer.
//
// In the full form every vector has a number: the levels are the digits of a
// number to the base buffer+1, the first server most significant. In the sorted
// form only vectors in descending order have one, their rank in lexicographic
// order, which is a sum of binomials:
//
//	rank(x) = sum over i of C(x[i] + n-1-i, n-i),   x[0] >= x[1] >= ... >= x[n-1].
//
// In both, one more job at position i adds an amount to the number that depends
// on i and on the level there alone.
type space struct {
	n, buffer int
	sorted    bool
	step      [][]int // step[i][k]: what the (k+1)-th job at position i adds
}

func newSpace(n, buffer int, sorted bool) *space {
	s := &space{n: n, buffer: buffer, sorted: sorted, step: make([][]int, n)}
	for i := range s.step {
		s.step[i] = make([]int, buffer)
		for k := range s.step[i] {
			if sorted {
				s.step[i][k] = int(math.Round(binomial(k+n-1-i, n-1-i)))
			} else {
				s.step[i][k] = int(math.Round(math.Pow(float64(buffer+1), float64(n-1-i))))
			}
		}
	}
	return s
}

// size is the number of vectors, as a float because it may be astronomical.
func (s *space) size() float64 { return sizeOf(s.n, s.buffer, s.sorted) }

func sizeOf(n, buffer int, sorted bool) float64 {
	if sorted {
		return binomial(buffer+n, n)
	}
	return math.Pow(float64(buffer+1), float64(n))
}

// rank is the number of a vector.
func (s *space) rank(x []uint16) int {
	rank := 0
	for i, k := range x {
		for _, step := range s.step[i][:k] {
			rank += step
		}
	}
	return rank
}

// next turns x into the vector with the next number; it is false after the last.
func (s *space) next(x []int) bool {
	for i := s.n - 1; i >= 0; i-- {
		most := s.buffer
		if s.sorted && i > 0 {
			most = x[i-1]
		}
		if x[i] < most {
			x[i]++
			return true
		}
		x[i] = 0
	}
	return false
}

// first is the position of the first server of the same level as server i,
// which is where a job that joins server i shows in the sorted form.
func (s *space) first(x []int, i int) int {
	for s.sorted && i > 0 && x[i-1] == x[i] {
		i--
	}
	return i
}

// binomial is C(n, k). It is exact as long as it is below 2^53.
func binomial(n, k int) float64 {
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return c
}
