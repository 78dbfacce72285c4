package mutants

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Mutant is one planted bug.
type Mutant struct {
	ID   string // stable; lower-case words joined by underscores, as in the tag mutant_ID
	File string // the reference file, by its slash-separated path in the module
	// Find is the text that is replaced; it occurs exactly once in the file.
	Find, Replace string

	Story    string   // what breaks for a user
	Source   string   // the public report that it stands for, or "classic"
	Predicts []string // properties that must convict it
	Spares   []string // families that must not convict it, over the exact tier

	// Leased says that the bug is not in the bare rule: what is predicted shows on
	// a balancer, so it is also checked by samples where it could be had exactly.
	Leased     bool
	Hangs      bool   // the mutant may never return
	Equivalent string // why nothing can tell it from the reference; empty for a bug
}

// Families are those of the predicted properties.
func (m Mutant) Families() []string {
	var all []string
	for _, p := range m.Predicts {
		if f := family(p); !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// family is the part of the name of a property before the slash.
func family(property string) string {
	f, _, _ := strings.Cut(property, "/")
	return f
}

var (
	validID = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	// A file mutant_ID.go must not be taken for a test or for one of a system.
	reservedEnd = regexp.MustCompile(`_(test|linux|windows|darwin|unix|android|ios|js|wasip1|wasm|amd64|arm64|arm|386|plan9|solaris|freebsd|netbsd|openbsd|aix)$`)
)

// Check says what is wrong with a catalog.
func Check(catalog []Mutant) error {
	seen := make(map[string]bool)
	for _, m := range catalog {
		var wrong string
		switch {
		case !validID.MatchString(m.ID):
			wrong = "the id must be lower-case words joined by underscores"
		case reservedEnd.MatchString(m.ID):
			wrong = "the id ends like a file for tests or for one system"
		case seen[m.ID]:
			wrong = "the id is not unique"
		case !strings.HasSuffix(m.File, ".go") || strings.HasSuffix(m.File, "_test.go"):
			wrong = fmt.Sprintf("file %q is not a reference file", m.File)
		case m.Find == "":
			wrong = "there is no text to find"
		case m.Story == "" || m.Source == "":
			wrong = "it needs a story and a source"
		case len(m.Predicts) == 0 && m.Equivalent == "":
			wrong = "it predicts no property; a bug that nothing catches names a missing property"
		case len(m.Predicts) > 0 && m.Equivalent != "":
			wrong = "it is equivalent and yet predicts a property"
		}
		for _, p := range m.Predicts {
			if slices.Contains(m.Spares, family(p)) {
				wrong = fmt.Sprintf("it predicts %s and spares its family", p)
			}
		}
		if wrong != "" {
			return fmt.Errorf("mutants: mutant %q: %s", m.ID, wrong)
		}
		seen[m.ID] = true
	}
	return nil
}
