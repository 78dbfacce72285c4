package spec

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
)

// Every known law, spelled as a policy, has that very law.
func TestParsedPoliciesFollowTheirLaw(t *testing.T) {
	for _, law := range slices.Concat(oracle.KnownLaws(6), []oracle.Law{oracle.WeightedRandom{}, oracle.WeightedLeastRequest{}, oracle.SmoothWeighted{}, oracle.WeightedRoundRobin{}}) {
		newPolicy, err := ParsePolicy(law.String())
		require.NoError(t, err)
		r := &Run{Subject: OfPolicy(law.String(), newPolicy), Claims: Claims{Law: law}}
		for k, s := range statesOf(law, 1) {
			// The reference policies are judged in every state elsewhere, and five draws
			// from more servers have too many outcomes to try them all.
			if k%4 != 0 || len(s.Loads) > 8 {
				continue
			}
			if m := r.lawMismatch(s); m != nil && !tooMany(m.err) {
				t.Fatalf("%v at %v: want %s", law, s, rationals(m.expected))
			}
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for spelling, says := range map[string]string{
		"nonsense":          "nonsense",
		"round-robin:2":     "no parameter",
		"peak-ewma:0":       `"0"`,
		"ring:x":            `"x"`,
		"power-of-d":        "power-of-d",
		"power-of-d:0":      "0",
		"power-of-d:2:with": "with",
		"ring:0":            "points a server",
		"maglev:9":          "prime",
		"sticky:":           "sticky:",
		"sticky:nonsense":   "nonsense",
		"hash-mod:3":        "no parameter",
	} {
		_, err := ParsePolicy(spelling)
		require.ErrorContains(t, err, says, spelling)
	}
}
