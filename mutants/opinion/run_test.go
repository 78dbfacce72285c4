package opinion

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fixture is a module with one package and a small suite.
const fixtureRoom = `package rooms

func Add(a, b int) int { return a + b }

func Sub(a, b int) int { return a - b }

func Natural(n uint) bool { return n >= 0 }

func Nobody(a int) int { return -a }

func Loop(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

func Grow(n int) []int { return make([]int, 0, n) }
`

const fixtureTests = `package rooms

import (
	"fmt"
	"testing"
)

func TestSub(t *testing.T) {
	fmt.Print("no end of line") // what tests print must not hide a verdict
	if Sub(3, 2) != 1 {
		t.Error("wrong")
	}
}

func TestGrow(t *testing.T) {
	if cap(Grow(3)) < 3 {
		panic("too small")
	}
}

func TestLoop(t *testing.T) {
	if Loop(4) != 6 {
		t.Fatal("wrong")
	}
}
`

const fixtureSuite = `package spec

import (
	"encoding/json"
	"os"
	"testing"

	"fixture/rooms"
)

func TestReference(t *testing.T) {
	events := json.NewEncoder(os.Stdout)
	if path := os.Getenv("PICKLAW_EVENTS"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		events = json.NewEncoder(f)
	}
	t.Cleanup(func() { events.Encode(map[string]bool{"end": true}) })
	decide := func(subject, name, tier string, ok func() bool) {
		t.Run(subject, func(t *testing.T) {
			verdict := "holds"
			if !ok() {
				verdict = "violated"
			}
			events.Encode(map[string]any{"subject": subject, "result": map[string]any{"name": name, "tier": tier, "verdict": verdict}})
		})
	}
	decide("adder", "sum/add", "exact", func() bool { return rooms.Add(2, 3) == 5 })
	decide("table", "sum/table", "golden", func() bool { return rooms.Sub(2, 3) == -1 })
	decide("naturals", "sum/naturals", "exact", func() bool {
		if rooms.Natural(1) {
			return true
		}
		panic("the harness falls over")
	})
}
`

func fixture(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module fixture\n\ngo 1.26\n",
		"rooms/rooms.go":      fixtureRoom,
		"rooms/rooms_test.go": fixtureTests,
		"spec/spec.go":        "package spec\n",
		"spec/spec_test.go":   fixtureSuite,
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return Options{Dir: dir, Packages: []string{"rooms"}, Results: filepath.Join(dir, "results.jsonl"), grace: 0.2}
}

// TestRunTellsApart runs one mutation of each kind.
func TestRunTellsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles six test binaries, which takes seconds; the operators are tested one by one in short runs too")
	}
	o := fixture(t)
	report, err := Run(t.Context(), o)
	require.NoError(t, err)
	got := make(map[string]string)
	for _, r := range report.Results {
		got[strings.TrimPrefix(r.Key(), "rooms.")] = strings.TrimSpace(string(r.Status) + " " + r.By)
	}
	for key, want := range map[string]string{
		"Add: arithmetic: a + b => a - b":                        "killed sum/add",
		"Sub: arithmetic: a - b => a + b":                        "killed TestSub",
		"Natural: boundary: n >= 0 => n > 0":                     "survived",
		"Natural: constant: n >= 0 => n >= (-1)":                 "not viable",
		"Natural: relation: n >= 0 => n < 0":                     "broken",
		"Nobody: sign: -a => a":                                  "not covered",
		"Loop: increment: i++ => i--":                            "timeout",
		"Loop: assignment: sum += i => sum -= i":                 "killed TestLoop",
		"Loop: constant: i := 0 => i := 1":                       "",
		"Loop: return: return sum => return 0":                   "killed TestLoop",
		"Grow: constant: make([]int, 0, n) => make([]int, 1, n)": "survived",
		"Grow: return: return make([]int, 0, n) => return nil":   "killed TestGrow",
	} {
		assert.Equal(t, want, got[key], key)
	}
	total := report.Total()
	assert.Equal(t, len(report.Results), total.Killed()+total.Survived()+total.NotViable+total.NotCovered+total.TimedOut+total.Broken)

	var page bytes.Buffer
	require.NoError(t, report.Document(&page))
	assert.Contains(t, page.String(), "    rooms.Natural: boundary: n >= 0 => n > 0\n")
	assert.Contains(t, page.String(), "- `rooms.Nobody` (2)\n")

	// What is known is not run again, so even a suite that is red by now says
	// nothing; what is to be run needs a green one.
	tests := filepath.Join(o.Dir, "rooms", "rooms_test.go")
	require.NoError(t, os.WriteFile(tests, []byte(strings.Replace(fixtureTests, "!= 1", "!= 2", 1)), 0o644))
	again, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, report.Results, again.Results)
	o.Again = []Status{Survived}
	_, err = Run(t.Context(), o)
	assert.ErrorContains(t, err, "TestSub of rooms is not green without any mutation")
}

// TestAStoppedRunGoesOn takes a half written result for none.
func TestAStoppedRunGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	l, err := openLog(path)
	require.NoError(t, err)
	m := Mutation{Package: "p", Func: "f", Operator: "remove", Find: "g()"}
	require.NoError(t, l.add(Result{Mutation: m, Digest: "1", Status: Survived}))
	require.NoError(t, l.add(Result{Mutation: m, Digest: "1", Status: Killed}))
	l.close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, `{"package": "p", "fu`...), 0o644))

	l, err = openLog(path)
	require.NoError(t, err)
	r, known := l.find("1", m)
	assert.True(t, known)
	assert.Equal(t, Killed, r.Status, "the later line counts")
	_, known = l.find("2", m)
	assert.False(t, known, "the function has changed since")
	require.NoError(t, l.add(Result{Mutation: m, Digest: "2", Status: Killed}))
	l.close()
	l, err = openLog(path)
	require.NoError(t, err)
	defer l.close()
	assert.Len(t, l.known, 2)
}

// TestSamplesGrow makes a larger sample hold a smaller one, in every file.
func TestSamplesGrow(t *testing.T) {
	rooms, err := load(moduleHere(t), []string{"policies"})
	require.NoError(t, err)
	sample := func(part float64, seed string) map[string]bool {
		c := campaign{Options: Options{Samples: map[string]float64{"": part}, Seed: seed}, all: rooms[0].mutations()}
		keys := make(map[string]bool)
		for _, m := range c.sample() {
			keys[m.Key()] = true
		}
		return keys
	}
	small, large, other, all := sample(0.1, "a"), sample(0.3, "a"), sample(0.1, "b"), sample(1, "a")
	for key := range small {
		assert.True(t, large[key], key)
	}
	assert.NotEqual(t, small, other)
	assert.Len(t, all, len(rooms[0].mutations()))
	assert.InDelta(t, 0.1, float64(len(small))/float64(len(all)), 0.02, "rounded up in each file") // 44 files of 37 on average: at most 44/1620 more
}

func TestBadSample(t *testing.T) {
	for _, part := range []float64{-1, 1.5} {
		_, err := Run(context.Background(), Options{Dir: ".", Samples: map[string]float64{"": part}})
		assert.ErrorContains(t, err, "want a part of the mutations")
	}
	_, err := Run(context.Background(), Options{Dir: ".", Samples: map[string]float64{"nowhere": 1}})
	assert.ErrorContains(t, err, `a sample of "nowhere"`)
}
