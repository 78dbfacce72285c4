package oracle

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLawsAtThreeUnequalServers(t *testing.T) {
	for spelling, want := range map[string]string{
		"random":                      "1/3 1/3 1/3",
		"round-robin":                 "1/3 1/3 1/3",
		"least-request":               "1 0 0",
		"lowest-index":                "1 0 0",
		"two-lightest":                "1/2 1/2 0",
		"power-of-d:2":                "2/3 1/3 0",
		"power-of-d:2:replacement":    "5/9 1/3 1/9",
		"power-of-d:2:lowest-index":   "2/3 1/3 0",
		"heavier-of-d:2":              "0 1/3 2/3",
		"power-of-d:1":                "1/3 1/3 1/3",
		"power-of-d:7":                "1 0 0",
		"power-of-d:3:replacement":    "19/27 7/27 1/27",
		"weighted-random":             "1/3 1/3 1/3",
		"power-of-d:1:replacement":    "1/3 1/3 1/3",
		"power-of-d:4096:replacement": "",
	} {
		law, err := ParseLaw(spelling)
		require.NoError(t, err, spelling)
		require.Equal(t, spelling, law.String())
		p, err := law.Probabilities(State{Loads: []float64{0, 1, 2}})
		require.NoError(t, err, spelling)
		if want != "" {
			require.Equal(t, want, printed(p), spelling)
		}
	}
}

func TestKnownLawsReadBackAndDiffer(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 9} {
		var loads, stairs []float64
		var weights []uint64
		for i := range n { // descending: index and load disagree
			loads = append(loads, float64((n-i)/2))
			stairs = append(stairs, float64(n-i))
			weights = append(weights, uint64((n-i)*(n-i)))
		}
		if n == 1 {
			require.Equal(t, []Law{Random{}}, KnownLaws(n))
			continue
		}
		seen := map[string]string{}
		for _, law := range slices.Concat(KnownLaws(n), WeightedLaws()) {
			again, err := ParseLaw(law.String())
			require.NoError(t, err)
			require.Equal(t, law, again)
			require.NoError(t, Fits(law, n))
			// These views tell them apart: pairs, a staircase, all idle, and one pick later.
			var views []string
			for _, s := range []State{
				{Loads: loads, Weights: weights},
				{Loads: stairs},
				{Loads: make([]float64, n)},
				{Loads: loads, Weights: weights, History: []int{0}},
			} {
				p, err := law.Probabilities(s)
				require.NoError(t, err)
				views = append(views, printed(p))
			}
			key := strings.Join(views, " | ")
			require.Empty(t, seen[key], "n=%d: %v is the same law here", n, law)
			seen[key] = law.String()
		}
	}
}

func TestParseLawRefuses(t *testing.T) {
	for _, spelling := range []string{
		"", "Random", "random:2", "least-request:", "power-of-d", "power-of-d:", "power-of-d:0", "power-of-d:-1",
		"power-of-d:2:", "power-of-d:02", "power-of-d:+2", "power-of-d:2:lowest-index:replacement", "power-of-d:4097",
		"power-of-d:2:replacement:replacement", "power-of-d:2:fair", "heavier-of-d:2:replacement", "heavier-of-d:x",
		"power-of-d:99999999999999999999",
	} {
		law, err := ParseLaw(spelling)
		require.Error(t, err, "%q became %v", spelling, law)
		require.Contains(t, err.Error(), `"`, spelling)
	}
	_, err := ParseLaw("power-of-two")
	require.ErrorContains(t, err, "power-of-d:D[:replacement][:lowest-index]")
}

func TestFits(t *testing.T) {
	require.ErrorContains(t, Fits(PowerOfD{D: 4}, 3), "4 distinct servers and the fleet has 3")
	require.Error(t, Fits(HeavierOfD{D: 4}, 3))
	require.NoError(t, Fits(PowerOfD{D: 4, Replacement: true}, 3))
	require.NoError(t, Fits(PowerOfD{D: 3}, 3))
	require.NoError(t, Fits(Random{}, 1))
}

func TestLawsRefuseBadStates(t *testing.T) {
	bad := map[string]State{
		"no server":               {},
		"load of server 1 is NaN": {Loads: []float64{0, math.NaN()}},
		"is +Inf":                 {Loads: []float64{math.Inf(1)}},
		"is -1":                   {Loads: []float64{0, 2, -1}},
		"1 weights for 2":         {Loads: []float64{0, 1}, Weights: []uint64{1}},
		"0 weights for 1":         {Loads: []float64{0}, Weights: []uint64{}},
		"weight of server 1 is 0": {Loads: []float64{0, 1}, Weights: []uint64{1, 0}},
		"history is 2":            {Loads: []float64{0, 1}, History: []int{1, 2}},
		"history is -1":           {Loads: []float64{0, 1}, History: []int{-1}},
	}
	for want, s := range bad {
		for _, law := range slices.Concat(KnownLaws(9), WeightedLaws()) {
			_, err := law.Probabilities(s)
			require.ErrorContains(t, err, want, "%v", law)
		}
	}
	for _, law := range []Law{PowerOfD{}, PowerOfD{D: -2}, PowerOfD{D: MaxChoices + 1, Replacement: true}, HeavierOfD{}} {
		_, err := law.Probabilities(State{Loads: []float64{1}})
		require.ErrorContains(t, err, "want 1 to 4096")
	}
}
