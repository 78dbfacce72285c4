package oracle

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Every sequence of draws, counted: how many contain server 0.
func TestBlastAgainstAllSamples(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for d := 1; d <= 5; d++ {
			for _, replacement := range []bool{true, false} {
				hit, all := 0, 0
				var draw func(left int, used uint, found bool)
				draw = func(left int, used uint, found bool) {
					if left == 0 {
						all++
						if found {
							hit++
						}
						return
					}
					for i := range n {
						if replacement || used&(1<<i) == 0 {
							draw(left-1, used|1<<i, found || i == 0)
						}
					}
				}
				draws := d
				if !replacement {
					draws = min(d, n)
				}
				draw(draws, 0, false)
				got := Blast{D: d, N: n, Replacement: replacement}.Share()
				assert.Equal(t, big.NewRat(int64(hit), int64(all)).RatString(), got.RatString(), "d=%d n=%d %v", d, n, replacement)
			}
		}
	}
}

// Published predictions of the share of a backend that fails fast: d/N.
func TestBlastPublishedTable(t *testing.T) {
	for _, row := range []struct {
		n, d int
		want string
	}{{4, 1, "1/4"}, {4, 2, "1/2"}, {4, 3, "3/4"}, {4, 4, "1"}, {16, 2, "1/8"}, {16, 12, "3/4"}, {16, 16, "1"}} {
		assert.Equal(t, row.want, Blast{D: row.d, N: row.n}.Share().RatString())
	}
}

// The busiest server is full exactly when the fleet is at its largest
// utilization, and shares add up.
func TestViralKeyFillsItsServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		p := big.NewRat(int64(rapid.IntRange(0, 1000).Draw(t, "p")), 1000)
		v := ViralKey{Share: p, N: n}
		// Offered to the server: its share of the n·rho that come in.
		load := new(big.Rat).Mul(v.Capacity(), big.NewRat(int64(n), 1))
		assert.Equal(t, "1", load.Mul(load, v.Server()).RatString())
		// The other n-1 servers split the rest of the other keys.
		others := new(big.Rat).Sub(big.NewRat(1, 1), p)
		others.Mul(others, big.NewRat(int64(n-1), int64(n)))
		assert.Equal(t, "1", others.Add(others, v.Server()).RatString())
	})
	_, err := tryAsk("viral-key share=1.1 n=3")
	assert.ErrorContains(t, err, "share of the key is 11/10, want 0 to 1")
	_, err = tryAsk("viral-key share=1e999999 n=3")
	assert.ErrorContains(t, err, `share is "1e999999", want a fraction`)
}

// Published: success takes s, an error e, among 4 backends; shares of the failing
// one under a policy that reads latency alone. They lie on the side of 1/4 that
// the boundary says.
func TestLatencyBoundaryPublishedTable(t *testing.T) {
	for _, row := range []struct{ s, e, percent float64 }{
		{5, 1, 99.22}, {5, 2, 80.12}, {5, 10, 7.84}, {5, 20, 0.25}, {5, 40, 0.02},
		{10, 1, 99.92}, {10, 2, 92.13}, {10, 5, 47.32}, {10, 20, 12.91}, {10, 80, 4.12},
		{20, 5, 60.92}, {20, 10, 38.26}, {20, 40, 16.47}, {20, 80, 10.94},
		{40, 10, 49.37}, {40, 20, 35.15}, {40, 50, 22.40}, {40, 80, 17.78},
	} {
		side := "below"
		if row.percent > 25 {
			side = "above"
		}
		l := LatencyBoundary{N: 4, Success: row.s, Error: row.e}
		assert.Equal(t, side, l.Side(), "%+v", row)
		assert.Equal(t, "1/4", l.Boundary().RatString())
	}
	assert.Equal(t, "equal", LatencyBoundary{N: 4, Success: 3, Error: 3}.Side())
	assert.Equal(t, "equal", LatencyBoundary{N: 1, Success: 3, Error: 1}.Side(), "all traffic goes to the only server")
}
