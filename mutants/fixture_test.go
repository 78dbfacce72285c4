package mutants

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//go:embed active/active.go
var activeSource string

// The fixture is a module with one reference file and a small suite, so that
// the runner itself can be tested in seconds.
const fixtureReference = `//go:build !mutants

package rooms

import "strings"

const ten = 10

func Add(a, b int) int { return a + b }

func Unchecked(int, _ string, words ...string) (n int, err error) {
	n = len(words)
	return n, nil
}

func Shout(text string) string { return strings.ToUpper(text) }

type Counter struct{ n int }

func (c *Counter) Up() { c.n++ }

func (Counter) Fragile() int { return 1 }

func (c *Counter) Tenfold() int { return ten * c.n }
`

const fixtureSuite = `package spec

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"fixture/rooms"
)

func TestReference(t *testing.T) {
	f, err := os.OpenFile(os.Getenv("PICKLAW_EVENTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	events := json.NewEncoder(f)
	decide := func(name, tier string, ok bool) {
		verdict := "holds"
		if !ok {
			verdict = "violated"
		}
		events.Encode(map[string]any{"subject": "s", "result": map[string]any{"name": name, "tier": tier, "verdict": verdict}})
	}
	t.Cleanup(func() { events.Encode(map[string]bool{"end": true}) }) // runs in a panic, too
	decide("sum/add", "exact", rooms.Add(2, 3) == 5)
	decide("sum/table", "golden", rooms.Add(20, 30) == 50)
	var c rooms.Counter
	c.Up()
	decide("count/tenfold", "exact", c.Tenfold() == 10)
	decide("text/shout", "exact", rooms.Shout("a") == "A")
	if strings.Contains(os.Getenv("PICKLAW_SAMPLED"), "sum/sampled") {
		decide("sum/sampled", "sampled", rooms.Add(4, 4) == 8)
	}
	switch c.Fragile() {
	case 0:
		panic("the harness falls over")
	case 2:
		os.Exit(0)
	case 3:
		events.Encode(map[string]any{"subject": "s", "result": map[string]any{"name": "count/fragile", "verdict": "harness error", "observed": "our own fault"}})
	case 4:
		time.Sleep(time.Hour)
	}
}
`

func entry(id, find, replace string, predicts ...string) Mutant {
	return Mutant{ID: id, File: "rooms/rooms.go", Find: find, Replace: replace, Story: "It breaks.", Source: "classic", Predicts: predicts}
}

func with(m Mutant, change func(*Mutant)) Mutant { change(&m); return m }

// newFixture writes the fixture and generates its twins.
func newFixture(t *testing.T, suite string, catalog ...Mutant) Options {
	t.Helper()
	tree := Tree{Dir: t.TempDir(), Module: "fixture", Catalog: catalog}
	for name, text := range map[string]string{
		"go.mod":                   "module fixture\n\ngo 1.26\n",
		"rooms/rooms.go":           fixtureReference,
		"spec/spec.go":             "package spec\n",
		"spec/spec_test.go":        suite,
		"mutants/active/active.go": activeSource,
	} {
		name = filepath.Join(tree.Dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	tree.Generate() // reports the mutants that do not compile, which are left out
	return Options{tree: &tree, wait: 3 * time.Second}
}
