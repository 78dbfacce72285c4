package main

import (
	"testing"

	"github.com/picklaw/picklaw/spec/peers"
)

// In weighted_round_robin every server is visited once in a generation, and
// taken in w of every 65535, evenly spread, where the largest weight is 65535.
// So in G generations it is taken G·w/65535 times, give or take one; a stretch of
// picks may begin and end within a generation, which adds one at either end.
func TestWeightedRoundRobinShares(t *testing.T) {
	peers.Host(t)
	for _, weights := range [][]float64{{1, 2, 4}, {1, 1}, {5, 1, 1, 3}, {100, 1}, {0.3, 0.7, 1.9}} {
		w, err := newWeighted(weights)
		if err != nil {
			t.Fatal(err)
		}
		largest, sum := 0.0, 0.0
		for _, x := range weights {
			largest, sum = max(largest, x), sum+x
		}
		const generations = 5000
		picks := int(generations * sum / largest)
		at, err := w.take(picks)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range weights {
			// Rounding a weight to 16 bits moves it by 1/2 at most, and with it the number
			// of generations that the picks take, by n/2 in 65535 of the largest weight.
			slack := 3 + generations*float64(len(weights)+1)/2/65535
			if want := float64(picks) * x / sum; float64(at[i]) < want-slack || float64(at[i]) > want+slack {
				t.Errorf("weights %v: server %d got %d of %d picks, want %.1f ± %.1f", weights, i, at[i], picks, want, slack)
			}
		}
	}
}
