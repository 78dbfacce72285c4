package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec"
)

// example is the command of a balancer in Python that comes with package remote.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "" { // which installs it: see the tests of package remote
			t.Skip("the examples need python3, and there is none")
		}
		t.Fatal("the examples need python3, and there is none: install it, on Debian with apt-get install python3-minimal")
	}
	return path + " ../../remote/examples/" + name
}

func TestAuditConvictsAProgram(t *testing.T) {
	command := example(t, "replacement.py")
	code, out, errs := picklaw("audit", "--exec", command, "--law", "power-of-d:2", "--property", "power-of-d/pick-law", "--json")
	require.Equal(t, exitViolated, code, errs)
	var r spec.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Len(t, r.Properties, 1)
	p := r.Properties[0]
	require.Equal(t, spec.Violated, p.Verdict)
	require.True(t, strings.HasPrefix(p.Diagnosis.Fits, "power-of-d:2:replacement"), p.Diagnosis.Fits)
	require.Equal(t, "picklaw audit --exec '"+command+"' --law power-of-d:2 --property power-of-d/pick-law", p.Reproduce)

	if testing.Short() {
		return // what holds takes longer than what is convicted
	}
	code, out, _ = picklaw("audit", "--exec", command, "--law", "power-of-d:2:replacement", "--resolution", "0.3",
		"--property", "power-of-d/pick-law")
	require.Equal(t, exitHolds, code, out)
	require.Contains(t, out, "power-of-d/pick-law")
}

func TestAuditRefusesBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--law", "random"}, "--exec"},
		{[]string{"--exec", "true"}, "nothing is claimed"},
		{[]string{"--exec", "true", "--law", "nonsense"}, "nonsense"},
		{[]string{"--exec", "true", "--claim", "fair"}, "counts-in-flight"},
		{[]string{"--exec", "true", "--law", "random", "--property", "random/x"}, "random/pick-law"},
		{[]string{"--exec", "true", "--law", "random", "--alpha", "1"}, "strictly between"},
		{[]string{"--exec", "true", "--law", "random", "--resolution", "2"}, "total variation"},
		{[]string{"--exec", "true", "--law", "random", "--patience", "0s"}, "positive"},
	} {
		code, out, errs := picklaw(append([]string{"audit"}, c.args...)...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out)
		require.Contains(t, errs, c.says)
	}
}

func TestAuditOfAProgramThatDies(t *testing.T) {
	code, out, _ := picklaw("audit", "--exec", "echo broken >&2; exit 7", "--law", "random", "--property", "random/pick-law")
	require.Equal(t, exitViolated, code, out)
	require.Contains(t, out, "(exit)")
	require.Contains(t, out, "exit status 7")
	require.Contains(t, out, "broken")
}

func TestQuotedWordsAreReadBack(t *testing.T) {
	for _, word := range []string{"plain", "two words", "it's", "", `a"b\c`, "$HOME;`id`", "-x=y"} {
		read, err := exec.Command("/bin/sh", "-c", "printf %s "+quoted(word)).Output()
		require.NoError(t, err)
		require.Equal(t, word, string(read))
	}
}

// What cannot be reached says nothing about a balancer.
func TestAuditRefusesWhatItCannotReach(t *testing.T) {
	for _, args := range [][]string{
		{"audit", "--exec", "no-such-command --x", "--law", "random"},
		{"audit", "--http", "http://127.0.0.1:1/", "--backends", "127.0.0.1:39417,127.0.0.1:39418", "--law", "random"},
	} {
		code, out, errs := picklaw(args...)
		require.Equal(t, exitUsage, code, errs)
		require.Empty(t, out)
		require.NotContains(t, errs, "violated")
	}
}
