//go:build !mutants

package policies

// A Scorer rates server i of a view. The smallest score is the best; it is never
// NaN.
type Scorer interface {
	Score(v View, i int) float64
}

// best picks the smallest score of d distinct servers drawn at random, or of all
// servers when d is 0.
func best(d int, v View, c Coins, score func(View, int) float64) int {
	if d == 0 {
		return LeastRequest{}.lightest(v, c, score)
	}
	return PowerOfD{D: d}.lightest(v, c, score)
}

// Least picks the server with the smallest score, by whatever score it is given:
// of all servers for D = 0, otherwise of D distinct ones drawn at random.
type Least struct {
	D  int
	Of Scorer // without memory; a policy that learns does its own picking
}

// Pick compares the scores of D servers, or of all of them.
func (l Least) Pick(_ Request, v View, c Coins) int { return best(l.D, v, c, l.Of.Score) }

// Check says what is wrong with the parameters.
func (l Least) Check() error {
	if l.Of == nil {
		return errNil("Least.Of", "Scorer")
	}
	return checkD("Least.D", l.D, 0)
}
