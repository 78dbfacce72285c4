package opinion

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// suiteRoom is where the specification is, and its test of the reference subjects.
const (
	suiteRoom = "spec"
	suiteTest = "TestReference"
)

// A check is the smallest part of the tests that can be run alone: one subject of
// the suite, or one test of a package.
type check struct {
	room    string // suiteRoom, or the directory of the package
	name    string
	seconds float64 // of the processor, that it takes without a mutation
	events  int     // a subject reports without a mutation
	covered blocks
}

func (c check) isSubject() bool { return c.room == suiteRoom }

// A program is a compiled test binary.
type program struct {
	path  string
	dir   string // where it expects to be started
	flags []string
}

// compileTest compiles the tests of a package of a module.
func compileTest(ctx context.Context, module, room, path string, flags ...string) (*program, error) {
	args := append([]string{"test", "-c", "-vet=off", "-o", path}, flags...)
	c := exec.CommandContext(ctx, "go", append(args, "./"+room)...)
	c.Dir = module
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("opinion: the tests of %s do not build: %w\n%s", room, err, out)
	}
	b := &program{path: path, dir: filepath.Join(module, filepath.FromSlash(room))}
	// Properties of package rapid are drawn anew in each run, and leave files behind
	// when they fail, unless told not to.
	usage, _ := exec.CommandContext(ctx, path, "-help").CombinedOutput() // ends with an error by design
	if strings.Contains(string(usage), "-rapid.seed") {
		b.flags = append(b.flags, "-rapid.seed=1", "-rapid.nofailfile")
	}
	return b, nil
}

// tests lists the tests of a package, its examples and the seeds of its fuzz
// targets.
func (b *program) tests(ctx context.Context) ([]string, error) {
	c := exec.CommandContext(ctx, b.path, "-test.list=.")
	c.Dir = b.dir
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("opinion: %s: %w", b.path, err)
	}
	var names []string
	for name := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	return names, nil
}

// writeOverlay makes the go command see the rendered files instead of those of
// the module.
func writeOverlay(module, dir string, builds []*build) (path string, err error) {
	replace := make(map[string]string)
	for _, b := range builds {
		for _, f := range b.files {
			file := filepath.Join(dir, strings.ReplaceAll(f.path, "/", "_"))
			if err := os.WriteFile(file, []byte(f.text), 0o644); err != nil {
				return "", err
			}
			replace[filepath.Join(module, filepath.FromSlash(f.path))] = file
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
