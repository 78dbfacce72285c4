package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSeeds(t *testing.T) {
	seed, err := plain("go test fuzz v1\n[]byte(\"\\x00a\\\"\")\n")
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 'a', '"'}, seed)
	for _, bad := range []string{"", "go test fuzz v1\nint(3)\n", "go test fuzz v1\n[]byte(\"a)\n"} {
		_, err := plain(bad)
		assert.Error(t, err)
	}

	targets, err := os.ReadDir("../../testdata/fuzz")
	require.NoError(t, err)
	require.NotEmpty(t, targets)
	for _, target := range targets {
		to := t.TempDir()
		require.NoError(t, convert(filepath.Join("../../testdata/fuzz", target.Name()), to))
		seeds, err := os.ReadDir(to)
		require.NoError(t, err)
		assert.NotEmpty(t, seeds, target.Name())
	}
}
