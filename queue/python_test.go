package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The values of CPython's generator, printed by CPython.
func TestPythonStream(t *testing.T) {
	assert.EqualValues(t, 3626764237, newPython(0).mt.Uint32())
	one := newPython(1)
	assert.EqualValues(t, 577090037, one.mt.Uint32())
	assert.EqualValues(t, 2444712010, one.mt.Uint32())
	assert.Equal(t, 0.13436424411240122, newPython(1).Float64())
	assert.Equal(t, 0.6394267984578837, newPython(42).Float64())
}

// below(n) rejects with the bits of n itself, so even one outcome costs draws.
func TestPythonBelowOneDraws(t *testing.T) {
	p, bits := newPython(1), newPython(1)
	assert.Zero(t, p.IntN(1))
	draws := 1
	for bits.getrandbits(1) != 0 {
		draws++
	}
	assert.Equal(t, bits.mt.Uint32(), p.mt.Uint32(), "one coin cost another number of outputs than %d", draws)
}

func TestPythonSampleIsDistinct(t *testing.T) {
	p := newPython(3)
	for _, c := range []struct{ n, k int }{{1, 1}, {21, 5}, {22, 5}, {85, 20}, {16, 16}, {200, 8}} {
		drawn := p.sample(nil, c.n, c.k)
		seen := make(map[int]bool)
		for _, i := range drawn {
			assert.True(t, 0 <= i && i < c.n, "drew %d of %d", i, c.n)
			seen[i] = true
		}
		assert.Len(t, seen, c.k)
	}
}
