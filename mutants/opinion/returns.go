package opinion

import (
	"go/ast"
	"go/types"
	"strings"
)

// body makes the function return at once.
func (w *walker) body() {
	if len(w.decl.Body.List) == 0 {
		return
	}
	if r, ok := w.decl.Body.List[0].(*ast.ReturnStmt); ok && len(w.decl.Body.List) == 1 && len(r.Results) > 0 {
		return // the same as to change its only return
	}
	at := w.offset(w.decl.Body.Lbrace) + 1
	text := "return"
	if values := w.zeros(w.decl.Type); values != "" {
		text += " " + values
	}
	// Behind a condition, so that what the rest uses is still used.
	w.change("body", w.decl, at, at, " if true { "+text+" }; ")
	m := &w.found[len(w.found)-1]
	m.Find, m.Replace = "{", "{ "+text
}

// returns makes a return statement return zero values.
func (w *walker) returns(n *ast.ReturnStmt) {
	values := w.zeros(w.signature())
	if values == "" {
		return
	}
	from, to := span(w.offset, n)
	old := oneLine(w.text[from:to])
	if old == "return "+values || len(n.Results) == 1 && w.isZero(n.Results[0]) {
		return
	}
	w.change("return", n, from, to, "if true { return "+values+" }; "+w.text[from:to])
	m := &w.found[len(w.found)-1]
	m.Find, m.Replace = old, "return "+values
}

// isZero tells whether an expression is an empty composite literal.
func (w *walker) isZero(e ast.Expr) bool {
	c, ok := e.(*ast.CompositeLit)
	if !ok || len(c.Elts) > 0 {
		return false
	}
	switch w.info.TypeOf(c).Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// signature is the type of the innermost function around the node.
func (w *walker) signature() *ast.FuncType {
	for i := len(w.stack) - 1; i >= 0; i-- {
		if f, ok := w.stack[i].(*ast.FuncLit); ok {
			return f.Type
		}
	}
	return w.decl.Type
}

// zeros lists the zero values of the results of a function.
func (w *walker) zeros(f *ast.FuncType) string {
	var all []string
	if f.Results == nil {
		return ""
	}
	for _, field := range f.Results.List {
		for range max(1, len(field.Names)) {
			all = append(all, w.zero(field.Type))
		}
	}
	return strings.Join(all, ", ")
}

// zero is how the zero value of a type is written.
func (w *walker) zero(e ast.Expr) string {
	from, to := span(w.offset, e)
	t := w.info.TypeOf(e)
	if _, generic := t.(*types.TypeParam); generic {
		return "*new(" + w.text[from:to] + ")"
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return `""`
		case t.Info()&types.IsBoolean != 0:
			return "false"
		}
		return "0"
	case *types.Struct, *types.Array:
		return w.text[from:to] + "{}"
	}
	return "nil"
}
