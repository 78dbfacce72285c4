//go:build !mutants

package policies

// WeightedLeastRequest picks the server with the smallest
//
//	score = (load + 1) / weight,
//
// the load that it would have per unit of weight. The quotients of whole numbers
// are compared exactly as long as loads and weights stay below 2^26: different
// ones then differ by more than the rounding.
type WeightedLeastRequest struct {
	D int // servers to compare, 0 for all
}

// Pick compares the scores of D servers, or of all of them.
func (w WeightedLeastRequest) Pick(_ Request, v View, c Coins) int { return best(w.D, v, c, w.Score) }

// Score is the load per weight that server i would have with one request more.
func (w WeightedLeastRequest) Score(v View, i int) float64 {
	return (heaviness(v, i) + 1) / float64(v.Server(i).Weight)
}

// Check says what is wrong with D.
func (w WeightedLeastRequest) Check() error { return checkD("WeightedLeastRequest.D", w.D, 0) }
