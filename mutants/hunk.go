package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A hunk is a mutant located in its file.
type hunk struct {
	Mutant
	at   int           // offset of Find in the file
	body *ast.FuncDecl // the function whose body holds all of Find; nil if there is none
}

// A source is a reference file, parsed.
type source struct {
	path string // in the module, slash-separated
	text string
	fset *token.FileSet
	file *ast.File
}

func parseSource(path string, text []byte) (*source, error) {
	s := &source{path: path, text: string(text), fset: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

// offset is where a position is in the text.
func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// locate finds a mutant in its file.
func (s *source) locate(m Mutant) (hunk, error) {
	switch n := strings.Count(s.text, m.Find); n {
	case 1:
	case 0:
		return hunk{}, fmt.Errorf("mutants: mutant %s: %s does not contain %q", m.ID, s.path, m.Find)
	default:
		return hunk{}, fmt.Errorf("mutants: mutant %s: %s contains %q %d times, want once", m.ID, s.path, m.Find, n)
	}
	h := hunk{Mutant: m, at: strings.Index(s.text, m.Find)}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Type.TypeParams != nil || f.Name.Name == "init" {
			continue
		}
		if s.offset(f.Body.Lbrace) < h.at && h.at+len(m.Find) <= s.offset(f.Body.Rbrace) {
			h.body = f
		}
	}
	return h, nil
}

// apply returns the file with the hunk in it.
func (s *source) apply(h hunk) string {
	return s.text[:h.at] + h.Replace + s.text[h.at+len(h.Find):]
}

// around is how many unchanged lines a diff shows around a hunk.
const around = 3

// Diff shows a hunk as a unified diff.
func (s *source) diff(h hunk) string {
	first := strings.LastIndexByte(s.text[:h.at], '\n') + 1
	last := h.at + len(h.Find)
	if i := strings.IndexByte(s.text[last:], '\n'); i >= 0 {
		last += i
	} else {
		last = len(s.text)
	}
	old := strings.Split(s.text[first:last], "\n")
	replaced := strings.Split(s.text[first:h.at]+h.Replace+s.text[h.at+len(h.Find):last], "\n")
	before := strings.Split(strings.TrimSuffix(s.text[:first], "\n"), "\n")
	if first == 0 {
		before = nil
	}
	line := len(before)
	before = before[max(0, len(before)-around):]
	after := strings.Split(strings.TrimSuffix(strings.TrimPrefix(s.text[last:], "\n"), "\n"), "\n")
	after = after[:min(len(after), around)]

	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", s.path, s.path)
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", line-len(before)+1, len(before)+len(old)+len(after),
		line-len(before)+1, len(before)+len(replaced)+len(after))
	write := func(mark string, lines []string) {
		for _, l := range lines {
			b.WriteString(mark + l + "\n")
		}
	}
	write(" ", before)
	write("-", old)
	write("+", replaced)
	write(" ", after)
	return b.String()
}
