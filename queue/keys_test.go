package queue

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

// The key of rank 2 comes up with its weight over the sum, and a key of weight 0
// never.
func TestKeysFollowTheirPopularity(t *testing.T) {
	for name, keys := range map[string]Keys{
		"uniform": UniformKeys(10), "zipf": ZipfKeys(10, 1.5), "viral": ViralKeys(10, 0.5), "sessions": Sessions(10, 0),
		"with a gap": {Weights: []float64{0, 2, 1, 0}},
	} {
		sum := 0.0
		for _, w := range keys.Weights {
			sum += w
		}
		p := keys.Weights[1] / sum
		m := max(bernoulliSum.sampleSize(p, p*1.1), bernoulliSum.sampleSize(p, p*0.9))
		count := map[string]float64{}
		w := World{Servers: 3, Rho: 0.5, Jobs: m, Keys: &keys, Observe: func(j Job) { count[j.Key]++ }}
		_, err := Simulate(w, func() policies.Policy { return policies.Random{} }, 1)
		require.NoError(t, err)
		bernoulliSum.check(t, name, m, p, count["key-2"])
		for i, weight := range keys.Weights {
			if weight == 0 {
				assert.Zero(t, count["key-"+string(rune('1'+i))], "%s: key %d has weight 0", name, i+1)
			}
		}
	}
}

// Sessions that end after a geometric number of requests: each request is the
// last of its key with probability Turnover.
func TestSessionsEnd(t *testing.T) {
	const requests = 20
	m := bernoulliSum.sampleSize(1./requests, 1.1/requests)
	keys := Sessions(50, requests)
	seen := map[string]bool{}
	s := NewPCG(1, t.Name())
	live := keys.draw(s)
	ended := 0.0
	for range m {
		i := live.next()
		key := live.names[i]
		if live.done(i, "s0") {
			ended++
			assert.False(t, seen[key], "%s ended twice", key)
			seen[key] = true
			assert.NotEqual(t, key, live.names[i])
		}
	}
	bernoulliSum.check(t, "ends", m, 1./requests, ended)
}

func TestParseKeys(t *testing.T) {
	k, err := ParseKeys("zipf:3:1")
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1. / 2, 1. / 3}, k.Weights)
	k, err = ParseKeys("viral:3:0.5")
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0.25, 0.25}, k.Weights)
	k, err = ParseKeys("sessions:500:20")
	require.NoError(t, err)
	assert.Equal(t, 1./20, k.Turnover)
	assert.InDelta(t, -math.Log(0.001), k.Weights[0], 1e-12) // one rounding of a logarithm below 7
	const want = "want uniform:N, zipf:N:EXPONENT, viral:N:SHARE or sessions:N:REQUESTS"
	for text, message := range map[string]string{
		"":                `queue: keys "", ` + want,
		"uniform":         `queue: keys "uniform", ` + want,
		"zipf:3":          `queue: keys "zipf:3", ` + want,
		"zipf:3:x":        `queue: keys "zipf:3:x": "x" is no number, ` + want,
		"uniform:0":       `queue: keys "uniform:0": 0 keys, want a whole number from 1 to 16777216`,
		"uniform:1.5":     `queue: keys "uniform:1.5": 1.5 keys, want a whole number from 1 to 16777216`,
		"uniform:NaN":     `queue: keys "uniform:NaN": NaN keys, want a whole number from 1 to 16777216`,
		"viral:3:2":       "queue: weight -0.5 of key 1, want 0 or more",
		"sessions:50:0.5": "queue: a key ends with probability 2, want 0 to 1",
	} {
		_, err := ParseKeys(text)
		assert.EqualError(t, err, message)
	}
}

// A sticky policy keeps a session where it began, over its whole life and not
// beyond; without cookies the same sessions wander.
func TestSessionsStick(t *testing.T) {
	for _, live := range []int{5000, 500, 50} {
		keys := Sessions(live, 10)
		for _, sticky := range []bool{true, false} {
			where, moved, first := map[string]int{}, 0, []int(nil)
			w := World{Servers: 10, Rho: 0.5, Ramp: true, Jobs: 20_000, Keys: &keys}
			w.Observe = func(j Job) {
				at, known := where[j.Key]
				if !known {
					first = append(first, j.Server)
				} else if at != j.Server {
					moved++
				}
				where[j.Key] = j.Server
			}
			_, err := Simulate(w, func() policies.Policy {
				if sticky {
					return &policies.Sticky{Fallback: new(policies.RoundRobin)}
				}
				return new(policies.RoundRobin)
			}, 1)
			require.NoError(t, err)
			assert.Equal(t, sticky, moved == 0, "%d live sessions, sticky %v: %d moves", live, sticky, moved)
			assert.Greater(t, len(where), live/2, "sessions end and new ones come")
			for i := 1; sticky && i < len(first); i++ {
				require.Equal(t, (first[i-1]+1)%w.Servers, first[i], "a new session goes where the rotation says")
			}
		}
	}
}

// A ring sends a key to one server for as long as the fleet stays, and the viral
// key takes its share there.
func TestViralKeyLoadsOneServer(t *testing.T) {
	keys := ViralKeys(1000, 0.5)
	where := map[string]map[int]bool{}
	w := World{Servers: 5, Rho: 0.5, Ramp: true, Jobs: 20_000, Keys: &keys}
	w.Observe = func(j Job) {
		if where[j.Key] == nil {
			where[j.Key] = map[int]bool{}
		}
		where[j.Key][j.Server] = true
	}
	_, err := Simulate(w, func() policies.Policy { return &policies.Ring{Points: 20} }, 1)
	require.NoError(t, err)
	for key, servers := range where {
		assert.Len(t, servers, 1, key)
		assert.True(t, strings.HasPrefix(key, "key-"))
	}
}
