package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A Module is a nested module of peers: what AUDIT.md has a section about.
type Module struct {
	Name       string   // the directory
	Versions   []string // of its peers, as go.mod states them: "module version"
	Subjects   []spec.Subject
	Frozen     []Frozen
	Deviations []Deviation
}

// A Deviation is something that a peer in this very version does otherwise than
// it says or than its users would expect, beyond the properties that its
// subjects are held against.
type Deviation struct {
	Name     string // "peer/what"; names the subtest too
	Version  string // "module version"
	State    string // in which it shows
	Expected string
	Observed string
	Effect   string // what it does to a user
	// Observe finds out once more. It returns what it saw in the words of Observed
	// when the deviation is still there, and in other words when it is not.
	Observe func() (string, error)
}

// update is the environment variable that makes Audit write its section.
const update = "PICKLAW_UPDATE"

// Audit is the test of a module. It holds the subjects against the
// specification, with a budget of spec.DefaultAlpha for false alarms altogether
// and another for the frozen laws, observes every deviation again, and compares the module's section of
// ../AUDIT.md with what came out. With PICKLAW_UPDATE=1 in the environment it
// writes the section instead.
func (m Module) Audit(t *testing.T) {
	Host(t)
	m.checkVersions(t)
	var reports []*spec.Report
	for _, s := range m.Subjects {
		t.Run("subjects/"+s.Name, func(t *testing.T) {
			r := s.Check(spec.Alpha(oracle.SplitAlpha(spec.DefaultAlpha, len(m.Subjects))),
				spec.Reproduce(fmt.Sprintf("go run -C spec/peers/%s . --policy %s", m.Name, s.Name)))
			for _, p := range r.Surprises() {
				t.Errorf("not as recorded:\n%v", p)
			}
			if r.Summary[spec.Holds]+r.Summary[spec.Violated] == 0 {
				t.Error("nothing was decided")
			}
			reports = append(reports, r)
		})
	}
	var laws []Judged
	for _, f := range m.Frozen {
		t.Run("frozen/"+f.Name, func(t *testing.T) {
			j, err := f.judge(oracle.SplitAlpha(spec.DefaultAlpha, len(m.Frozen)))
			if err != nil {
				t.Fatal(err)
			}
			if j.Convicted != (f.Pinned != "") {
				t.Errorf("%s as %v: convicted %v after %d picks (fits %s), which is not as recorded",
					f.Name, f.Claim, j.Convicted, j.Picks, j.Fits)
			}
			laws = append(laws, j)
		})
	}
	for _, d := range m.Deviations {
		t.Run("deviations/"+d.Name, func(t *testing.T) {
			observed, err := d.Observe()
			if err != nil {
				t.Fatal(err)
			}
			if observed != d.Observed {
				t.Errorf("observed %q, recorded is %q", observed, d.Observed)
			}
		})
	}
	if len(reports) < len(m.Subjects) || len(laws) < len(m.Frozen) {
		return // a run of some subtests only
	}
	t.Run("document", func(t *testing.T) { m.document(t, reports, laws) })
}

// checkVersions tells a record of one version from a run of another.
func (m Module) checkVersions(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 {
			required[words[0]+" "+words[1]] = true
		}
	}
	for _, v := range m.Versions {
		if !required[v] {
			t.Errorf("go.mod does not require %s, of which the records speak", v)
		}
	}
	known := make(map[string]bool)
	for _, v := range m.Versions {
		known[v] = true
	}
	for _, f := range m.Frozen {
		if !known[f.Version] {
			t.Errorf("frozen law of %s is about %s, which the module does not list", f.Name, f.Version)
		}
	}
	for _, d := range m.Deviations {
		if !known[d.Version] {
			t.Errorf("deviation %s is about %s, which the module does not list", d.Name, d.Version)
		}
	}
}

func (m Module) document(t *testing.T, reports []*spec.Report, laws []Judged) {
	path := filepath.Join("..", "AUDIT.md")
	section := m.section(reports, laws)
	if os.Getenv(update) != "" {
		if err := replaceSection(path, m.Name, section); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded, found := findSection(string(text), m.Name)
	if !found {
		t.Fatalf("%s has no section about %s; make audit-peers writes it", path, m.Name)
	}
	if settled(recorded) != settled(section) {
		t.Errorf("%s is stale; make audit-peers writes it.\nrecorded:\n%s\nnow:\n%s", path, settled(recorded), settled(section))
	}
}
