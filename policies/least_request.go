//go:build !mutants

package policies

import "math"

// LeastRequest picks a server with the smallest load, each of them with the
// same probability.
type LeastRequest struct{}

// Pick compares the loads of all servers.
func (l LeastRequest) Pick(_ Request, v View, c Coins) int {
	return l.lightest(v, c, heaviness)
}

// lightest collects the servers with the smallest score, then throws one coin
// among them.
func (LeastRequest) lightest(v View, c Coins, score func(View, int) float64) int {
	var room [64]int // so many minima at once allocate nothing
	minima, least := room[:0], math.Inf(1)
	for i := range v.Len() {
		switch s := score(v, i); {
		case s < least:
			minima, least = append(minima[:0], i), s
		case s == least:
			minima = append(minima, i)
		}
	}
	if len(minima) == 0 {
		return None
	}
	return minima[c.IntN(len(minima))]
}
