package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitAlpha(t *testing.T) {
	require.Equal(t, 1e-9/4, SplitAlpha(1e-9, 4))
	for _, f := range []func(){
		func() { SplitAlpha(0, 1) }, func() { SplitAlpha(1, 1) }, func() { SplitAlpha(0.1, 0) },
	} {
		require.Panics(t, f)
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for root := range uint64(10) {
		for _, name := range []string{"", "a", "b", "ab", "power-of-d/pick-law"} {
			seed := Stream(root, name)
			require.Equal(t, seed, Stream(root, name))
			require.False(t, seen[seed])
			seen[seed] = true
		}
	}
}
