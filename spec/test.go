package spec

import "testing"

// Test holds a black box against the properties of its claims, one subtest for
// each property that applies.
func Test(t *testing.T, f Factory, options ...Option) {
	t.Helper()
	Subject{Name: t.Name(), New: f}.Test(t, options...)
}

// Test holds the subject against the properties of its claims, one subtest for
// each property that applies. What it could claim besides is logged.
func (s Subject) Test(t *testing.T, options ...Option) {
	t.Helper()
	if len(options) == 0 && len(s.Claims) == 0 {
		t.Fatal("spec: the subject claims nothing, so there is nothing to test; claim at least a law: spec.Law(oracle.PowerOfD{D: 2})")
	}
	n := newSession(s, options)
	for _, p := range n.selected() {
		if !p.Applies(&n.config.claims) {
			if n.config.probe && n.couldClaim(p) {
				t.Logf("could claim: %s", p.Name)
			}
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			Bubbled(t)(&n.config)
			result := n.check(p)
			if result.Reproduce == "" {
				result.Reproduce = "go test -run '" + t.Name() + "'"
			}
			switch pinned := result.Pinned != ""; {
			case pinned && result.Verdict == Holds:
				t.Errorf("%s holds, but is pinned as a known deviation: %s", p.Name, result.Pinned)
			case pinned && result.Verdict == Violated:
				t.Logf("%v", result)
			case result.Verdict == NotClaimed:
				t.Logf("left out: %s", result.Observed)
			case result.Verdict != Holds:
				t.Errorf("%v", result)
			}
		})
	}
}
