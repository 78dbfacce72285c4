// Package clone renders functions that can turn to clones of themselves, which is
// how many mutants live in one build.
package clone

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// An Edit replaces a part of a text.
type Edit struct {
	From, To int
	Text     string
}

// Apply applies edits that do not overlap.
func Apply(text string, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.From] + e.Text)
		at = e.To
	}
	return b.String() + text[at:]
}

// Callable names the receiver and the parameters of a function that have no name,
// and returns the statement that calls another function of the same signature.
// offset is where a position is in the text that the edits are of.
func Callable(f *ast.FuncDecl, offset func(token.Pos) int) (edits []Edit, call func(name string) string) {
	unnamed := 0
	fresh := func() string {
		unnamed++
		return fmt.Sprintf("arg%d", unnamed)
	}
	names := func(list *ast.FieldList) (all []string) {
		for _, field := range list.List {
			if len(field.Names) == 0 {
				name, at := fresh(), offset(field.Type.Pos())
				edits = append(edits, Edit{at, at, name + " "})
				all = append(all, name)
			}
			for _, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = fresh()
					edits = append(edits, Edit{offset(id.Pos()), offset(id.End()), name})
				}
				all = append(all, name)
			}
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				all[len(all)-1] += "..."
			}
		}
		return all
	}
	receiver, types := "", ""
	if f.Recv != nil {
		receiver = names(f.Recv)[0] + "."
	}
	if f.Type.TypeParams != nil {
		types = "[" + strings.Join(names(f.Type.TypeParams), ", ") + "]"
	}
	args := strings.Join(names(f.Type.Params), ", ")
	return edits, func(name string) string {
		statement := receiver + name + types + "(" + args + ")"
		if f.Type.Results.NumFields() == 0 {
			return statement + "\nreturn"
		}
		return "return " + statement
	}
}
