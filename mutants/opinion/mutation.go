package opinion

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// A Mutation is one small change that an operator makes to a function.
type Mutation struct {
	Package  string `json:"package"`  // its directory in the module
	File     string `json:"file"`     // by its slash-separated path in the module
	Line     int    `json:"line"`     // where it is now; not part of its identity
	Func     string `json:"func"`     // as in (*Ring).Pick, without the package
	Operator string `json:"operator"` // one of Operators
	Find     string `json:"find"`     // the text that changes, on one line
	Replace  string `json:"replace"`
	Nth      int    `json:"nth,omitempty"` // from 1, among equal changes in one function; 0 for the only one

	from, to int    // of the text in its file
	text     string // instead of it
	decl     *ast.FuncDecl
}

// Key names a mutation for as long as its function keeps its name and the text
// that changes, whatever happens to the lines around it.
func (m Mutation) Key() string {
	key := fmt.Sprintf("%s.%s: %s: %s => %s", m.Package, m.Func, m.Operator, m.Find, m.Replace)
	if m.Nth > 0 {
		key += " #" + strconv.Itoa(m.Nth)
	}
	return key
}

// funcName is the name of a function with its receiver.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return "(*" + typeName(t.X) + ")." + f.Name.Name
	default:
		return typeName(t) + "." + f.Name.Name
	}
}

func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr: // a generic type
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return "?"
}

// oneLine is a text with all of its white space as single blanks, shortened
// unless that would hide where two texts differ.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// number tells equal changes in one function apart, in the order of the text.
func number(all []Mutation) {
	seen := make(map[string]int)
	for _, m := range all {
		seen[m.Key()]++
	}
	nth := make(map[string]int)
	for i := range all {
		if key := all[i].Key(); seen[key] > 1 {
			nth[key]++
			all[i].Nth = nth[key]
		}
	}
}

// span is where a node is in its file.
func span(offset func(token.Pos) int, n ast.Node) (from, to int) {
	return offset(n.Pos()), offset(n.End())
}
