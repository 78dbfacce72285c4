package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/verify"
)

// TestMain lets the test binary be picklaw when picklaw starts itself.
func TestMain(m *testing.M) {
	if code, ours := verify.Protocol(spec.Reference(), os.Args[1:]); ours {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func picklaw(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}

func TestBadUsageIsRefusedBeforeAnythingIsPrinted(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"verify", "--policy", "nobody"}, `no subject is named "nobody"`},
		{[]string{"verify", "--property", "power-of-d/x"}, "power-of-d/pick-law"},
		{[]string{"verify", "--policy", "random", "--property", "keys/join"}, "does not claim"},
		{[]string{"verify", "--alpha", "1e-320"}, "want a probability from"},
		{[]string{"verify", "--alpha", "0"}, "want a probability from"},
		{[]string{"verify", "--alpha", "NaN"}, "want a probability from"},
		{[]string{"verify", "--with", "does-not-exist"}, "does-not-exist"},
		{[]string{"verify", "extra"}, "extra"},
		{[]string{"nothing"}, "nothing"},
		{[]string{"oracle"}, "arg"},
		{[]string{"oracle", "mm2", "rho=0.5"}, `"mm2"`},
		{[]string{"oracle", "mm1"}, "rho"},
		{[]string{"oracle", "mm1", "rho"}, "key=value"},
		{[]string{"oracle", "mm1", "rho=1"}, "below 1"},
		{[]string{"oracle", "mm1", "rho=-0.1"}, "-0.1"},
		{[]string{"oracle", "mm1", "rho=NaN"}, "NaN"},
		{[]string{"oracle", "mm1", "rho=Inf"}, "Inf"},
		{[]string{"oracle", "mm1", "rho=x"}, `"x"`},
		{[]string{"oracle", "mm1", "rho=0.5", "rho=0.6"}, "twice"},
		{[]string{"oracle", "mm1", "rho=0.5", "mu=1"}, "mu"},
		{[]string{"oracle", "meanfield", "d=0", "rho=0.5"}, "0"},
		{[]string{"oracle", "pick-law", "policy=power-of-d:4", "loads=0,1,2"}, "4"},
		{[]string{"oracle", "pick-law", "policy=nonsense", "loads=0,1,2"}, "nonsense"},
		{[]string{"oracle", "pick-law", "policy=random", "loads=0,x"}, "x"},
		{[]string{"oracle", "pick-law", "policy=random", "loads=0,-1"}, "-1"},
		{[]string{"oracle", "chain", "policy=random", "n=2", "rho=1"}, "rho is 1"},
		{[]string{"oracle", "chain", "policy=power-of-d:3", "n=2", "rho=0.5"}, "3 distinct"},
		{[]string{"oracle", "chain", "policy=random", "n=0", "rho=0.5"}, "0"},
		{[]string{"oracle", "chain", "policy=random", "n=2", "rho=0.5", "color=1"}, "color"},
		{[]string{"oracle", "chain", "policy=random", "n=99999999999", "rho=0.5"}, "oracle: chain: 99999999999 servers, want 1 to 127"},
		{[]string{"oracle", "chain", "policy=random", "n=2", "rho=0.5", "buffer=1000000000"}, "want 1 to 65535"},
		{[]string{"oracle", "chain", "policy=random", "n=2", "rho=x"}, `oracle: chain: rho is "x", want a number`},
		{[]string{"oracle", "chain", "n=2", "rho=0.5"}, "oracle: chain needs policy=..."},
		{[]string{"oracle", "chain", "policy=random", "n=2", "rho=0.5", "memory=0"}, "memory is 0 megabytes, want 1 to"},
		{[]string{"oracle", "chain", "policy=least-request", "n=2", "rho=0.5", "speeds=1e20,1"}, "double precision cannot carry"},
		{[]string{"tables", "Z9"}, "Z9"},
		{[]string{"mutants", "--id", "nothing"}, "nothing"},
		{[]string{"mutants", "--parallel", "-3"}, "-3"},
		{[]string{"mutants", "merge", "testdata/no-report.json"}, "how many mutants"},
		{[]string{"audit", "--exec", "true", "--law", "random", "--property", "keys/stable"}, "nothing to check"},
		{[]string{"audit", "--exec", "true", "--law", "random", "--max-requests", "5"}, "--max-requests"},
		{[]string{"audit", "--exec", "true", "--law", "random", "--scenarios"}, "--scenarios"},
		{[]string{"identify", "--policy", "random", "--weights", "1,2"}, "--weights"},
		{[]string{"identify", "--exec", "does-not-exist"}, "cannot be started"},
		{[]string{"simulate", "--policy", "random", "--work", "lognormal:1000"}, "1000"},
	} {
		code, out, errs := picklaw(c.args...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out, "%v", c.args)
		require.Contains(t, errs, c.says, "%v", c.args)
	}
}

func TestOracleAnswersAsTextAndJSON(t *testing.T) {
	code, out, _ := picklaw("oracle", "mm1", "rho=0.9")
	require.Equal(t, exitHolds, code)
	require.Contains(t, out, "mean_time_in_system")

	code, out, _ = picklaw("oracle", "pick-law", "policy=power-of-d:2:replacement", "loads=0,1,2", "--json")
	require.Equal(t, exitHolds, code)
	var answer struct {
		Oracle string
		Values struct{ Law []string }
		Source string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	require.Equal(t, "pick-law", answer.Oracle)
	require.Equal(t, []string{"5/9", "1/3", "1/9"}, answer.Values.Law)
	require.NotEmpty(t, answer.Source)
}

func TestVerifyOnePolicy(t *testing.T) {
	code, out, errs := picklaw("verify", "--policy", "power-of-d:2", "--property", "power-of-d/pick-law", "--json")
	require.Equal(t, exitHolds, code, errs)
	var r spec.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, "power-of-d:2", r.Subject)
	require.Len(t, r.Properties, 1)
	require.Equal(t, spec.Holds, r.Properties[0].Verdict)
	require.Equal(t, spec.Exact, r.Properties[0].Tier)
	require.Equal(t, "picklaw verify --policy power-of-d:2 --property power-of-d/pick-law", r.Properties[0].Reproduce)
}

func TestListNamesEveryPropertySubjectAndOracle(t *testing.T) {
	code, out, _ := picklaw("list")
	require.Equal(t, exitHolds, code)
	for _, p := range spec.Properties() {
		require.Contains(t, out, p.Name)
		require.NotEmpty(t, p.Sentence)
		require.NotEmpty(t, p.Source, p.Name)
	}
	for _, s := range spec.Reference() {
		require.Contains(t, out, s.Name)
	}
	headings := make(map[string]int)
	for line := range strings.Lines(out) {
		headings[line]++
	}
	for _, p := range spec.Properties() {
		require.Equal(t, 1, headings[p.Family()+"\n"], "each family has one heading: %s", p.Family())
	}
	code, out, _ = picklaw("list", "--json")
	require.Equal(t, exitHolds, code)
	require.True(t, json.Valid([]byte(out)))
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"verify", "--help"}, {"oracle", "--help"}, {"list", "--help"}} {
		code, out, _ := picklaw(args...)
		require.Equal(t, exitHolds, code)
		require.NotEmpty(t, out)
	}
}

// The mean numbers of jobs at one of two servers, rho 0.9, are published with
// the report of a broken reservoir (caddyserver/caddy#7873): 4.927 for an honest
// power of two, 5.278 with replacement, 9.000 for random routing.
func TestChainAgreesWithPublishedNumbers(t *testing.T) {
	for policy, want := range map[string]float64{"power-of-d:2": 4.927, "power-of-d:2:replacement": 5.278} {
		code, out, errs := picklaw("oracle", "chain", "policy="+policy, "n=2", "rho=0.9", "--json")
		require.Equal(t, exitHolds, code, errs)
		var answer struct {
			Values struct {
				Mean float64 `json:"mean_jobs_per_server"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &answer))
		require.InDelta(t, want, answer.Values.Mean, 0.0005, policy) // half of the last published digit
	}
}

// With a buffer every measure comes with a number that bounds its error; without
// one with the word estimate, and what stands behind it.
func TestChainSaysHowExactItIs(t *testing.T) {
	for _, c := range []struct {
		buffer  string
		derived bool
	}{{"20", true}, {"0", false}} {
		code, out, errs := picklaw("oracle", "chain", "policy=power-of-d:2", "n=2", "rho=0.9", "buffer="+c.buffer, "--json")
		require.Equal(t, exitHolds, code, errs)
		var answer struct{ Values, Error map[string]any }
		require.NoError(t, json.Unmarshal([]byte(out), &answer))
		for _, name := range []string{"mean_time_in_system", "mean_jobs_per_server", "idle_pick_probability", "shares", "tails", "loss_probability"} {
			bound, number := answer.Error[name].(float64)
			require.Equal(t, c.derived, number, name)
			require.Less(t, bound, 1e-6, name)
		}
		_, estimated := answer.Values["relative_error_estimate"]
		require.Equal(t, !c.derived, estimated)
	}
}
