package opinion

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roomOf is a package of one file, with the functions of some text.
func roomOf(t *testing.T, functions string) *room {
	t.Helper()
	fset := token.NewFileSet()
	s := &source{path: "p/p.go", dir: "p", text: "package p\n\n" + functions, fset: fset, info: &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object),
	}}
	var err error
	s.syntax, err = parser.ParseFile(fset, s.path, s.text, parser.SkipObjectResolution)
	require.NoError(t, err)
	r := &room{dir: "p", path: "fixture/p", name: "p", sources: []*source{s}, imports: importer.ForCompiler(fset, "source", nil)}
	config := types.Config{Importer: r.imports}
	_, err = config.Check(r.path, fset, []*ast.File{s.syntax}, s.info)
	require.NoError(t, err)
	return r
}

// TestOperators holds what each operator makes of a small function against a
// list that was written by hand.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		name, function string
		want           []string
	}{
		{"comparisons", "func f(a, b int) bool { return a < b }", []string{
			"return: return a < b => return false", "boundary: a < b => a <= b", "relation: a < b => a >= b"}},
		{"equality has no boundary", "func f(a, b string) bool { return a == b }", []string{
			"return: return a == b => return false", "relation: a == b => a != b"}},
		{"arithmetic", "func f(a, b uint) (n uint) { n = a%b - a; return }", []string{
			"body: { => { return 0", "remove: n = a%b - a => ", "arithmetic: a%b - a => a%b + a", "arithmetic: a%b => a*b",
			"return: return => return 0"}},
		{"no arithmetic on strings", `func f(a string) (b string) { b += a + a; return "" }`, []string{
			`body: { => { return ""`, "remove: b += a + a => "}},
		{"constants are folded", "func f(a int) int { return a + (1 + 2) }", []string{
			"return: return a + (1 + 2) => return 0", "arithmetic: a + (1 + 2) => a - (1 + 2)",
			"constant: 1 + 2 => 2 + 2", "constant: 1 + 2 => 0 + 2", "constant: 1 + 2 => 1 + 3", "constant: 1 + 2 => 1 + 1"}},
		{"numbers", "func f() float64 { g(0); return 0.5 }\nfunc g(int) {}", []string{
			"body: { => { return 0", "remove: g(0) => ", "constant: g(0) => g(1)", "constant: g(0) => g((-1))",
			"return: return 0.5 => return 0", "constant: 0.5 => 1.5", "constant: 0.5 => (-0.5)"}},
		{"the sign of an infinity", "func f() float64 { return math.Inf(1) }", []string{"return: return math.Inf(1) => return 0"}},
		{"the sign alone", "func f() (a, b bool) { a = math.IsInf(2, 0); return a, math.IsInf(3, 1) }", []string{
			"body: { => { return false, false", "remove: a = math.IsInf(2, 0) => ",
			"constant: math.IsInf(2, 0) => math.IsInf(3, 0)", "constant: math.IsInf(2, 0) => math.IsInf(1, 0)",
			"constant: math.IsInf(2, 0) => math.IsInf(2, 1)", "constant: math.IsInf(2, 0) => math.IsInf(2, (-1))",
			"return: return a, math.IsInf(3, 1) => return false, false",
			"constant: math.IsInf(3, 1) => math.IsInf(4, 1)", "constant: math.IsInf(3, 1) => math.IsInf(2, 1)", "constant: math.IsInf(3, 1) => math.IsInf(3, 0)"}},
		{"zero values", "func f(e error) (int, error, []int, [2]int) { return 1, e, nil, [2]int{} }", []string{
			"return: return 1, e, nil, [2]int{} => return 0, nil, nil, [2]int{}",
			"constant: 1 => 2", "constant: 1 => 0", "constant: [2]int => [3]int", "constant: [2]int => [1]int"}},
		{"nothing but a zero value", "func f() *int { return nil }", nil},
		{"conditions", "func f(a, b bool) { if a && !b { println() } }", []string{
			"body: { => { return", "condition: a && !b => !(a && !b)", "logic: a && !b => a || !b", "condition: !b => b", "remove: println() => "}},
		{"loops", "func f() { for i := range 3 { if i > 1 { break }; continue } }", []string{
			"body: { => { return", "constant: 3 => 4", "constant: 3 => 2", "boundary: i > 1 => i >= 1", "relation: i > 1 => i <= 1",
			"constant: i > 1 => i > 2", "constant: i > 1 => i > 0", "loop: break => continue", "loop: continue => break"}},
		{"increments", "func f(n int) int { for ; n > 0; n++ { n -= 2 }; return -n }", []string{
			"body: { => { return 0", "boundary: n > 0 => n >= 0", "relation: n > 0 => n <= 0", "constant: n > 0 => n > 1", "constant: n > 0 => n > (-1)",
			"increment: n++ => n--", "remove: n++ => ", "assignment: n -= 2 => n += 2", "remove: n -= 2 => ", "constant: 2 => 3", "constant: 2 => 1",
			"return: return -n => return 0", "sign: -n => n"}},
		{"extremes and truth", "func f(a int) (int, bool) { return max(a, a), true }", []string{
			"return: return max(a, a), true => return 0, false", "extreme: max(a, a) => min(a, a)", "constant: true => false"}},
		{"equal changes are numbered", "func f(a int) { g(a); g(a) }\nfunc g(int) {}", []string{
			"body: { => { return", "remove: g(a) =>  #1", "remove: g(a) =>  #2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			imports := ""
			if strings.Contains(c.function, "math.") {
				imports = "import \"math\"\n"
			}
			var got []string
			for _, m := range roomOf(t, imports+c.function).mutations() {
				if m.Func == "f" {
					got = append(got, strings.TrimPrefix(m.Key(), "p.f: "))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOperatorsAreListed finds every operator above at work in a real package.
func TestOperatorsAreListed(t *testing.T) {
	rooms, err := load(moduleHere(t), []string{"policies"})
	require.NoError(t, err)
	used := make(map[string]bool)
	for _, m := range rooms[0].mutations() {
		used[m.Operator] = true
	}
	for _, o := range Operators {
		assert.True(t, used[o.Name], "operator %s changes nothing", o.Name)
		delete(used, o.Name)
	}
	assert.Empty(t, used, "operators that are not listed")
}

func moduleHere(t *testing.T) string {
	t.Helper()
	module, err := moduleAround(".")
	require.NoError(t, err)
	return module
}

// TestNotViable tells what does not compile from what does, and blames no other.
func TestNotViable(t *testing.T) {
	r := roomOf(t, `
func f(n uint) bool { return n > 0 }

func (box) g(_ int, words ...string) int {
	for i := range words {
		switch i {
		case 1:
			break
		}
	}
	return len(words)
}

type box struct{}

func h[T any](x, y T) T { _ = y; return x }
`)
	var all []numbered
	for i, m := range r.mutations() {
		all = append(all, numbered{m, i + 1})
	}
	b, err := r.compile(all, len(all))
	require.NoError(t, err)
	var refused []string
	for _, m := range all {
		if b.refused[m.number] != "" {
			refused = append(refused, m.Key())
		}
	}
	assert.Equal(t, []string{"p.f: constant: n > 0 => n > (-1)"}, refused)
	assert.Contains(t, b.files[0].text, "g_opinion", "the others have clones")
}

// TestReasonsStillHold finds a mutation for every key of the reasons.
func TestReasonsStillHold(t *testing.T) {
	reasons, err := Reasons()
	require.NoError(t, err)
	rooms, err := load(moduleHere(t), Packages)
	require.NoError(t, err)
	there := make(map[string]bool)
	for _, r := range rooms {
		for _, m := range r.mutations() {
			assert.False(t, there[m.Key()], "two mutations are called %s", m.Key())
			there[m.Key()] = true
		}
	}
	for key := range byKey(reasons) {
		assert.True(t, there[key], "no mutation is called %s", key)
	}
}

func TestReasonsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"\tkey":                           "a key without a reason",
		"equivalent: Why.\n\ta\n\ta":      "twice",
		"unlikely: Why.\n\ta":             "want a kind",
		"equivalent: Why.":                "holds for nothing",
		"cost: A.\n\ta\nexplained: \n\tb": "want a kind",
	} {
		_, err := parseReasons(text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
}
