package policies

import (
	"math"
	"testing"
)

func TestLeastRequestPicksUniformlyAmongTheMinima(t *testing.T) {
	unknown := math.NaN()
	for _, c := range []struct {
		name  string
		loads []float64
		want  map[int]string
	}{
		{"nobody", nil, map[int]string{None: "1"}},
		{"one", []float64{5}, map[int]string{0: "1"}},
		{"minimum first", []float64{1, 2, 3}, map[int]string{0: "1"}},
		{"minimum in the middle", []float64{2, 1, 3}, map[int]string{1: "1"}},
		{"minimum last", []float64{3, 2, 1}, map[int]string{2: "1"}},
		{"tie at the ends", []float64{1, 4, 1}, map[int]string{0: "1/2", 2: "1/2"}},
		{"all idle", []float64{0, 0, 0, 0, 0}, map[int]string{0: "1/5", 1: "1/5", 2: "1/5", 3: "1/5", 4: "1/5"}},
		{"fractions of work", []float64{0.5, 0.25, 0.75}, map[int]string{1: "1"}},
		{"an unknown load loses", []float64{unknown, 900, unknown}, map[int]string{1: "1"}},
		{"nothing known", []float64{unknown, unknown, unknown}, map[int]string{0: "1/3", 1: "1/3", 2: "1/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantLaw(t, c.want, pickLaw(at(c.loads...), Request{}, func() Policy { return LeastRequest{} }))
		})
	}
}

func TestLeastRequestThrowsOneCoin(t *testing.T) {
	c := &treeCoins{p: one()}
	LeastRequest{}.Pick(Request{}, at(1, 0, 0, 3, 0), c)
	if len(c.path) != 1 || c.width[0] != 3 {
		t.Errorf("coins thrown: %v outcomes, want one coin with 3", c.width)
	}
}
