package opinion

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// Operators are the kinds of changes, with what each does.
var Operators = []struct{ Name, Does string }{
	{"boundary", "includes or excludes equality: < and <=, > and >="},
	{"relation", "turns a comparison around: < and >=, > and <=, == and !="},
	{"arithmetic", "swaps + and -, * and /, % and *, << and >>, & and |, ^ and &"},
	{"assignment", "swaps += and -=, *= and /=, |= and &=, and their like"},
	{"increment", "swaps ++ and --"},
	{"logic", "swaps && and ||"},
	{"condition", "negates a condition that is no comparison, or drops a negation"},
	{"sign", "drops a minus sign"},
	{"remove", "removes a call, an assignment, an increment, or what is deferred"},
	{"constant", "adds one to a number or takes one away, swaps true and false"},
	{"return", "returns zero values instead"},
	{"body", "returns zero values at once"},
	{"loop", "swaps break and continue"},
	{"extreme", "swaps min and max"},
}

var (
	boundary = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	relation = map[token.Token]token.Token{
		token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
		token.EQL: token.NEQ, token.NEQ: token.EQL,
	}
	arithmetic = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
		token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
	}
	assignment = map[token.Token]token.Token{
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
		token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN, token.REM_ASSIGN: token.MUL_ASSIGN,
		token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
		token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.AND_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN,
	}
	logic = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}
)

// mutate lists every change to the functions of one file, in the order of the
// text. Functions called init are left alone: they cannot turn to a clone.
func (s *source) mutate() []Mutation {
	var all []Mutation
	for _, d := range s.syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "init" || f.Name.Name == "_" {
			continue
		}
		w := &walker{source: s, decl: f}
		w.body()
		ast.PreorderStack(f.Body, nil, func(n ast.Node, stack []ast.Node) bool {
			w.stack = stack
			w.node(n)
			return true
		})
		number(w.found)
		all = append(all, w.found...)
	}
	return all
}

// walker collects the changes to one function.
type walker struct {
	*source
	decl  *ast.FuncDecl
	stack []ast.Node // around the node that is looked at
	found []Mutation
}

// shownAround is how long an expression may be to be shown around a change in it.
const shownAround = 80

// change records that the text in [from, to) becomes another. It is shown with
// the expression around it, which tells where it is.
func (w *walker) change(operator string, around ast.Node, from, to int, text string) {
	first, last := span(w.offset, around)
	if last-first > shownAround {
		first, last = from, to
	}
	m := Mutation{
		Package: w.dir, File: w.path, Line: w.fset.Position(w.syntax.FileStart).Line + strings.Count(w.text[:from], "\n"),
		Func: funcName(w.decl), Operator: operator,
		Find: oneLine(w.text[first:last]), Replace: oneLine(w.text[first:from] + text + w.text[to:last]),
		from: from, to: to, text: text, decl: w.decl,
	}
	if m.Find != m.Replace {
		w.found = append(w.found, m)
	}
}

// replace records that a node becomes another text.
func (w *walker) replace(operator string, n ast.Node, text string) {
	from, to := span(w.offset, n)
	around := n
	if len(w.stack) > 0 {
		if e, ok := w.stack[len(w.stack)-1].(ast.Expr); ok {
			around = e
		}
	}
	w.change(operator, around, from, to, text)
}

// operate records that an operator of an expression or a statement becomes
// another, where the table knows one.
func (w *walker) operate(operator string, n ast.Node, at token.Pos, old token.Token, table map[token.Token]token.Token) {
	if other, ok := table[old]; ok {
		from := w.offset(at)
		w.change(operator, n, from, from+len(old.String()), other.String())
	}
}

// node records the changes of one node.
func (w *walker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if w.known(n) {
			return // the compiler folds it; its parts are changed
		}
		w.operate("boundary", n, n.OpPos, n.Op, boundary)
		w.operate("relation", n, n.OpPos, n.Op, relation)
		w.operate("logic", n, n.OpPos, n.Op, logic)
		if !w.isString(n) {
			w.operate("arithmetic", n, n.OpPos, n.Op, arithmetic)
		}
	case *ast.UnaryExpr:
		w.unary(n)
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
		if !w.isString(n.Lhs[0]) {
			w.operate("assignment", n, n.TokPos, n.Tok, assignment)
		}
		w.remove(n)
	case *ast.IncDecStmt:
		w.operate("increment", n, n.TokPos, n.Tok, map[token.Token]token.Token{token.INC: token.DEC, token.DEC: token.INC})
		w.remove(n)
	case *ast.ExprStmt, *ast.DeferStmt, *ast.SendStmt, *ast.GoStmt:
		w.remove(n)
	case *ast.IfStmt:
		w.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			w.negate(n.Cond)
		}
	case *ast.BasicLit:
		w.constant(n)
	case *ast.Ident:
		if swap := map[string]string{"true": "false", "false": "true"}[n.Name]; swap != "" && w.uses(n, types.Universe.Lookup(n.Name)) {
			w.replace("constant", n, swap)
		}
		if swap := map[string]string{"min": "max", "max": "min"}[n.Name]; swap != "" && w.uses(n, types.Universe.Lookup(n.Name)) {
			w.replace("extreme", n, swap)
		}
	case *ast.BranchStmt:
		if swap := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]; swap != "" {
			from := w.offset(n.TokPos)
			w.change("loop", n, from, from+len(n.Tok.String()), swap)
		}
	case *ast.ReturnStmt:
		w.returns(n)
	}
}

// known tells whether the compiler knows the value of an expression.
func (w *walker) known(e ast.Expr) bool { return w.info.Types[e].Value != nil }

func (w *walker) isString(e ast.Expr) bool {
	t := w.info.TypeOf(e)
	if t == nil {
		return false // the blank identifier
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (w *walker) uses(id *ast.Ident, object types.Object) bool { return w.info.Uses[id] == object }

// unary drops a negation or a minus sign.
func (w *walker) unary(n *ast.UnaryExpr) {
	from, to := w.offset(n.Pos()), w.offset(n.X.Pos())
	switch n.Op {
	case token.NOT:
		w.change("condition", n, from, to, "")
	case token.SUB:
		w.change("sign", n, from, to, "")
	}
}

// negate turns a condition around, unless another operator does: comparisons
// have their own, and so has a negation.
func (w *walker) negate(cond ast.Expr) {
	switch c := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		if _, compares := relation[c.Op]; compares {
			return
		}
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return
		}
	}
	from, to := span(w.offset, cond)
	w.change("condition", cond, from, to, "!("+w.text[from:to]+")")
}

// remove takes a statement away. In a block it only keeps it from running, so
// that what it uses is still used.
func (w *walker) remove(n ast.Node) {
	from, to := span(w.offset, n)
	text := ""
	switch w.stack[len(w.stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		text = "if false { " + w.text[from:to] + " }"
	}
	w.change("remove", n, from, to, text)
	m := &w.found[len(w.found)-1]
	m.Find, m.Replace = oneLine(w.text[from:to]), ""
}

// signOnly tells whether a number is the last argument of math.Inf or math.IsInf,
// of which only the sign matters.
func (w *walker) signOnly(n ast.Expr) (inf, isInf bool) {
	call, ok := w.stack[len(w.stack)-1].(*ast.CallExpr)
	if !ok || call.Args[len(call.Args)-1] != n {
		return false, false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false, false
	}
	f, ok := w.info.Uses[s.Sel].(*types.Func)
	if !ok {
		return false, false
	}
	return f.FullName() == "math.Inf", f.FullName() == "math.IsInf"
}

// constant moves a number by one, up and down.
func (w *walker) constant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseUint(n.Value, 0, 64)
		if err != nil {
			return
		}
		inf, isInf := w.signOnly(n)
		if inf {
			return // 0 and 2 are as good as 1
		}
		if !isInf || v == 0 {
			w.replace("constant", n, strconv.FormatUint(v+1, 10))
		}
		if v == 0 {
			w.replace("constant", n, "(-1)")
		} else {
			w.replace("constant", n, strconv.FormatUint(v-1, 10))
		}
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return
		}
		for _, other := range []float64{v + 1, v - 1} {
			text := strconv.FormatFloat(other, 'g', -1, 64)
			if !strings.ContainsAny(text, ".e") {
				text += ".0"
			}
			if other < 0 {
				text = "(" + text + ")"
			}
			w.replace("constant", n, text)
		}
	}
}
