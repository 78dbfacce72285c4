package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The moment generating function of Beta(a, b) is Kummer's series; the proxy
// must bound it everywhere. Its variance, the second way, is the proxy at most,
// and the proxy itself where a = b.
func TestKeySharesOfRing(t *testing.T) {
	for _, weights := range [][]uint64{{1, 1}, {3, 1}, {1, 9}, {1, 1, 1, 1}, {40, 1}} {
		for _, size := range []int{1, 2, 50} {
			k := KeyShares{Scheme: "ring", Size: size}
			proxy, total := k.Proxy(weights), 0.0
			for _, w := range weights {
				total += float64(w) * float64(size)
			}
			a := float64(weights[0]) * float64(size)
			b := total - a
			variance := a * b / (total * total * (total + 1))
			assert.LessOrEqual(t, variance, proxy*(1+1e-12))
			if a == b {
				assert.InEpsilon(t, variance, proxy, 1e-12)
			}
			for _, x := range []float64{-40, -3, -0.1, 0.1, 1, 7, 40} {
				term, sum := 1.0, 1.0
				for j := range 400 {
					term *= (a + float64(j)) / (total + float64(j)) * math.Abs(x) / float64(j+1)
					sum += term
				}
				mean := a / total
				if x < 0 { // Kummer's transformation, so that no terms cancel
					term, sum = 1.0, 1.0
					for j := range 400 {
						term *= (b + float64(j)) / (total + float64(j)) * math.Abs(x) / float64(j+1)
						sum += term
					}
					sum *= math.Exp(x)
				}
				// 400 additions of positive terms: 400 roundings at most.
				assert.LessOrEqual(t, math.Log(sum)-x*mean, x*x*proxy/2+1e-12, "weights %v, %d points, t = %v", weights, size, x)
			}
			assert.Zero(t, k.Bias(weights))
		}
	}
}

// Turns are taken here one by one, in every order of three servers.
func TestKeySharesOfMaglev(t *testing.T) {
	const size = 211
	k := KeyShares{Scheme: "maglev", Size: size}
	for _, weights := range [][]uint64{{1, 1, 1}, {3, 1, 1}, {7, 5, 2}, {100, 1, 1}, {1, 1, 100}, {2, 9, 4}} {
		heaviest, sum := max(weights[0], weights[1], weights[2]), weights[0]+weights[1]+weights[2]
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			credit, places := make([]uint64, 3), make([]int, 3)
			for i, w := range weights {
				credit[i] = heaviest - w
			}
			for free := size; free > 0; {
				for _, i := range order {
					if credit[i] += weights[i]; credit[i] >= heaviest && free > 0 {
						credit[i] -= heaviest
						places[i]++
						free--
					}
				}
			}
			for i, w := range weights {
				assert.LessOrEqual(t, math.Abs(float64(places[i])/size-float64(w)/float64(sum)), k.Bias(weights))
			}
		}
		assert.Zero(t, k.Proxy(weights))
	}
}

func TestKeySharesValidate(t *testing.T) {
	assert.NoError(t, KeyShares{Scheme: "rendezvous"}.Validate())
	assert.Error(t, KeyShares{Scheme: "ring"}.Validate())
	assert.Error(t, KeyShares{Scheme: "maglev", Size: -1}.Validate())
	assert.ErrorContains(t, KeyShares{Scheme: "jump"}.Validate(), "jump")
}
