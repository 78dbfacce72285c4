package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/mutants"
	"github.com/picklaw/picklaw/spec"
)

// TestPredictionsNameProperties holds the predictions against the registry: a property that was
// renamed must not be waited for in vain.
func TestPredictionsNameProperties(t *testing.T) {
	families := make(map[string]bool)
	for _, p := range spec.Properties() {
		families[p.Family()] = true
	}
	for _, m := range mutants.Catalog() {
		for _, name := range m.Predicts {
			_, err := spec.Find(name)
			assert.NoError(t, err, m.ID)
		}
		for _, f := range m.Spares {
			assert.True(t, families[f], "%s spares %s, which is no family of properties", m.ID, f)
		}
	}
}

// TestReasonsNameProperties does the same for properties in the shadow of others.
func TestReasonsNameProperties(t *testing.T) {
	for name := range mutants.Reasons() {
		_, err := spec.Find(name)
		assert.NoError(t, err)
	}
}

// TestMutantsList prints each bug of the catalog once.
func TestMutantsList(t *testing.T) {
	code, stdout, _ := picklaw("mutants", "list")
	assert.Zero(t, code)
	for _, m := range mutants.Catalog() {
		assert.Equal(t, 1, strings.Count(stdout, "\n  "+m.ID+"\n"), m.ID)
	}
	code, stdout, _ = picklaw("mutants", "list", "--json")
	assert.Zero(t, code)
	var all struct{ Mutants []plantedBug }
	require.NoError(t, json.Unmarshal([]byte(stdout), &all))
	assert.Len(t, all.Mutants, len(mutants.Catalog()))
}
