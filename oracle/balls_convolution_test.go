package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The convolutions of small whole numbers are exact, so that they must equal the
// sum over all pairs.
func TestConvolutionsAreSumsOverPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := func(label string) window {
			n := rapid.IntRange(1, 150).Draw(t, label)
			w := window{rapid.IntRange(0, 5).Draw(t, label), make([]float64, n)}
			for i := range w.p {
				w.p[i] = float64(rapid.IntRange(0, 1000).Draw(t, label))
			}
			return w
		}
		pairs := func(x, y window) window {
			out := window{x.first + y.first, make([]float64, len(x.p)+len(y.p)-1)}
			for i, a := range x.p {
				for j, b := range y.p {
					out.p[i+j] += a * b
				}
			}
			return out
		}
		x, y := numbers("x"), numbers("y")
		require.Equal(t, pairs(x, y), convolveAll(x, y))
		require.Equal(t, pairs(x, x), double(x))
	})
}
