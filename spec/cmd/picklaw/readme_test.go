package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every command that the README shows is run, but for those that need something
// beside them: a proxy, or the source tree and a compiler.
func TestREADMECommands(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	t.Chdir("../../..")
	ran := 0
	for i, block := range strings.Split(string(text), "```") {
		body, shell := strings.CutPrefix(block, "sh\n")
		if !shell || i%2 == 0 {
			continue
		}
		for line := range strings.Lines(body) {
			line, _, _ = strings.Cut(line, "#")
			words := shellWords(strings.TrimSpace(line))
			if len(words) == 0 || words[0] != "bin/picklaw" || words[1] == "mutants" || strings.Contains(line, "--http") {
				continue
			}
			if _, err := exec.LookPath("python3"); err != nil && strings.Contains(line, "python3") && os.Getenv("CI") == "" {
				t.Logf("left out, for want of python3: %s", line)
				continue
			}
			if testing.Short() && (strings.Contains(line, "--exec") || words[1] == "simulate") {
				continue // these take seconds
			}
			code, out, errs := picklaw(words[1:]...)
			require.Equal(t, exitHolds, code, "%s: %s", line, errs)
			require.NotEmpty(t, out, line)
			if _, expected, shown := strings.Cut(string(text[strings.Index(string(text), line):]), "# "); shown && words[1] == "oracle" && words[2] == "pick-law" {
				expected, _, _ = strings.Cut(expected, "\n")
				require.Contains(t, out, strings.TrimSpace(expected))
			}
			ran++
		}
	}
	require.GreaterOrEqual(t, ran, 5)
}

// shellWords splits a line at spaces outside of single quotes.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
