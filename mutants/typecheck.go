package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	value "go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// A checker type-checks a package with one file exchanged. The other packages
// are known by the export data of the compiler.
type checker struct {
	tree    Tree
	fset    *token.FileSet
	files   map[string][]string // of each package of the module, by its directory
	paths   map[string]string   // import paths of the same
	parsed  map[string]*ast.File
	imports types.Importer
	active  *types.Package
}

func (t Tree) newChecker() (*checker, error) {
	c := &checker{
		tree: t, fset: token.NewFileSet(),
		files: make(map[string][]string), paths: make(map[string]string), parsed: make(map[string]*ast.File),
	}
	list := exec.Command("go", "list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	list.Dir = t.Dir
	var diagnosis bytes.Buffer
	list.Stderr = &diagnosis
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("mutants: go list: %w\n%s", err, diagnosis.Bytes())
	}
	export := make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			Module                  *struct{ Path string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("mutants: go list: %w", err)
		}
		export[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Path == t.Module {
			dir, err := filepath.Rel(t.realDir(), p.Dir)
			if err != nil {
				return nil, err
			}
			dir = filepath.ToSlash(dir)
			c.files[dir], c.paths[dir] = p.GoFiles, p.ImportPath
		}
	}
	c.imports = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("no export data for %s; is it imported anywhere in the module?", path)
		}
		return os.Open(export[path])
	})
	c.active, err = t.activePackage()
	return c, err
}

// realDir is the directory as go list spells it.
func (t Tree) realDir() string {
	if dir, err := filepath.Abs(t.Dir); err == nil {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		return dir
	}
	return t.Dir
}

// activePackage is package active with every mutant of the catalog, whatever
// has been generated so far.
func (t Tree) activePackage() (*types.Package, error) {
	p := types.NewPackage(t.Module+"/"+activePackage, "active")
	integer := types.Typ[types.Int]
	p.Scope().Insert(types.NewVar(token.NoPos, p, "Mutant", integer))
	p.Scope().Insert(types.NewConst(token.NoPos, p, "Recording", integer, value.MakeInt64(-1)))
	list := types.NewTuple(types.NewParam(token.NoPos, p, "mutants", types.NewSlice(integer)))
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Reach", types.NewSignatureType(nil, nil, nil, list, nil, true)))
	for i, m := range t.Catalog {
		name := constant(m.ID)
		if p.Scope().Lookup(name) != nil {
			return nil, fmt.Errorf("mutants: two mutants are called active.%s; rename %s", name, m.ID)
		}
		p.Scope().Insert(types.NewConst(token.NoPos, p, name, integer, value.MakeInt64(int64(i+1))))
	}
	p.MarkComplete()
	return p, nil
}

// Import makes the checker the importer of what it checks.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == c.active.Path() {
		return c.active, nil
	}
	return c.imports.Import(path)
}

// check type-checks the package of a file with other text in its place.
func (c *checker) check(file string, text []byte) error {
	dir := path.Dir(file)
	names, known := c.files[dir]
	if !known {
		return fmt.Errorf("%s is in no package of the module", file)
	}
	var files []*ast.File
	for _, name := range names {
		name = path.Join(dir, name)
		if name == file {
			continue
		}
		f := c.parsed[name]
		if f == nil {
			var err error
			if f, err = parser.ParseFile(c.fset, filepath.Join(c.tree.Dir, filepath.FromSlash(name)), nil, parser.SkipObjectResolution); err != nil {
				return err
			}
			c.parsed[name] = f
		}
		files = append(files, f)
	}
	f, err := parser.ParseFile(c.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	config := types.Config{Importer: c}
	_, err = config.Check(c.paths[dir], c.fset, append(files, f), nil)
	return err
}
