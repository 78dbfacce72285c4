package opinion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
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

// A source is one file of a package that is mutated.
type source struct {
	path   string // in the module, slash-separated
	dir    string // of the package in the module
	text   string
	fset   *token.FileSet
	syntax *ast.File
	info   *types.Info
}

// offset is where a position is in the text.
func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// A room is a package that is mutated, with its types.
type room struct {
	dir     string // in the module
	path    string // to import it by
	name    string
	sources []*source
	imports types.Importer
}

// load parses and type-checks packages of the module in a directory, without
// their tests.
func load(module string, dirs []string) ([]*room, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,DepOnly",
		"os", "strconv"} // which activeFile needs
	for _, d := range dirs {
		args = append(args, "./"+d)
	}
	list := exec.Command("go", args...)
	list.Dir = module
	var diagnosis bytes.Buffer
	list.Stderr = &diagnosis
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("opinion: go list: %w\n%s", err, diagnosis.Bytes())
	}
	export := make(map[string]string)
	names := make(map[string][]string)
	byDir := make(map[string]*room)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Dir, Export string
			GoFiles                       []string
			DepOnly                       bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("opinion: go list: %w", err)
		}
		export[p.ImportPath] = p.Export
		if rel, err := filepath.Rel(module, p.Dir); err == nil && !p.DepOnly {
			dir := filepath.ToSlash(rel)
			byDir[dir] = &room{dir: dir, path: p.ImportPath, name: p.Name}
			names[dir] = p.GoFiles
		}
	}
	var rooms []*room
	for _, dir := range dirs {
		r := byDir[path.Clean(dir)]
		if r == nil {
			return nil, fmt.Errorf("opinion: %s is no package of the module in %s", dir, module)
		}
		fset := token.NewFileSet()
		r.imports = importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
		if err := r.read(module, fset, names[r.dir]); err != nil {
			return nil, err
		}
		rooms = append(rooms, r)
	}
	return rooms, nil
}

// read parses the files of a room and finds their types.
func (r *room) read(module string, fset *token.FileSet, names []string) error {
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	var files []*ast.File
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(r.dir), name))
		if err != nil {
			return fmt.Errorf("opinion: %w", err)
		}
		s := &source{path: path.Join(r.dir, name), dir: r.dir, text: string(text), fset: fset, info: info}
		if s.syntax, err = parser.ParseFile(fset, s.path, text, parser.SkipObjectResolution); err != nil {
			return fmt.Errorf("opinion: %w", err)
		}
		files = append(files, s.syntax)
		r.sources = append(r.sources, s)
	}
	config := types.Config{Importer: r.imports}
	if _, err := config.Check(r.path, fset, files, info); err != nil {
		return fmt.Errorf("opinion: %w", err)
	}
	return nil
}

// mutations lists every change to the room.
func (r *room) mutations() []Mutation {
	var all []Mutation
	for _, s := range r.sources {
		all = append(all, s.mutate()...)
	}
	return all
}
