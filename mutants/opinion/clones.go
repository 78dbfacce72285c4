package opinion

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/picklaw/picklaw/mutants/internal/clone"
)

// A numbered mutation is one with the number that chooses it in a build.
type numbered struct {
	Mutation
	number int // from 1
}

// A clonedFile is a file with a clone of the function of each mutation in it.
type clonedFile struct {
	path   string
	text   string
	clones []placed // in the order of the text
}

// placed tells where in a text the clone of a mutation begins.
type placed struct{ at, number int }

// number is that of the mutation whose clone an offset is in, 0 outside.
func (f clonedFile) number(offset int) int {
	i := sort.Search(len(f.clones), func(i int) bool { return f.clones[i].at > offset })
	if i == 0 {
		return 0
	}
	return f.clones[i-1].number
}

// active is the variable that every mutated package reads its mutation from.
const active = "picklawOpinion"

// Environment is the variable of the environment that chooses a mutation by its
// number.
const Environment = "PICKLAW_OPINION"

// activeFile is added to every mutated package. A value that is no number of the
// build must not pass for the unmutated code.
func activeFile(name string, most int) string {
	return fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
)

var %s = func() int {
	text := os.Getenv(%q)
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < 1 || n > %d) {
		panic("opinion: %s is " + text + ", which is no mutation of this build")
	}
	return n
}()
`, name, active, Environment, most, Environment)
}

// render writes a file in which each mutated function turns to the clone of the
// mutation that is active.
func (s *source) render(mutations []numbered) clonedFile {
	byFunc := make(map[*ast.FuncDecl][]numbered)
	for _, m := range mutations {
		byFunc[m.decl] = append(byFunc[m.decl], m)
	}
	out := clonedFile{path: s.path}
	var edits []clone.Edit
	var clones strings.Builder
	for _, d := range s.syntax.Decls {
		f, _ := d.(*ast.FuncDecl)
		if len(byFunc[f]) == 0 {
			continue
		}
		named, call := clone.Callable(f, s.offset)
		edits = append(edits, named...)
		var dispatch strings.Builder
		fmt.Fprintf(&dispatch, " switch %s {\n", active)
		for _, m := range byFunc[f] {
			name := fmt.Sprintf("%s_opinion%d", f.Name.Name, m.number)
			fmt.Fprintf(&dispatch, "case %d:\n%s\n", m.number, call(name))
			out.clones = append(out.clones, placed{clones.Len(), m.number})
			clones.WriteString("\n" + s.clone(m.Mutation, name) + "\n")
		}
		at := s.offset(f.Body.Lbrace) + 1
		edits = append(edits, clone.Edit{From: at, To: at, Text: dispatch.String() + "}; "})
	}
	out.text = clone.Apply(s.text, edits)
	for i := range out.clones {
		out.clones[i].at += len(out.text)
	}
	out.text += clones.String()
	return out
}

// clone is the function of a mutation with the change in it, under another name.
func (s *source) clone(m Mutation, name string) string {
	f := m.decl
	from, to := s.offset(f.Type.Func), s.offset(f.End())
	at := s.offset(f.Name.Pos()) - from
	return clone.Apply(s.text[from:to], []clone.Edit{
		{From: at, To: at + len(f.Name.Name), Text: name},
		{From: m.from - from, To: m.to - from, Text: m.text},
	})
}

// A build is a room with all of its mutations that compile.
type build struct {
	room    *room
	files   []clonedFile
	refused map[int]string // why mutations do not compile, by their number
}

// compile renders the room with its mutations and leaves out those that the type
// checker refuses.
func (r *room) compile(mutations []numbered, most int) (*build, error) {
	b := &build{room: r, refused: make(map[int]string)}
	viable := b.parse(mutations)
	for {
		b.files = nil
		for _, s := range r.sources {
			var inFile []numbered
			for _, m := range viable {
				if m.File == s.path {
					inFile = append(inFile, m)
				}
			}
			b.files = append(b.files, s.render(inFile))
		}
		b.files = append(b.files, clonedFile{path: r.dir + "/zz_opinion.go", text: activeFile(r.name, most)})
		refused := len(b.refused)
		if err := b.check(); err != nil {
			return nil, err
		}
		if len(b.refused) == refused {
			return b, nil
		}
		var rest []numbered
		for _, m := range viable {
			if b.refused[m.number] == "" {
				rest = append(rest, m)
			}
		}
		viable = rest
	}
}

// parse leaves out mutations that are no Go at all, which would spoil the file
// for all the others.
func (b *build) parse(mutations []numbered) []numbered {
	byPath := make(map[string]*source)
	for _, s := range b.room.sources {
		byPath[s.path] = s
	}
	var viable []numbered
	for _, m := range mutations {
		text := "package p\n" + byPath[m.File].clone(m.Mutation, "f")
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution); err != nil {
			b.refused[m.number] = err.Error()
			continue
		}
		viable = append(viable, m)
	}
	return viable
}

// check type-checks the room as rendered and blames each error on the mutation
// in whose clone it is. An error outside of the clones is one of ours.
func (b *build) check() error {
	fset := token.NewFileSet()
	byName := make(map[string]clonedFile)
	var files []*ast.File
	for _, f := range b.files {
		byName[f.path] = f
		syntax, err := parser.ParseFile(fset, f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("opinion: the clones of %w", err)
		}
		files = append(files, syntax)
	}
	var ours error
	config := types.Config{Importer: b.room.imports, Error: func(err error) {
		var e types.Error
		if !errors.As(err, &e) {
			ours = errors.Join(ours, err)
			return
		}
		at := fset.Position(e.Pos)
		if n := byName[at.Filename].number(at.Offset); n > 0 {
			b.refused[n] = e.Msg
		} else {
			ours = errors.Join(ours, fmt.Errorf("opinion: %w", err))
		}
	}}
	config.Check(b.room.path, fset, files, nil) // errors come one by one
	return ours
}
