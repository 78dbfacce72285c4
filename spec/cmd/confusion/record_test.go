package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/mutants"
)

// TestRecordIsOfTheCatalog holds the committed table to the catalog: it has no row
// that is not in it, and gives a reason wherever a bug was not told apart.
func TestRecordIsOfTheCatalog(t *testing.T) {
	text, err := os.ReadFile("../../remote/IDENTIFY.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "## Planted bugs")
	require.True(t, found)
	head, table, found := strings.Cut(table, "|---|")
	require.True(t, found)
	known := make(map[string]mutants.Mutant)
	for _, m := range mutants.Catalog() {
		known[m.ID] = m
	}
	told, rows := 0, regexp.MustCompile(`(?m)^\| ([a-z0-9_]+) \| .* \| (.*) \|$`).FindAllStringSubmatch(table, -1)
	require.Greater(t, len(rows), 80)
	seen := make(map[string]bool)
	for _, row := range rows {
		id, by := row[1], row[2]
		m, planted := known[id]
		require.True(t, planted, "%s is not in the catalog: run make identify", id)
		require.False(t, seen[id], "%s has two rows", id)
		seen[id] = true
		if !strings.HasPrefix(by, "**not told apart.**") {
			told++
			require.NotContains(t, unseen, id, "run make identify")
			continue
		}
		b := &bug{Mutant: m}
		require.NotEmpty(t, b.why(), "%s: want a reason", id)
		require.Equal(t, "**not told apart.** "+b.why(), by, "run make identify")
	}
	for id := range unseen {
		require.True(t, seen[id], "%s has a reason and no row", id)
	}
	require.Contains(t, head, fmt.Sprintf("\n%d of %d bugs are told", told, len(rows)))
}
