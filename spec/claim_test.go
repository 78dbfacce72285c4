package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

func TestReportNamesWhatCouldBeClaimed(t *testing.T) {
	silent := OfPolicy("silent", func() policies.Policy { return policies.PowerOfD{D: 2} })
	require.Contains(t, silent.Check().CouldClaim, "the law power-of-d:2")
	require.Empty(t, OfPolicy("keyed", func() policies.Policy { return &policies.Ring{Points: 5} }).Check().CouldClaim)
}
