package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/identify"
)

// A chooser is all that a small proxy has to know: which of the servers is next,
// by what it has in flight at each of them.
type chooser func(inFlight []int) int

// inTurn starts at a random server, as the law of a rotation wants it.
func inTurn(n int) chooser {
	next := rand.IntN(n)
	return func([]int) int { next++; return next % n }
}

func leastConn(inFlight []int) int {
	var minima []int
	for i, k := range inFlight {
		if k == slices.Min(inFlight) {
			minima = append(minima, i)
		}
	}
	return minima[rand.IntN(len(minima))]
}

func atRandom(inFlight []int) int { return rand.IntN(len(inFlight)) }

// neverTheLast means to pick at random, and its bound is one short.
func neverTheLast(inFlight []int) int { return rand.IntN(len(inFlight) - 1) }

// unused returns addresses on which nothing listens.
func unused(t *testing.T, n int) []string {
	t.Helper()
	addresses := make([]string, n)
	for i := range addresses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close() // all at the end, so that no two are the same
		addresses[i] = l.Addr().String()
	}
	return addresses
}

// front starts a reverse proxy of a few lines in front of three servers, which
// the command will run. It returns the flags that say where all of them are.
func front(t *testing.T, choose chooser) []string {
	t.Helper()
	backends := unused(t, 3)
	var mu sync.Mutex
	inFlight := make([]int, len(backends))
	count := func(i, by int) { mu.Lock(); inFlight[i] += by; mu.Unlock() }
	transport := &http.Transport{DisableKeepAlives: true}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		i := choose(inFlight)
		inFlight[i]++
		mu.Unlock()
		defer count(i, -1)
		p := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: backends[i]})
		p.Transport, p.ErrorLog = transport, log.New(io.Discard, "", 0) // an audit breaks off what it leaves
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return []string{"--http", s.URL + "/", "--backends", strings.Join(backends, ",")}
}

// TestAuditOfProxies holds proxies of this test to what they follow, and to what
// they do not.
func TestAuditOfProxies(t *testing.T) {
	for _, c := range []struct {
		name    string
		choose  chooser
		law     string
		verdict spec.Verdict
		says    string
	}{
		{"in turn", inTurn(3), "round-robin", spec.Holds, ""},
		{"least conn", leastConn, "least-request", spec.Holds, ""},
		{"at random", atRandom, "random", spec.Holds, ""},
		{"in turn, for random", inTurn(3), "random", spec.Violated, "fits +round-robin"},
		{"never the last", neverTheLast, "random", spec.Violated, "never|0 of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "never the last" {
				t.Skip("takes a second; one proxy is audited in short runs too")
			}
			t.Parallel()
			args := append([]string{"audit"}, front(t, c.choose)...)
			args = append(args, "--law", c.law, "--property", c.law+"/pick-law", "--resolution", "0.5")
			code, out, errs := picklaw(args...)
			want := exitHolds
			if c.verdict == spec.Violated {
				want = exitViolated
			}
			require.Equal(t, want, code, "%s%s", out, errs)
			require.Regexp(t, c.says, out)
			require.Contains(t, out, "0 arrived at a second server")
		})
	}
}

// TestIdentifyOfProxies names what they follow.
func TestIdentifyOfProxies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; a proxy is audited, and a policy identified, in short runs too")
	}
	for _, c := range []struct {
		name   string
		choose chooser
		law    string // empty: none that is known
	}{
		{"in turn", inTurn(3), "round-robin"},
		{"least conn", leastConn, "least-request"},
		{"never the last", neverTheLast, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"identify"}, front(t, c.choose)...)
			code, out, errs := picklaw(append(args, "--json", "--within", "0.5")...)
			var r identify.Result
			require.NoError(t, json.Unmarshal([]byte(out), &r), errs)
			if c.law == "" {
				require.Equal(t, exitViolated, code)
				require.Empty(t, r.Remaining)
				require.Contains(t, fmt.Sprint(r.Observations), "never picked")
				return
			}
			require.Equal(t, exitHolds, code, out)
			require.Equal(t, []string{c.law}, r.Remaining)
			require.Empty(t, r.Deviations)
		})
	}
}
