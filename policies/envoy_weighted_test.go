package policies

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestEnvoyWeightedKeepsDeadlines(t *testing.T) {
	fleet := Fleet(3)
	fleet[0].Weight = 4
	e := &EnvoyWeighted{Bias: 1, turns: []turn{{0, 0.25}, {1, 0.5}, {2, 1}}}
	v := &Snapshot{Servers: fleet, Loads: []float64{1, 0, 3}}
	// At 1/4: 0, which has one request, so its effective weight is 4/2 and its next
	// turn at 3/4. At 1/2: 1, next at 3/2. At 3/4: 0 again, next at 5/4. At 1: 2,
	// with weight 1/4, next at 5. At 5/4: 0, next at 7/4. At 3/2: 1.
	assert.Equal(t, []ServerID{0, 1, 0, 2, 0, 1}, picks(e, v, nil, 6))
	assert.Equal(t, []turn{{0, 0.25}, {1, 1}, {2, 3.5}}, e.turns)
	v.Loads[2] = 0
	assert.Equal(t, []ServerID{0, 0}, picks(e, v, nil, 2), "a deadline holds when the load goes")
}

func TestEnvoyWeightedFirstPick(t *testing.T) {
	fresh := func(bias float64) func() Policy { return func() Policy { return &EnvoyWeighted{Bias: bias} } }
	v := &Snapshot{Servers: weighted(5, 1, 1), Loads: []float64{0, 0, 0}}
	wantLaw(t, fair(5, 1, 1), pickLaw(v, Request{}, fresh(1)))
	v.Loads = []float64{3, 3, 3}
	wantLaw(t, fair(5, 1, 1), pickLaw(v, Request{}, fresh(2)))
	v.Loads = []float64{4, 0, 1} // effective weights 5/5, 1/1, 1/2
	wantLaw(t, map[int]string{0: "2/5", 1: "2/5", 2: "1/5"}, pickLaw(v, Request{}, fresh(1)))
	wantLaw(t, fair(5, 1, 1), pickLaw(v, Request{}, fresh(0)))
	wantLaw(t, map[int]string{None: "1"}, pickLaw(at(), Request{}, fresh(1)))
	// Chances are whole numbers, 2^16 for each unit of weight, and nobody has none.
	v = &Snapshot{Servers: weighted(1, 1, 1), Loads: []float64{0, 9, 1}}
	wantLaw(t, fair(1<<16, 1, 1<<6), pickLaw(v, Request{}, fresh(10)))
}

// Without loads it is a rotation: every window of sum/gcd picks is exact once
// every server has had a turn. (Weights are powers of two, so that deadlines are
// exact in binary.)
func TestEnvoyWeightedWithoutLoadsIsARotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.SampledFrom([]uint64{1, 2, 4, 8}), 1, 5).Draw(t, "weights")
		fleet := weighted(weights...)
		v := &Snapshot{Servers: fleet, Loads: make([]float64, len(fleet))}
		e := &EnvoyWeighted{Bias: 1}
		picks(e, v, NewCoins(rapid.Uint64().Draw(t, "seed")), int(sum(weights)))
		checkWindows(t, picks(e, v, nil, 120), fleet)
	})
}

func TestEnvoyWeightedThroughUpdates(t *testing.T) {
	fleet := weighted(1, 1, 1, 1)
	e := &EnvoyWeighted{}
	v := &Snapshot{Servers: fleet}
	first := e.Pick(Request{}, v, phase(2))
	assert.Equal(t, 2, first)
	assert.Equal(t, []ServerID{3, 13, 33, 23}, picks(e, v, nil, 4), "half a turn, then a whole one")

	rest := slices.Delete(slices.Clone(fleet), 1, 2)
	e.Update(rest)
	twin := e.Clone()
	assert.Equal(t, []ServerID{3, 33, 23, 3}, picks(e, &Snapshot{Servers: rest}, nil, 4), "survivors keep their turns")
	assert.NotEqual(t, e.State(), twin.(*EnvoyWeighted).State())

	// Away for long, a server has no pile of turns to catch up with.
	picks(e, &Snapshot{Servers: rest[:1]}, nil, 50)
	got := picks(e, &Snapshot{Servers: rest}, nil, 6)
	for _, s := range rest {
		assert.Len(t, slices.DeleteFunc(slices.Clone(got), func(id ServerID) bool { return id != s.ID }), 2, "%v", got)
	}
}
