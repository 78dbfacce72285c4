package policies

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func one() *big.Rat { return big.NewRat(1, 1) }

func TestPowerOfNoneIsAMistake(t *testing.T) {
	assert.PanicsWithError(t, PowerOfD{}.Check().Error(), func() { PowerOfD{}.Pick(Request{}, at(1, 2), nil) })
	assert.Equal(t, None, PowerOfD{D: 1}.Pick(Request{}, at(), nil))
}

func TestPowerOfDLaw(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy PowerOfD
		loads  []float64
		want   map[int]string
	}{
		// Three pairs: {0,1} and {0,2} go to 0, {1,2} to 1.
		{"distinct", PowerOfD{D: 2}, []float64{0, 1, 2}, map[int]string{0: "2/3", 1: "1/3"}},
		// Nine ordered pairs: 5 contain server 0, of the other 4 three contain 1.
		{"replacement", PowerOfD{D: 2, Replacement: true}, []float64{0, 1, 2}, map[int]string{0: "5/9", 1: "3/9", 2: "1/9"}},
		// Rank k of n wins C(n-1-k, d-1) of C(n, d) samples: 6, 3, 1 of 10.
		{"d=3, n=5", PowerOfD{D: 3}, []float64{40, 10, 50, 30, 20}, map[int]string{1: "3/5", 4: "3/10", 3: "1/10"}},
		// {0,2} is a tie and fair; {0,1} and {1,2} go to 1.
		{"tie", PowerOfD{D: 2}, []float64{5, 3, 5}, map[int]string{1: "2/3", 0: "1/6", 2: "1/6"}},
		{"equal loads", PowerOfD{D: 2}, []float64{1, 1, 1, 1}, map[int]string{0: "1/4", 1: "1/4", 2: "1/4", 3: "1/4"}},
		{"one choice is random", PowerOfD{D: 1}, []float64{9, 0, 4}, map[int]string{0: "1/3", 1: "1/3", 2: "1/3"}},
		{"d beyond the fleet", PowerOfD{D: 7}, []float64{2, 1, 1}, map[int]string{1: "1/2", 2: "1/2"}},
		{"unknown loses", PowerOfD{D: 2}, []float64{math.NaN(), 9, math.NaN()}, map[int]string{1: "2/3", 0: "1/6", 2: "1/6"}},
		{"nobody", PowerOfD{D: 2}, nil, map[int]string{None: "1"}},
		{"one server", PowerOfD{D: 2}, []float64{3}, map[int]string{0: "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, f := range c.want { // 3/9 is written 1/3
				r, _ := new(big.Rat).SetString(f)
				c.want[i] = r.RatString()
			}
			wantLaw(t, c.want, pickLaw(at(c.loads...), Request{}, func() Policy { return c.policy }))
		})
	}
}

// The sample is a uniform set: with an always preferred server, its share is d/n.
func TestPowerOfDSamplesDistinctServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		d := rapid.IntRange(1, 7).Draw(t, "d")
		best := rapid.IntRange(0, n-1).Draw(t, "best")
		loads := make([]float64, n)
		for i := range loads {
			loads[i] = 1
		}
		loads[best] = 0
		law := pickLaw(at(loads...), Request{}, func() Policy { return PowerOfD{D: d} })
		want := big.NewRat(int64(min(d, n)), int64(n)).RatString()
		if law[best] != want {
			t.Fatalf("server %d of %d is always preferred and d=%d: picked with probability %s, want %s", best, n, d, law[best], want)
		}
	})
}

func TestPowerOfDReadsAtMostDLoads(t *testing.T) {
	for _, replacement := range []bool{false, true} {
		for d := 1; d <= 9; d++ {
			s := at(make([]float64, 30)...)
			PowerOfD{D: d, Replacement: replacement}.Pick(Request{}, s, NewCoins(1))
			if s.Reads != d {
				t.Errorf("d=%d replacement=%v: %d loads read, want %d", d, replacement, s.Reads, d)
			}
		}
	}
}
