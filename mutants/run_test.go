package mutants

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunTellsApart runs one mutant of each kind.
func TestRunTellsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module and waits for suites that hang, which takes seconds")
	}
	t.Parallel() // it waits for compilers and for suites that hang
	fragile := func(id, answer string) Mutant {
		return entry(id, "Fragile() int { return 1 }", "Fragile() int { return "+answer+" }", "count/tenfold")
	}
	o := newFixture(t, fixtureSuite,
		entry("caught", "return a + b", "return a - b", "sum/add"),
		entry("caught_by_sampled", "return a + b", "if a == 4 {\n\t\treturn 0\n\t}\n\treturn a + b", "sum/sampled"),
		entry("sampled_not_predicted", "return a + b", "if a == 4 {\n\t\treturn 1\n\t}\n\treturn a + b", "sum/add"),
		entry("only_the_table", "return a + b", "if a == 20 {\n\t\treturn 1\n\t}\n\treturn a + b", "sum/add"),
		entry("survived", "n = len(words)", "n = -len(words)", "sum/add"),
		entry("does_not_compile", "c.n++", "c.m++", "count/tenfold"),
		entry("drops_an_import", "return strings.ToUpper(text)", "return text", "text/shout"),
		entry("constant_overlaid", "const ten = 10", "const ten = 11", "count/tenfold"),
		entry("overlay_does_not_build", "type Counter struct{ n int }", "type Counter struct{ m int }", "count/tenfold"),
		fragile("harness_panics", "0"),
		fragile("exits_with_success", "2"),
		fragile("harness_errs", "3"),
		fragile("sleeps", "4"),
		with(fragile("hangs_as_told", "4"), func(m *Mutant) { m.Hangs = true }),
		with(entry("changes_nothing", "return a + b", "return b + a"), func(m *Mutant) { m.Equivalent = "Addition commutes." }),
		with(entry("not_equivalent", "return a + b", "return a * b"), func(m *Mutant) { m.Equivalent = "So they say." }),
		with(entry("spared_convicts", "return a + b", "return a / b", "sum/add"), func(m *Mutant) { m.Spares = []string{"text", "count"} }),
		with(entry("spares_in_vain", "c.n++", "c.n--", "count/tenfold"), func(m *Mutant) { m.Spares = []string{"sum"} }),
		with(entry("spared_and_convicted", "return ten * c.n", "return 0", "text/shout"), func(m *Mutant) { m.Spares = []string{"count"} }),
		entry("mispredicted", "return strings.ToUpper(text)", "return text + text", "sum/add"),
	)
	o.Out = t.TempDir()
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	require.Empty(t, r.Summary.Red)

	want := map[string]struct {
		status Status
		by     string // joined
		reason string // a part of it
		wrong  string // a part of them
	}{
		"caught":                 {Caught, "sum/add", "", ""},
		"caught_by_sampled":      {Caught, "sum/sampled", "", ""},
		"sampled_not_predicted":  {Survived, "", "", "sum/add did not"},
		"only_the_table":         {Survived, "", "", "sum/add did not"},
		"survived":               {Survived, "", "", "sum/add did not"},
		"does_not_compile":       {Broken, "", "c.m undefined", ""},
		"drops_an_import":        {Caught, "text/shout", "", ""},
		"constant_overlaid":      {Caught, "count/tenfold", "", ""},
		"overlay_does_not_build": {Broken, "", "c.n undefined", ""},
		"harness_panics":         {Broken, "", "panic: the harness falls over", ""},
		"exits_with_success":     {Broken, "", "stopped before its end", ""},
		"harness_errs":           {Broken, "", "our own fault", ""},
		"sleeps":                 {Broken, "", "still running", ""},
		"hangs_as_told":          {Caught, "", "still running", ""},
		"changes_nothing":        {Equivalent, "", "Addition commutes", ""},
		"not_equivalent":         {Caught, "sum/add", "", "not equivalent"},
		"spared_convicts":        {Caught, "sum/add", "", ""},
		"spares_in_vain":         {Caught, "count/tenfold", "", ""},
		"spared_and_convicted":   {Caught, "count/tenfold", "", "should spare"},
		"mispredicted":           {Caught, "text/shout", "", "sum/add did not"},
	}
	assert.Len(t, r.Mutants, len(want))
	for _, m := range r.Mutants {
		w := want[m.ID]
		assert.Equal(t, w.status, m.Status, "%s: %s", m.ID, m.Reason)
		assert.Equal(t, w.by, strings.Join(m.CaughtBy, " "), m.ID)
		assert.Contains(t, m.Reason, w.reason, m.ID)
		if w.wrong == "" {
			assert.Empty(t, m.Wrong, m.ID)
		} else {
			assert.Contains(t, strings.Join(m.Wrong, " "), w.wrong, m.ID)
		}
		for _, end := range []string{".diff", ".log"} {
			assert.FileExists(t, filepath.Join(o.Out, m.ID+end))
		}
	}
	s := r.Summary
	assert.Equal(t, []int{10, 3, 6, 1}, []int{s.Caught, s.Survived, s.Broken, s.Equivalent})
	assert.Equal(t, ExitBroken, r.ExitCode())
	assert.Equal(t, []string{"count/tenfold", "sum/add", "sum/sampled", "text/shout"}, s.Properties)
	assert.Empty(t, s.CatchNothing)
	assert.Contains(t, s.OnlyOne["sum/sampled"], "caught_by_sampled")

	diff, err := os.ReadFile(filepath.Join(o.Out, "caught.diff"))
	require.NoError(t, err)
	assert.Contains(t, string(diff), "-func Add(a, b int) int { return a + b }\n+func Add(a, b int) int { return a - b }\n")
	page, err := os.ReadFile(filepath.Join(o.Out, "matrix.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "overlay_does_not_build")
	assert.NotContains(t, string(page), "http", "the page needs nothing else")
}

// script is a suite that is a shell script: what it prints is what it reports.
func script(t *testing.T, events string) *suite {
	dir := t.TempDir()
	name := filepath.Join(dir, "suite")
	text := "#!/bin/sh\ntest -z \"$PICKLAW_MUTANT\" || { echo unknown $PICKLAW_MUTANT; exit 2; }\n" +
		"cat >\"$PICKLAW_EVENTS\" <<'END'\n" + events + "\nEND\n"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o755))
	return &suite{binary: name, dir: dir}
}

// TestGreenFirst plants faults in the suite itself.
func TestGreenFirst(t *testing.T) {
	const result, end = `{"subject":"s","result":{"name":"sum/add","tier":"exact","verdict":"VERDICT"}}`, `{"end":true}`
	say := func(verdict string) string { return strings.Replace(result, "VERDICT", verdict, 1) }
	for name, tc := range map[string]struct {
		events string
		red    string // a part of it; empty for green
	}{
		"green":         {say("holds") + "\n" + say("not claimed") + "\n" + end, ""},
		"pinned":        {strings.Replace(say("violated"), `"tier"`, `"pinned":"known","tier"`, 1) + "\n" + end, ""},
		"violated":      {say("violated") + "\n" + end, "violated"},
		"undecided":     {say("holds") + "\n" + say("undecided") + "\n" + end, "undecided"},
		"harness error": {say("harness error") + "\n" + end, "harness error"},
		"no end":        {say("holds"), "before its end"},
		"nothing":       {end, "without any result"},
		"cut":           {say("holds") + "\n{\"subj", "cannot be read"},
		"after its end": {say("holds") + "\n" + end + "\n" + say("holds"), "went on"},
		"no verdict":    {say("") + "\n" + end, "no verdict"},
	} {
		r, report := &run{suite: script(t, tc.events), dir: t.TempDir()}, &Report{}
		require.NoError(t, r.baseline(t.Context(), nil, report), name)
		if red := strings.Join(report.Summary.Red, " "); tc.red == "" {
			assert.Empty(t, red, name)
		} else {
			assert.Contains(t, red, tc.red, name)
			assert.Equal(t, ExitRed, report.ExitCode(), name)
		}
	}
}

// Without its tests, or with tests that do not compile, the suite catches
// nothing.
func TestSuiteWithoutTests(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module, which takes seconds; a suite that is missing is tested in short runs too")
	}
	caught := entry("caught", "return a + b", "return a - b", "sum/add")
	o := newFixture(t, strings.Replace(fixtureSuite, "TestReference", "TestSomethingElse", 1), caught)
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, ExitRed, r.ExitCode(), "go test succeeds without any test to run")
	assert.Empty(t, r.Mutants)

	require.NoError(t, os.WriteFile(filepath.Join(o.tree.Dir, "spec/spec_test.go"), []byte("package spec\n\nfunc TestReference("), 0o644))
	_, err = Run(t.Context(), o)
	assert.ErrorContains(t, err, "does not build")

	require.NoError(t, os.Remove(filepath.Join(o.tree.Dir, "spec/spec_test.go")))
	_, err = Run(t.Context(), o)
	assert.ErrorContains(t, err, "no tests")
}

// TestNothingIsCached changes the suite between two runs.
func TestNothingIsCached(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the same module twice, which takes seconds")
	}
	m := entry("add", "return a + b", "return a - b", "sum/add")
	o := newFixture(t, fixtureSuite, m)
	lax := strings.Replace(fixtureSuite, "rooms.Add(2, 3) == 5", "rooms.Add(2, 0) == 2", 1)
	for _, turn := range []struct {
		suite string
		want  Status
	}{{fixtureSuite, Caught}, {lax, Survived}} {
		require.NoError(t, os.WriteFile(filepath.Join(o.tree.Dir, "spec/spec_test.go"), []byte(turn.suite), 0o644))
		r, err := Run(t.Context(), o)
		require.NoError(t, err)
		assert.Equal(t, turn.want, r.Mutants[0].Status)
	}
}

// TestStale changes a reference file behind the back of its twin.
func TestStale(t *testing.T) {
	t.Parallel()
	o := newFixture(t, fixtureSuite, entry("add", "return a + b", "return a - b", "sum/add"))
	name := filepath.Join(o.tree.Dir, "rooms/rooms.go")
	require.NoError(t, os.WriteFile(name, []byte(fixtureReference+"\nfunc More() {}\n"), 0o644))
	_, err := Run(t.Context(), o)
	assert.ErrorContains(t, err, "stale generated files: rooms/zz_mutants_rooms.go")
}

// A suite that cannot be started, or that does not ask for its mutant, catches
// nothing.
func TestSuiteMissing(t *testing.T) {
	m := entry("add", "return a + b", "return a - b", "sum/add")
	dir := t.TempDir()
	o := (&suite{binary: filepath.Join(dir, "missing"), dir: dir}).run(t.Context(), order{mutant: "add"}, time.Minute, filepath.Join(dir, "events"))
	assert.Equal(t, Broken, judge(m, o).Status)

	deaf := filepath.Join(dir, "deaf")
	require.NoError(t, os.WriteFile(deaf, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	s := &suite{binary: deaf, dir: dir}
	assert.ErrorContains(t, s.refusesStrangers(t.Context(), filepath.Join(dir, "events")), "does not ask")
	assert.Equal(t, Broken, judge(m, s.run(t.Context(), order{mutant: "add"}, time.Minute, filepath.Join(dir, "events"))).Status)
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := newFixture(t, fixtureSuite, entry("add", "return a + b", "return a - b", "sum/add"))
	o.Progress = func(p Progress) {
		if p.Doing == "build" {
			cancel()
		}
	}
	_, err := Run(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestChoose(t *testing.T) {
	catalog := []Mutant{
		entry("a_one", "x", "y", "law/a"), entry("b_two", "x", "y", "law/b", "keys/c"), entry("c_three", "x", "y", "keys/c"),
	}
	for _, tc := range []struct {
		o    Options
		want string
	}{
		{Options{}, "a_one b_two c_three"},
		{Options{IDs: []string{"c_three", "a_one"}}, "a_one c_three"},
		{Options{Families: []string{"keys"}}, "b_two c_three"},
		{Options{Shard: Shard{1, 2}}, "a_one c_three"},
		{Options{Shard: Shard{2, 2}}, "b_two"},
	} {
		chosen, err := tc.o.choose(catalog)
		require.NoError(t, err)
		var ids []string
		for _, m := range chosen {
			ids = append(ids, m.ID)
		}
		assert.Equal(t, tc.want, strings.Join(ids, " "))
	}
	for _, o := range []Options{{IDs: []string{"a_two"}}, {Families: []string{"ties"}}} {
		_, err := o.choose(catalog)
		var usage *UsageError
		assert.ErrorAs(t, err, &usage)
	}
	_, err := ParseShard("2/4")
	assert.NoError(t, err)
	for _, bad := range []string{"", "0/3", "4/3", "1", "1/2/3", "a/b"} {
		_, err := ParseShard(bad)
		assert.Error(t, err, bad)
	}
}

func TestMerge(t *testing.T) {
	shard := func(text string, total int, results ...MutantResult) *Report {
		return &Report{Mutants: results, Summary: Summary{Catalog: total, Shard: text, Properties: []string{"law/a", "law/b"}}}
	}
	a := MutantResult{ID: "a", Status: Caught, CaughtBy: []string{"law/a"}}
	b := MutantResult{ID: "b", Status: Survived, CaughtBy: []string{}}
	r, err := Merge([]*Report{shard("2/2", 2, b), shard("1/2", 2, a)})
	require.NoError(t, err)
	assert.Equal(t, []MutantResult{a, b}, r.Mutants)
	assert.Equal(t, ExitSurvived, r.ExitCode())
	assert.Equal(t, []string{"law/b"}, r.Summary.CatchNothing)
	assert.Equal(t, map[string][]string{"law/a": {"a"}}, r.Summary.OnlyOne)

	for _, bad := range [][]*Report{nil, {shard("1/2", 2, a)}, {shard("1/2", 2, a), shard("2/2", 2, a)}, {shard("1/2", 2, a), shard("2/2", 3, b)}} {
		_, err := Merge(bad)
		assert.Error(t, err)
	}

	// What is written can be merged.
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back Report
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Empty(t, cmp.Diff(r, &back))
}
