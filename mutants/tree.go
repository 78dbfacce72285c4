package mutants

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is a module on disk with a catalog of its mutants.
type Tree struct {
	Dir     string // of go.mod
	Module  string // its path
	Catalog []Mutant
	Reasons map[string]string // for properties in the shadow of others, by name
}

// A plan is what generation makes of a catalog.
type plan struct {
	files    map[string][]byte // generated, by path in the module
	hunks    map[string]hunk   // by the id of the mutant
	sources  map[string]*source
	failures map[string]error // of mutants that do not compile, by id
}

// overlaid tells whether a mutant needs a build of its own.
func (h hunk) overlaid() bool { return h.body == nil }

// plan renders every generated file. A mutant that does not compile is left
// out of them and reported in failures; any other fault is an error.
func (t Tree) plan() (*plan, error) {
	if err := Check(t.Catalog); err != nil {
		return nil, err
	}
	p := &plan{
		files: make(map[string][]byte), hunks: make(map[string]hunk),
		sources: make(map[string]*source), failures: make(map[string]error),
	}
	paths, err := t.tagged()
	if err != nil {
		return nil, err
	}
	for _, m := range t.Catalog {
		if !slices.Contains(paths, m.File) {
			paths = append(paths, m.File)
		}
	}
	slices.Sort(paths)
	checker, err := t.newChecker()
	if err != nil {
		return nil, err
	}
	for _, file := range paths {
		text, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, fmt.Errorf("mutants: %w", err)
		}
		s, err := parseSource(file, text)
		if err != nil {
			return nil, fmt.Errorf("mutants: %w", err)
		}
		p.sources[file] = s
		if err := t.planFile(p, s, checker); err != nil {
			return nil, err
		}
	}
	t.activeFiles(p)
	return p, nil
}

// planFile renders the twin of one file with those of its mutants that compile.
// Mostly all of them do, so the whole twin is checked first, and each mutant
// alone only to find the one that does not.
func (t Tree) planFile(p *plan, s *source, c *checker) error {
	var inTwin []hunk
	for _, m := range t.Catalog {
		if m.File != s.path {
			continue
		}
		h, err := s.locate(m)
		if err != nil {
			return err
		}
		p.hunks[m.ID] = h
		if !h.overlaid() {
			inTwin = append(inTwin, h)
		} else if err := c.check(s.path, []byte(s.apply(h))); err != nil {
			p.failures[m.ID] = doesNotCompile(m, err)
		}
	}
	if !strings.HasPrefix(s.text, tagLine) && len(inTwin) == 0 {
		return nil // all of its mutants are overlaid
	}
	twin, err := s.twin(t.Module, inTwin)
	if err != nil {
		return err
	}
	if c.check(s.path, twin) != nil {
		if twin, err = t.twinOfThoseThatCompile(p, s, c, inTwin); err != nil {
			return err
		}
	}
	p.files[twinPath(s.path)] = twin
	return nil
}

// twinOfThoseThatCompile checks the mutants of a file one by one and renders a
// twin without those that do not compile.
func (t Tree) twinOfThoseThatCompile(p *plan, s *source, c *checker, hunks []hunk) ([]byte, error) {
	var compile []hunk
	for _, h := range hunks {
		alone, err := s.twin(t.Module, []hunk{h})
		if err != nil {
			return nil, err
		}
		if err := c.check(s.path, alone); err != nil {
			p.failures[h.ID] = doesNotCompile(h.Mutant, err)
		} else {
			compile = append(compile, h)
		}
	}
	twin, err := s.twin(t.Module, compile)
	if err != nil {
		return nil, err
	}
	if err := c.check(s.path, twin); err != nil {
		return nil, fmt.Errorf("mutants: the twin of %s does not compile: %w", s.path, err)
	}
	return twin, nil
}

func doesNotCompile(m Mutant, err error) error {
	return fmt.Errorf("mutants: mutant %s does not compile: %w", m.ID, err)
}

func twinPath(file string) string { return path.Join(path.Dir(file), "zz_mutants_"+path.Base(file)) }

// activeFiles renders what package active knows of the catalog.
func (t Tree) activeFiles(p *plan) {
	var ids []string
	for _, m := range t.Catalog {
		if _, fails := p.failures[m.ID]; !fails && !p.hunks[m.ID].overlaid() {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	p.files[activePackage+"/zz_catalog.go"] = activeTable(ids)
	for _, id := range ids {
		p.files[activePackage+"/zz_mutant_"+id+".go"] = fmt.Appendf(nil,
			"%s\n//go:build mutant_%s\n\npackage active\n\nfunc init() { choose(%q) }\n", generated, id, id)
	}
}

func activeTable(ids []string) []byte {
	var b bytes.Buffer
	b.WriteString(generated + "\npackage active\n\n// Numbers of the mutants.\nconst (\n\tnone = iota\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "\t%s\n", constant(id))
	}
	b.WriteString(")\n\nvar numbers = map[string]int{\n\t\"\": none,\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "\t%q: %s,\n", id, constant(id))
	}
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(err) // ids have been checked
	}
	return out
}

// tagged lists the reference files that start with the tag line.
func (t Tree) tagged() ([]string, error) {
	var paths []string
	err := t.walk(func(file string) error {
		text, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(file)))
		if err == nil && bytes.HasPrefix(text, []byte(tagLine)) {
			paths = append(paths, file)
		}
		return err
	})
	return paths, err
}

// walk visits the Go files of the module, those of nested modules, of hidden
// directories and of testdata excepted.
func (t Tree) walk(visit func(file string) error) error {
	return fs.WalkDir(os.DirFS(t.Dir), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." {
			_, err := os.Stat(filepath.Join(t.Dir, filepath.FromSlash(file), "go.mod"))
			if err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") {
			return visit(file)
		}
		return nil
	})
}

// stale compares what should be generated with what is on disk, and names the
// files that differ, are missing, or should not be there.
func (t Tree) stale(p *plan) ([]string, error) {
	var wrong []string
	for file, want := range p.files {
		got, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(file)))
		if err != nil || !bytes.Equal(got, want) {
			wrong = append(wrong, file)
		}
	}
	leftovers, err := t.leftovers(p)
	wrong = append(wrong, leftovers...)
	slices.Sort(wrong)
	return wrong, err
}

// leftovers are generated files that no mutant needs any more.
func (t Tree) leftovers(p *plan) ([]string, error) {
	var all []string
	err := t.walk(func(file string) error {
		text, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(file)))
		if err == nil && bytes.HasPrefix(text, []byte(generated)) && p.files[file] == nil {
			all = append(all, file)
		}
		return err
	})
	return all, err
}

// Stale names the generated files that are not what the catalog and the
// reference files say.
func (t Tree) Stale() ([]string, error) {
	p, err := t.plan()
	if err != nil {
		return nil, err
	}
	return t.stale(p)
}

// Generate writes all generated files and removes those that are left over.
// The error names every mutant that does not compile; those are left out.
func (t Tree) Generate() (written int, err error) {
	p, err := t.plan()
	if err != nil {
		return 0, err
	}
	leftovers, err := t.leftovers(p)
	if err != nil {
		return 0, err
	}
	for _, file := range leftovers {
		if err := os.Remove(filepath.Join(t.Dir, filepath.FromSlash(file))); err != nil {
			return 0, err
		}
	}
	for file, text := range p.files {
		name := filepath.Join(t.Dir, filepath.FromSlash(file))
		if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return written, err
		}
		written++
	}
	var failures []string
	for _, id := range slices.Sorted(maps.Keys(p.failures)) {
		failures = append(failures, p.failures[id].Error())
	}
	if len(failures) > 0 {
		return written, fmt.Errorf("%s", strings.Join(failures, "\n"))
	}
	return written, nil
}
