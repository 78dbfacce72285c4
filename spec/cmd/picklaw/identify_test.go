package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec/remote/identify"
)

func TestIdentifyNamesTheLaw(t *testing.T) {
	code, out, errs := picklaw("identify", "--policy", "balancer/power-of-d:2", "--json")
	require.Equal(t, exitHolds, code, errs)
	var r identify.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []string{"power-of-d:2"}, r.Remaining)
	require.NotEmpty(t, r.Refuted)

	code, out, _ = picklaw("identify", "--exec", example(t, "replacement.py"), "--within", "0.3")
	require.Equal(t, exitHolds, code, out)
	require.Contains(t, out, "follows power-of-d:2:replacement, within 0.")
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
