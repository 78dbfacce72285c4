package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

func TestSections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "AUDIT.md")
	for _, s := range []struct{ name, text string }{{"b", "of b"}, {"a", "of a"}, {"b", "of b again"}} {
		if err := replaceSection(path, s.name, s.text); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := heading + "\n<!-- begin a -->\nof a\n<!-- end a -->\n\n<!-- begin b -->\nof b again\n<!-- end b -->\n"
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if section, found := findSection(string(text), "b"); !found || section != "of b again" {
		t.Errorf("section b is %q, %v", section, found)
	}
	if _, found := findSection(string(text), "c"); found {
		t.Error("found a section that is not there")
	}
}

// A section shows a conviction with what is followed instead, and two runs with
// other coins settle to the same text.
func TestSectionOfConviction(t *testing.T) {
	section := func(seed uint64) string {
		s := spec.Subject{
			Name: "posing", Doc: "random, posing as power of two",
			New:    spec.Leased(func() policies.Policy { return policies.Random{} }),
			Claims: []spec.Option{spec.Law(oracle.PowerOfD{D: 2}), spec.Seed(seed)},
			Pinned: map[string]string{"power-of-d/pick-law": "It does not look at the load."},
		}
		m := Module{Name: "m", Versions: []string{"example.com/m v1.0.0"}, Subjects: []spec.Subject{s}}
		return m.section([]*spec.Report{s.Check(spec.Only("power-of-d/pick-law"))}, nil)
	}
	one, two := section(1), section(4)
	if one == two {
		t.Error("the picks of two convictions agree, so this test shows nothing")
	}
	if settled(one) != settled(two) {
		t.Errorf("two runs do not settle:\n%s\n%s", settled(one), settled(two))
	}
	want := `## m

Peers: example.com/m v1.0.0.

| subject | property | expected | verdict | picks |
|---|---|---|---|---|
| posing | power-of-d/pick-law | power-of-d:2 | violated (wrong law) | convicted |

**posing deviates from power-of-d/pick-law.** random, posing as power of two.
It does not look at the load.
State: 3 servers, in flight 0 1 2. Expected: picks 2/3 1/3 0. Observed: random, which picks 1/3 1/3 1/3.
Reproduce: ` + "``"
	if settled(one) != want {
		t.Errorf("got\n%s\nwant\n%s", settled(one), want)
	}
}

// A rotation that starts anywhere is convicted at any server.
func TestTurnsSettle(t *testing.T) {
	row := func(server, picks int) string {
		return fmt.Sprintf("|  | round-robin/update | server %d | violated (broken sequence) | convicted after %d |", server, picks)
	}
	if one, two := settled(row(5, 9)), settled(row(13, 350)); one != two {
		t.Errorf("%q and %q do not settle", one, two)
	}
	if another := strings.Replace(row(5, 9), "broken sequence", "wrong law", 1); settled(another) == settled(row(5, 9)) {
		t.Error("another finding settles to the same text")
	}
}
