package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every command that the README shows is run, but for those that need something
// beside them: a proxy, or the source tree and a compiler. They run at the same
// time, since those that talk to a program mostly wait for it.
func TestREADMECommands(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	t.Chdir("../../..")
	var running sync.WaitGroup
	ran := 0
	for line := range strings.Lines(shellBlocks(string(text))) {
		line, shows, _ := strings.Cut(line, "#")
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
		ran++
		running.Go(func() {
			code, out, errs := picklaw(append(words[1:], coarsely(words)...)...)
			assert.Equal(t, exitHolds, code, "%s: %s", line, errs)
			assert.NotEmpty(t, out, line)
			if words[1] == "oracle" && words[2] == "pick-law" {
				assert.Contains(t, out, strings.TrimSpace(shows))
			}
			if words[1] == "identify" {
				assert.Contains(t, out, "follows power-of-d:2:replacement, within 0.")
			}
		})
	}
	running.Wait()
	require.GreaterOrEqual(t, ran, 5)
}

// coarsely asks a program in Python for less than the command does by itself: a
// pick through a pipe takes the time of a thousand others, and the picks fall with
// the square of what must not be missed. Package spec/remote audits the same
// program with the same claims at half of this resolution. This is the only test
// that identifies a program.
func coarsely(words []string) []string {
	if !slices.Contains(words, "--exec") {
		return nil
	}
	return map[string][]string{"audit": {"--resolution", "0.5"}, "identify": {"--within", "0.3"}}[words[1]]
}

// shellBlocks joins the fenced blocks of shell commands.
func shellBlocks(markdown string) string {
	var all strings.Builder
	for i, block := range strings.Split(markdown, "```") {
		if body, shell := strings.CutPrefix(block, "sh\n"); shell && i%2 == 1 {
			all.WriteString(body)
		}
	}
	return all.String()
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
