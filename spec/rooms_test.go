package spec

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rooms may import only what the house allows; the peers live in modules of
// their own, and generated twins of mutated files are behind a build tag.
func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	const module = "github.com/picklaw/picklaw/"
	may := map[string][]string{
		"policies": {"policies"},
		"oracle":   {"oracle"},
		"queue":    {"queue", "policies"},
		"spec":     {"spec", "policies", "queue", "oracle"},
		"mutants":  {"mutants"},
		"fuzz":     {"fuzz", "spec", "policies", "queue", "oracle"},
	}
	seen := 0
	for room, allowed := range may {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "peers" || d.Name() == "testdata") {
				if d != nil && d.IsDir() {
					return filepath.SkipDir
				}
				return err
			}
			if !strings.HasSuffix(path, ".go") || strings.HasPrefix(d.Name(), "zz_mutants_") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			seen++
			for _, i := range file.Imports {
				imported, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module)
				if !ours {
					continue
				}
				target, _, _ := strings.Cut(imported, "/")
				// Commands print the catalog, and the suite tells the runner which mutants it reached.
				aboutMutants := target == "mutants" &&
					(strings.HasPrefix(filepath.ToSlash(path), "../spec/cmd/") || path == filepath.Join("..", "spec", "mutants_reached_test.go"))
				require.True(t, slices.Contains(allowed, target) || aboutMutants,
					"%s imports %s; %s may import %v", path, imported, room, allowed)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, seen, 50)
}

// An adopter who imports spec gets rapid and gonum, and no command-line,
// plotting or assertion library.
func TestSpecItselfStaysLight(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			if strings.Contains(path, ".") && !strings.HasPrefix(path, "github.com/picklaw/picklaw/") {
				require.Contains(t, []string{"pgregory.net/rapid"}, path, name)
			}
		}
	}
}
