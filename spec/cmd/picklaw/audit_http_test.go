package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// rotating is a proxy that picks in turn.
func rotating(t *testing.T) (at string, backends []string) {
	t.Helper()
	backends = unused(t, 3)
	var next atomic.Int64
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: backends[int(next.Add(1))%len(backends)]})
		},
		Transport: &http.Transport{DisableKeepAlives: true},
	})
	t.Cleanup(front.Close)
	return front.URL + "/", backends
}

func TestAuditOfAProxy(t *testing.T) {
	if testing.Short() {
		t.Skip("timed scenarios take seconds; package proxy runs them in short runs too")
	}
	at, backends := rotating(t)
	page := filepath.Join(t.TempDir(), "report.html")
	command := []string{"audit", "--http", at, "--backends", strings.Join(backends, ","), "--law", "round-robin", "--property", "round-robin/window"}
	code, out, errs := picklaw(append(command, "--json", "--html", page, "--scenarios")...)
	require.Equal(t, exitHolds, code, errs)
	var r proxy.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Len(t, r.Properties, 1)
	require.Equal(t, spec.Holds, r.Properties[0].Verdict)
	require.Equal(t, "picklaw audit --http "+at+" --backends "+strings.Join(backends, ",")+
		" --law round-robin --resolution 0.15 --property round-robin/window", r.Properties[0].Reproduce)
	require.Positive(t, r.Requests)
	require.Equal(t, []int{50, 50, 50}, r.Scenarios[0].Served, "a rotation does not care who is slow")
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "round-robin/window")

	command[6] = "random" // too even
	command[8] = "random/pick-law"
	code, out, _ = picklaw(command...)
	require.Equal(t, exitViolated, code)
	require.Regexp(t, `fits +round-robin`, out)
	require.Contains(t, out, "0 arrived at a second server")
}

func TestAuditOfAProxyRefusesBadUsage(t *testing.T) {
	target := []string{"audit", "--http", "http://127.0.0.1:1/", "--law", "random"}
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "--backends"},
		{[]string{"--backends", "192.0.2.1:80"}, "not on this machine"},
		{[]string{"--backends", "127.0.0.1:0", "--weights", "1,2"}, "2 weights for 1 servers"},
		{[]string{"--backends", "127.0.0.1:0", "--weights", "0"}, "positive whole numbers"},
		{[]string{"--backends", "127.0.0.1:0", "--rate", "0"}, "positive"},
		{[]string{"--backends", "127.0.0.1:0", "--settle", "-1s"}, "at least 0"},
		{[]string{"--backends", "127.0.0.1:0", "--exec", "true"}, "not both"},
	} {
		code, out, errs := picklaw(append(target, c.args...)...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out)
		require.Contains(t, errs, c.says)
	}
}
