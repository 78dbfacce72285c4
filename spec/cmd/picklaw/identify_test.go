package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec/remote/identify"
)

func TestIdentifyNamesTheLaw(t *testing.T) {
	code, out, errs := picklaw("identify", "--policy", "balancer/power-of-d:2", "--within", "0.2", "--json")
	require.Equal(t, exitHolds, code, errs)
	var r identify.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []string{"power-of-d:2"}, r.Remaining)
	require.NotEmpty(t, r.Refuted)
}

// TestIdentifyExitCodes shows results and looks at what is said first.
func TestIdentifyExitCodes(t *testing.T) {
	for _, c := range []struct {
		result identify.Result
		code   int
		says   string
	}{
		{identify.Result{Remaining: []string{"random"}, Within: 0.08}, exitHolds, "follows random, within 0.080 in total variation\n0 picks"},
		{identify.Result{Remaining: []string{"hash"}, Within: 1}, exitHolds, "follows hash\n"},
		{identify.Result{Remaining: []string{"random"}, Within: 1, Deviations: []string{"s0 is missing"}, Observations: []string{"weights are ignored"}},
			exitViolated, "follows random in a steady fleet, but:\ndeviates: s0 is missing\nobserved: weights are ignored\n"},
		{identify.Result{Within: 1}, exitViolated, "follows no known law\n"},
		{identify.Result{Remaining: []string{"a", "b"}, Within: 1}, exitUndecided, "follows one of a, b, which"},
	} {
		var out bytes.Buffer
		q := identifyRequest{html: filepath.Join(t.TempDir(), "page.html"), policy: "balancer"}
		err := q.show(&out, &c.result)
		require.Equal(t, verdict(c.code), err)
		require.True(t, strings.HasPrefix(out.String(), c.says), out.String())
		html, err := os.ReadFile(q.html)
		require.NoError(t, err)
		require.Contains(t, string(html), "It follows")
	}
}

func TestIdentifyOfWhatCannotBeDriven(t *testing.T) {
	code, out, _ := picklaw("identify", "--exec", "exit 3")
	require.Equal(t, exitViolated, code)
	require.Contains(t, out, "exit status 3")
}

func TestIdentifyRefusesBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "want one of"},
		{[]string{"--policy", "random", "--exec", "true"}, "want one of"},
		{[]string{"--policy", "nobody"}, "least-request"},
		{[]string{"--policy", "simulator"}, "least-request"},
		{[]string{"--policy", "random", "--alpha", "2"}, "alpha is 2"},
		{[]string{"--policy", "random", "--within", "2"}, "within 2"},
		{[]string{"--http", "http://192.0.2.1/", "--backends", "127.0.0.1:0"}, "not on this machine"},
		{[]string{"--http", "http://127.0.0.1:1/"}, "--backends"},
	} {
		code, out, errs := picklaw(append([]string{"identify"}, c.args...)...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out)
		require.Contains(t, errs, c.says)
	}
}
