package policies

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestErrorsLinger(t *testing.T) {
	l := &LingeringErrors{Linger: 10 * s}
	score := func(now time.Duration) float64 {
		return l.Score(&Snapshot{Servers: Fleet(1), Loads: []float64{2}, At: now}, 0)
	}
	assert.Equal(t, 2.0, score(0))
	l.Observe(0, Outcome{At: 0})
	l.Observe(0, Outcome{At: 1 * s, Failed: true})
	l.Observe(0, Outcome{At: 4 * s, Failed: true})
	l.Observe(0, Outcome{At: 3 * s, Failed: true}) // told late
	assert.Equal(t, 5.0, score(4*s))
	assert.Equal(t, 5.0, score(11*s-1))
	assert.Equal(t, 4.0, score(11*s), "the first one is over")
	assert.Equal(t, 3.0, score(13*s))
	assert.Equal(t, 2.0, score(14*s))
	assert.Equal(t, 2.0, score(1000000*s))
	assert.Equal(t, 5.0, score(4*s), "reading forgets nothing")
	twin := l.Clone().(*LingeringErrors)
	l.Observe(0, Outcome{At: 13 * s, Failed: true})
	assert.Equal(t, "0:[4000000000 13000000000] ", l.State())
	assert.Equal(t, "0:[1000000000 3000000000 4000000000] ", twin.State())
	l.Update([]Server{{ID: 1}})
	assert.Equal(t, 2.0, score(13*s))

	l.Observe(0, Outcome{At: 20*s + 1, Failed: true})
	l.Observe(0, Outcome{At: 30 * s, Failed: true})
	assert.Equal(t, 4.0, score(30*s), "an error lingers to its last nanosecond")
	l.Observe(0, Outcome{At: 30*s + 1, Failed: true})
	assert.Equal(t, "0:[30000000000 30000000001] ", l.State(), "and is forgotten then")
}

func TestLingeringErrorsLaw(t *testing.T) {
	fresh := func(d int) func() Policy {
		return func() Policy {
			l := &LingeringErrors{D: d, Linger: s}
			l.Observe(0, Outcome{Failed: true})
			l.Observe(0, Outcome{Failed: true})
			return l
		}
	}
	// Scores 2, 2, 3.
	wantLaw(t, map[int]string{0: "1/2", 1: "1/2"}, pickLaw(at(0, 2, 3), Request{}, fresh(0)))
	wantLaw(t, map[int]string{0: "1/2", 1: "1/2"}, pickLaw(at(0, 2, 3), Request{}, fresh(2)))
}

// However high the loads are, each error counts as one request more.
func TestErrorsHaveNoCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := float64(rapid.IntRange(0, 100_000).Draw(t, "load"))
		errors := rapid.IntRange(1, 2000).Draw(t, "errors")
		l := &LingeringErrors{Linger: s}
		for range errors {
			l.Observe(0, Outcome{Failed: true})
		}
		if i := l.Pick(Request{}, at(load, load+float64(errors)-1), NewCoins(1)); i != 1 {
			t.Fatalf("load %g with %d errors is preferred to a load of one less", load, errors)
		}
	})
}
