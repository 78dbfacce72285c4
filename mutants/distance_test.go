package mutants

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDistances compares profiles whose differences are known by hand.
func TestDistances(t *testing.T) {
	reference := map[string]profile{
		"fair": {Subject: "fair", Laws: map[string][]float64{"1 server": {1}, "2 servers": {0.5, 0.5}, "3 servers": {0.25, 0.25, 0.5}}, Mean: 2},
		"same": {Subject: "same", Laws: map[string][]float64{"1 server": {1}}, Mean: 3},
		"keys": {Subject: "keys", Owners: map[string][]int{"f": {0, 1, 0, 1}}},
	}
	mutant := map[string]profile{
		"fair": {Subject: "fair", Laws: map[string][]float64{"1 server": {1}, "2 servers": {0.75, 0.25}, "3 servers": {0, 0.5, 0.5}, "new": {1}}, Mean: 2.5},
		"same": {Subject: "same", Laws: map[string][]float64{"1 server": {1}}, Mean: 3 + 1e-6},
		"keys": {Subject: "keys", Owners: map[string][]int{"f": {0, 1, 1, 0}}},
	}
	assert.Equal(t, []Distance{
		{Subject: "keys", Law: 0.5, State: "f"},
		{Subject: "fair", Law: 0.25, State: "2 servers", Reference: []float64{0.5, 0.5}, Mutant: []float64{0.75, 0.25}, MeanTime: 2.5, ReferenceMeanTime: 2},
	}, distances(reference, mutant))
	assert.Empty(t, distances(reference, reference))
	assert.Empty(t, distances(nil, nil))
}

func TestFar(t *testing.T) {
	rule := MutantResult{File: "policies/random.go", Status: Caught}
	law, mean := far(rule)
	assert.Equal(t, [2]string{"0", ""}, [2]string{law, mean}, "a rule that is the same in every enumerated view")
	rule.Distances = []Distance{{Law: 1. / 3}, {Law: 0.1, MeanTime: 2.5, ReferenceMeanTime: 2}}
	law, mean = far(rule)
	assert.Equal(t, [2]string{"0.33", "2 to 2.5"}, [2]string{law, mean})
	rule.File = "queue/fifo.go"
	law, mean = far(rule)
	assert.Equal(t, [2]string{}, [2]string{law, mean}, "an engine has no law")
}

func TestReadProfiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profiles")
	none, err := readProfiles(file)
	require.NoError(t, err, "a suite need not report any")
	assert.Empty(t, none)
	require.NoError(t, os.WriteFile(file, []byte(`{"subject":"a","mean":2}`+"\n{"), 0o600))
	_, err = readProfiles(file)
	assert.ErrorContains(t, err, "profile 2 of the suite cannot be read")
}
