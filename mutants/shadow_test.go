package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShade(t *testing.T) {
	mutants := []MutantResult{
		{ID: "one", CaughtBy: []string{"law/a", "law/b", "keys/x"}},
		{ID: "two", CaughtBy: []string{"law/b"}},
		{ID: "three", CaughtBy: []string{"law/a", "law/b"}},
	}
	s := Summary{Properties: []string{"keys/x", "law/a", "law/b", "law/c"}, Reasons: map[string]string{"law/a": "It is b in other words.", "law/c": "Nothing can."}}
	s.shade(mutants)
	assert.Equal(t, map[string]string{"law/a": "It is b in other words.", "law/c": "Nothing can."}, s.Shadowed)
	assert.Empty(t, s.WrongReasons)

	for name, reasons := range map[string]map[string]string{
		"none for one in a shadow":    {"law/a": "It is b in other words."},
		"one for what catches alone":  {"law/a": "It is b in other words.", "law/c": "Nothing can.", "law/b": "Out of date."},
		"one for what is not run":     {"law/a": "It is b in other words.", "law/c": "Nothing can.", "law/d": "Gone."},
		"one for another family's":    {"law/a": "It is b in other words.", "law/c": "Nothing can.", "keys/x": "Out of date."},
		"an empty one is none at all": {"law/a": "It is b in other words.", "law/c": ""},
	} {
		s.Reasons = reasons
		s.shade(mutants)
		assert.Len(t, s.WrongReasons, 1, name)
	}
}

// A whole run tells where the reasons do not fit; a part of one cannot.
func TestWrongReasons(t *testing.T) {
	r := &Report{Mutants: []MutantResult{{ID: "one", Status: Caught, CaughtBy: []string{"law/a"}}}}
	r.Summary.Catalog, r.Summary.Properties = 1, []string{"law/a", "law/b"}
	r.summarize()
	assert.NotEmpty(t, r.Summary.WrongReasons)
	assert.Equal(t, ExitPredictions, r.ExitCode())
	r.Summary.Catalog = 2 // only a part of it
	r.summarize()
	assert.Empty(t, r.Summary.WrongReasons)
	assert.Equal(t, ExitCaught, r.ExitCode())
}
