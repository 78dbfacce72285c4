package mutants

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordingSuite records which functions its checks call. One of them is called
// before all checks.
const recordingSuite = `package spec

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"fixture/mutants/active"
	"fixture/rooms"
)

func TestReference(t *testing.T) {
	f, err := os.OpenFile(os.Getenv("PICKLAW_EVENTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	events := json.NewEncoder(f)
	setting := rooms.Shout("a")
	outside, recording := active.Reached()
	checks, selected := os.LookupEnv("PICKLAW_CHECKS")
	check := func(name string, ok func() bool) {
		if selected && !strings.Contains("\n"+checks, "\ns "+name+"\n") {
			return
		}
		fmt.Println("ran", name)
		verdict := "holds"
		if !ok() {
			verdict = "violated"
		}
		line := map[string]any{"subject": "s", "result": map[string]any{"name": name, "tier": "exact", "verdict": verdict}}
		if recording {
			line["reached"], _ = active.Reached()
		}
		events.Encode(line)
	}
	check("sum/add", func() bool { return rooms.Add(2, 3) == 5 })
	check("sum/up", func() bool {
		var c rooms.Counter
		c.Up()
		return rooms.Add(c.Fragile(), 0) == 1
	})
	check("count/up", func() bool {
		var c rooms.Counter
		c.Up()
		return c.Tenfold() == 10
	})
	check("text/setting", func() bool { return setting == "A" })
	end := map[string]any{"end": true}
	if recording {
		end["reached"] = outside
	}
	events.Encode(end)
}
`

// Only the checks that call a mutated function are run again, and the report is
// the same as if all were.
func TestReach(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module, which takes seconds; what is made of a record is tested in short runs too")
	}
	o := newFixture(t, recordingSuite,
		entry("add", "return a + b", "return a - b", "sum/add"),
		entry("up", "c.n++", "c.n += 2", "count/up"),
		entry("tenfold", "return ten * c.n", "return c.n", "count/up"),
		entry("shout", "return strings.ToUpper(text)", "return text", "text/setting"),
		entry("nobody_calls", "n = len(words)", "n = -len(words)", "sum/add"),
		entry("constant_overlaid", "const ten = 10", "const ten = 11", "count/up"),
	)
	run := func(thorough bool) (*Report, map[string]string) {
		o.Thorough, o.Out = thorough, t.TempDir()
		r, err := Run(t.Context(), o)
		require.NoError(t, err)
		require.Empty(t, r.Summary.Red)
		ran := make(map[string]string)
		for _, m := range r.Mutants {
			log, err := os.ReadFile(filepath.Join(o.Out, m.ID+".log"))
			require.NoError(t, err)
			for line := range strings.Lines(string(log)) {
				if name, is := strings.CutPrefix(line, "ran "); is {
					ran[m.ID] += strings.TrimSpace(name) + " "
				}
			}
		}
		return r, ran
	}
	quick, ran := run(false)
	const all = "sum/add sum/up count/up text/setting "
	assert.Empty(t, cmp.Diff(map[string]string{
		"add": "sum/add sum/up ", "up": "sum/up count/up ", "tenfold": "count/up ",
		"shout":             all, // its function is called outside of the checks
		"constant_overlaid": all, // there is no function to call
	}, ran))
	thorough, ran := run(true)
	for _, m := range thorough.Mutants {
		assert.Equal(t, all, ran[m.ID], m.ID)
	}
	seconds := cmpopts.IgnoreFields(MutantResult{}, "Seconds")
	assert.Empty(t, cmp.Diff(thorough.Mutants, quick.Mutants, seconds))
	assert.Equal(t, Survived, quick.Mutants[4].Status)
}

// What a suite does not record is not guessed.
func TestReachUnknown(t *testing.T) {
	h := hunk{Mutant: entry("add", "x", "y", "sum/add")}
	h.body = new(ast.FuncDecl)
	var r reach
	require.False(t, r.note(outcome{}))
	require.Nil(t, r.of(h))
	e := event{Subject: "s", Reached: []string{"other"}}
	require.True(t, r.note(outcome{events: []event{e}, end: event{Reached: []string{}}}))
	require.NotNil(t, r.of(h))
	require.Empty(t, r.of(h))
	// A later run adds to it.
	e.Result.Name, e.Reached = "sum/add", []string{"add"}
	require.True(t, r.note(outcome{events: []event{e}, end: event{Reached: []string{}}}))
	require.Equal(t, []check{{"s", "sum/add"}}, r.of(h))
	require.True(t, r.note(outcome{end: event{Reached: []string{"add"}}}))
	require.Nil(t, r.of(h))
}
