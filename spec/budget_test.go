package spec

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// A policy with more outcomes than can be tried is not convicted of that: what
// could be compared is, and what could not is said or left undecided.
func TestManyOutcomesAreNoFault(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second for each; smaller numbers of choices are enumerated in short runs too")
	}
	for _, p := range []policies.PowerOfD{{D: 4, Replacement: true}, {D: 5}, {D: 9}} {
		law := oracle.PowerOfD{D: p.D, Replacement: p.Replacement}
		report := OfPolicy(law.String(), func() policies.Policy { return p }, Law(law), ReadsAtMost(p.D)).Check()
		for _, r := range report.Failures() {
			require.Equal(t, Undecided, r.Verdict, "%v: %v", law, r)
			require.Greater(t, p.D, 5, "%v: %v", law, r)
		}
	}
}

func TestOptionsRefuseNonsense(t *testing.T) {
	for _, bad := range []func(){
		func() { HangAfter(0) },
		func() { Alpha(0) },
		func() { Alpha(1) },
		func() { Alpha(math.NaN()) },
		func() { Alpha(1e-320) },
		func() { Only("random/pick-lawx") },
		func() { Check(hostileFactory(by(policies.Random{})), nil) },
	} {
		require.Panics(t, bad)
	}
	require.NotPanics(t, func() { HangAfter(time.Nanosecond); Alpha(SmallestAlpha); Only("random/pick-law") })
}
