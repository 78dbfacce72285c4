package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFresh compares the generated files with the catalog and the reference
// files, and type-checks every mutant on the way.
func TestFresh(t *testing.T) {
	tree, err := Here(".")
	require.NoError(t, err)
	p, err := tree.plan()
	require.NoError(t, err)
	for id, failure := range p.failures {
		t.Errorf("%s: %v", id, failure)
	}
	stale, err := tree.stale(p)
	require.NoError(t, err)
	assert.Empty(t, stale, "run go generate ./mutants")
}

func TestCheckCatalog(t *testing.T) {
	good := entry("good", "x", "y", "law/a")
	require.NoError(t, Check([]Mutant{good}))
	for name, change := range map[string]func(*Mutant){
		"dash":          func(m *Mutant) { m.ID = "a-b" },
		"test file":     func(m *Mutant) { m.ID = "a_test" },
		"one system":    func(m *Mutant) { m.ID = "a_linux" },
		"no file":       func(m *Mutant) { m.File = "rooms" },
		"no text":       func(m *Mutant) { m.Find = "" },
		"no story":      func(m *Mutant) { m.Story = "" },
		"no source":     func(m *Mutant) { m.Source = "" },
		"no property":   func(m *Mutant) { m.Predicts = nil },
		"equivalent":    func(m *Mutant) { m.Equivalent = "because" },
		"contradictory": func(m *Mutant) { m.Spares = []string{"law"} },
	} {
		assert.Error(t, Check([]Mutant{with(good, change)}), name)
	}
	assert.Error(t, Check([]Mutant{good, good}))
}

func TestLocate(t *testing.T) {
	s, err := parseSource("rooms/rooms.go", []byte(fixtureReference))
	require.NoError(t, err)
	for _, bad := range []string{"not there", "return "} {
		_, err := s.locate(entry("x", bad, "y"))
		assert.Error(t, err)
	}
	for find, overlaid := range map[string]bool{
		"a + b": false, "const ten = 10": true, "func (c *Counter) Up()": true, `import "strings"`: true,
	} {
		h, err := s.locate(entry("x", find, "y"))
		require.NoError(t, err)
		assert.Equal(t, overlaid, h.overlaid(), find)
	}
}
