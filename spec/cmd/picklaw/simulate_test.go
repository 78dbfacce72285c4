package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file writes a file for a flag.
func file(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// simulated runs picklaw simulate with these words and reads its JSON.
func simulated(t *testing.T, words string) map[string]any {
	t.Helper()
	code, out, errs := picklaw(append([]string{"simulate", "--json"}, strings.Fields(words)...)...)
	require.Equal(t, exitHolds, code, "%s: %s", words, errs)
	require.Empty(t, errs)
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &object))
	return object
}

func TestSimulateRefusesBadUsageBeforeAnythingIsPrinted(t *testing.T) {
	for words, says := range map[string]string{
		"":                              "--policy LAW",
		"--policy random --model cloud": `"cloud", want one of queue, herd`,
		"--policy nonsense":             "nonsense",
		"--policy random word":          "word",
		"--policy power-of-d:0":         "0",
		"--policy power-of-d:5 --n 4":   "draws 5 distinct servers and the fleet has 4",
		"--policy power-of-d:5 --n 4 --rng python":                "draws 5 distinct servers and the fleet has 4",
		"--policy peak-ewma:5 --model ticks":                      "compares 5 distinct servers and the fleet has 4",
		"--policy peak-ewma:5 --model ticks --rng python":         "compares 5 distinct servers and the fleet has 4",
		"--policy power-of-d:3 --model herd-snapshot --loads 1,2": "draws 3 distinct servers and the fleet has 2",
		"--policy ring":                                                    "want --keys",
		"--policy smooth-weighted --rng python":                            "no replay of policy",
		"--policy random --model ticks --rng python":                       "no replay of policy",
		"--policy random --n 0":                                            "--n is 0",
		"--policy random --n -3":                                           "--n is -3",
		"--policy random --n 1e3":                                          "1e3",
		"--policy random --n 99999999999":                                  "99999999999",
		"--policy random --rho 0":                                          "--rho is 0",
		"--policy random --rho -0.5":                                       "--rho is -0.5",
		"--policy random --rho NaN":                                        "--rho is NaN",
		"--policy random --rho Inf":                                        "--rho is +Inf",
		"--policy random --rho 1":                                          "--rho is 1, want less than 1: the queues would grow without end (--ramp",
		"--policy random --rho 1.5 --model herd":                           "--ramp",
		"--policy random --rho 0.5 --rate 3":                               "both rho 0.5 and rate 3",
		"--policy random --rate 100":                                       "arrival rate 100, want less than 100",
		"--policy random --rate 0":                                         "--rate is 0",
		"--policy random --refresh 1":                                      "which has no board",
		"--policy random --view stale":                                     "refreshed every 0",
		"--policy random --view stale --refresh 0":                         "--refresh is 0",
		"--policy random --view stale --refresh -1":                        "--refresh is -1",
		"--policy random --view stale --refresh Inf":                       "--refresh is +Inf",
		"--policy random --view rotten":                                    `"rotten", want "fresh"`,
		"--policy random --metric length":                                  `"length", want "count"`,
		"--policy random --metric work --view local":                       "cannot show the work left",
		"--policy random --dispatchers 0":                                  "--dispatchers is 0",
		"--policy random --slots 0":                                        "--slots is 0",
		"--policy random --slots 99999999":                                 "--slots is 99999999, want at most",
		"--policy random --capacity 0":                                     "--capacity is 0",
		"--policy random --jobs 0":                                         "--jobs is 0",
		"--policy random --jobs 10 --skip 10":                              "10 requests skipped of 10",
		"--policy random --warmup -1":                                      "--warmup is -1",
		"--policy random --warmup 3000":                                    "horizon 2500",
		"--policy random --horizon NaN":                                    "--horizon is NaN",
		"--policy random --horizon Inf":                                    "--horizon is +Inf",
		"--policy random --seeds 0":                                        "--seeds is 0",
		"--policy random --seed -1":                                        "-1",
		"--policy random --rng dice":                                       `"dice", want pcg or python`,
		"--policy random --work heavy":                                     "heavy",
		"--policy random --work lognormal:x":                               `"lognormal:x"`,
		"--policy random --work lognormal:NaN":                             "NaN",
		"--policy random --work erlang:0":                                  "0 phases",
		"--policy random --work hyperexponential:0.5":                      "0.5",
		"--policy random --arrivals evening":                               "evening",
		"--policy random --trace " + file(t, ""):                           "no arrivals",
		"--policy random --trace " + file(t, "1 1\n2 x\n"):                 `file:2: work "x", want a finite number`,
		"--policy random --trace " + file(t, "3 1\n2 1\n"):                 `file:2: time of arrival "2", want a finite number, 3 or more`,
		"--policy random --trace " + file(t, "1\n2\n"):                     "has no work",
		"--policy random --trace " + file(t, "1 1\n") + " --work constant": "want one of them",
		"--policy random --trace " + file(t, "1 1\n") + " --arrivals even": "want one of them",
		"--policy random --trace " + file(t, "1 1\n") + " --rho 0.5":       "recorded arrivals",
		"--policy random --trace nowhere":                                  "nowhere",
		"--policy random --arrivals " + file(t, "1 1\n"):                   "want the time alone",
		"--policy random --arrivals " + file(t, "1\nInf\n"):                "file:2",
		"--policy random --work " + file(t, "1\n\n-1\n"):                   `file:3: work "-1"`,
		"--policy random --work " + file(t, "# none\n"):                    "empty",
		"--policy random --keys many":                                      "many",
		"--policy random --keys viral:10:2":                                "weight -",
		"--policy random --speeds 1,2":                                     "2 speeds for 100 servers",
		"--policy random --n 2 --speeds 1,x":                               `"x"`,
		"--policy random --n 2 --speeds 1x0":                               `"1x0"`,
		"--policy random --n 2 --speeds 1,NaN":                             "NaN",
		"--policy random --n 2 --weights 1,0":                              "weight 0 of server 1",
		"--policy random --n 2 --weights 1,-1":                             `"-1"`,
		"--policy random --sick 0":                                         `"0", want SERVER:FACTOR`,
		"--policy random --sick 100:0.5":                                   "server 100 is sick",
		"--policy random --sick 0:0.5,0:0.6":                               "once for each",
		"--policy random --sick 0:NaN":                                     "NaN",
		"--policy random --series --json":                                  "--probe-every",
		"--policy random --series --probe-every 9":                         "--json",
		"--policy random --healthy-ticks 3":                                "--healthy-ticks is no flag of model queue",
		"--policy random --model herd --work constant":                     "--work is no flag of model herd",
		"--policy random --model herd-snapshot --rng python":               "--rng is no flag of model herd-snapshot",
		"--policy random --model herd-snapshot --loads 1,Inf":              "load +Inf of server 1",
		"--policy random --model herd-snapshot --loads 1,,2":               `""`,
		"--policy random --model ticks --position middle":                  `"middle", want first or last`,
		"--policy random --model ticks --horizon 0.5":                      "--horizon is 0.5, want a whole number",
		"--policy random --model ticks --rate 800":                         "800 calls per tick",
		"--policy random --model ticks --error-ticks 0":                    "--error-ticks is 0",
		"--policy random --model ticks --cv NaN":                           "--cv is NaN",
		"--policy smooth-weighted --model ticks --weights 1,2":             "2 weights",
		"--policy smooth-weighted --model ticks --weights 1,2,3,0":         "1 or more",
		"--policy peak-ewma --model ticks --alpha 2":                       "Alpha is 2",
		"--policy peak-ewma --model ticks --alpha 2 --rng python":          "Alpha is 2",
		"--policy random --model balls --n 5 --rho 0.5":                    "--rho is no flag of model balls",
	} {
		code, out, errs := picklaw(append([]string{"simulate"}, strings.Fields(words)...)...)
		assert.Equal(t, exitUsage, code, "%s: %s", words, errs)
		assert.Empty(t, out, words)
		assert.Contains(t, errs, says, words)
	}
}

// The published experiments, from the command line: a figure of each kind.
func TestSimulateReplaysPublishedCells(t *testing.T) {
	number := func(object map[string]any, path ...any) float64 {
		var at any = object
		for _, step := range path {
			switch step := step.(type) {
			case string:
				at = at.(map[string]any)[step]
			case int:
				at = at.([]any)[step]
			}
		}
		return at.(float64)
	}
	type cell struct {
		path   []any
		format string
		want   string
	}
	at := func(path ...any) []any { return path }
	for _, c := range []struct {
		table, words string
		slow         bool
		cells        []cell
	}{
		{"Q2", "--policy power-of-d:2 --rng python --seeds 3", true, []cell{
			{at("mean"), "%.2f", "2.64"}, {at("runs", 0, "mean"), "%.2f", "2.67"}, {at("p99"), "%.1f", "8.9"}, {at("p999"), "%.1f", "12.1"}, {at("peak"), "%.0f", "7"}}},
		{"Q3", "--policy power-of-d:2 --rng python --probe-every 20", false, []cell{
			{at("tails", 0), "%.4f", "0.9014"}, {at("tails", 3), "%.4f", "0.2222"}}},
		{"Q4", "--policy least-request --rng python --seeds 2 --view shared-stale --refresh 1", true, []cell{
			{at("mean"), "%.2f", "4.06"}, {at("p99"), "%.1f", "15.5"}}},
		{"Q5", "--policy power-of-d:2 --rng python --view local --dispatchers 8", true, []cell{
			{at("mean"), "%.2f", "4.02"}, {at("p99"), "%.1f", "13.1"}}},
		{"Q6", "--policy power-of-d:2 --n 10 --rho 0.7 --warmup 100 --horizon 2000 --sick 0:0.2 --rng python --seeds 3", false, []cell{
			{at("mean"), "%.2f", "2.29"}, {at("p99"), "%.1f", "16.5"}, {at("peak"), "%.0f", "7"}, {at("shares", 0), "%.3f", "0.029"}}},
		{"Q7", "--policy power-of-d:2 --rng python --seeds 2 --rho 0.8 --work lognormal:1.2 --metric work", true, []cell{
			{at("mean"), "%.2f", "1.83"}, {at("p99"), "%.1f", "9.9"}}},
		{"H1", "--model herd --policy power-of-d:2:replacement --dispatchers 4 --rng python --seed 0 --seeds 5", true, []cell{
			{at("p50"), "%.2f", "1.92"}, {at("p99"), "%.2f", "10.99"}}},
		{"K1", "--model ticks --policy peak-ewma --rng python", false, []cell{
			{at("jobs"), "%.0f", "6407"}, {at("sent", 3), "%.0f", "6402"}, {at("goodput"), "%.0f", "5"}, {at("p99"), "%.0f", "3"},
			{at("ok_p99"), "%.0f", "10"}, {at("shares", 3), "%.4f", "0.9992"}, {at("ewma", 3), "%.16f", "1.3036593805578662"}}},
		{"K1", "--model ticks --policy peak-ewma --rng python --broken=false", false, []cell{
			{at("goodput"), "%.0f", "6407"}, {at("ewma", 3), "%.16f", "1.3036593805578662"}}},
		{"K2", "--model ticks --policy peak-ewma:3 --n 16 --rng python", false, []cell{
			{at("jobs"), "%.0f", "6496"}, {at("shares", 15), "%.4f", "0.1946"}, {at("sent", 15), "%.0f", "1264"}, {at("goodput"), "%.0f", "5232"}}},
		{"K8", "--model ticks --policy smooth-weighted --weights 5x3,1 --rng python", false, []cell{
			{at("goodput"), "%.0f", "6006"}, {at("shares", 3), "%.4f", "0.0626"}}},
		{"K9", "--model ticks --policy least-request --position first --rng python", false, []cell{
			{at("shares", 0), "%.4f", "0.8538"}}},
		{"K9", "--model ticks --policy peak-ewma --cv 2 --rng python", false, []cell{
			{at("jobs"), "%.0f", "6494"}, {at("shares", 3), "%.4f", "0.9444"}, {at("goodput"), "%.0f", "361"}}},
		{"B1", "--model balls --policy power-of-d:2:replacement --n 1000000 --rng python", true, []cell{
			{at("peak"), "%.0f", "4"}, {at("tails", 0), "%.3f", "0.761"}}},
		{"B3", "--model herd-snapshot --policy least-request", false, []cell{
			{at("sent", 42), "%.0f", "100"}, {at("peak"), "%.0f", "100"}}},
	} {
		if c.slow && testing.Short() {
			continue // a tenth of a second or more each, and package queue replays all tables
		}
		object := simulated(t, c.words)
		for _, cell := range c.cells {
			assert.Equal(t, cell.want, fmt.Sprintf(cell.format, number(object, cell.path...)), "table %s: %s: %v", c.table, c.words, cell.path)
		}
	}
}

// Every model prints what it has, under the names of the other commands.
func TestSimulateFieldsAreComplete(t *testing.T) {
	queueFields := []string{"jobs", "lost", "mean", "p50", "p99", "p999", "params", "peak", "sent", "shares"}
	for words, want := range map[string][]string{
		"--policy random --n 3 --jobs 500":                                          queueFields,
		"--policy random --n 3 --jobs 500 --probe-every 10 --series":                append([]string{"tails", "series"}, queueFields...),
		"--policy random --n 3 --jobs 500 --seeds 2 --probe-every 10 --series":      append([]string{"tails", "runs", "mean_standard_error"}, queueFields...),
		"--policy random --n 3 --jobs 500 --model herd --skip 1":                    queueFields,
		"--policy peak-ewma --model ticks --horizon 500":                            {"ewma", "goodput", "jobs", "mean", "ok_p99", "p50", "p99", "params", "peak", "sent", "shares"},
		"--policy ewma-over-success:2 --model ticks --horizon 500":                  {"goodput", "jobs", "mean", "ok_p99", "p50", "p99", "params", "peak", "sent", "shares"},
		"--policy power-of-d:2 --model balls --n 9 --jobs 20":                       {"jobs", "params", "peak", "tails"},
		"--policy power-of-d:2 --model herd-snapshot --loads 1,2x3 --dispatchers 8": {"jobs", "params", "peak", "sent", "shares"},
	} {
		object := simulated(t, words)
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(object)), words)
	}
}

// What the command understood is in params, defaults included, and nothing that
// the model does not use.
func TestSimulateParams(t *testing.T) {
	object := simulated(t, "--policy power-of-d:2 --n 3 --rate 2 --jobs 500 --speeds 1x2,0.5 --view stale --refresh 2.5")
	assert.Equal(t, map[string]any{
		"model": "queue", "policy": "power-of-d:2", "n": 3.0, "rate": 2.0, "ramp": false, "jobs": 500.0, "skip": 0.0,
		"arrivals": "poisson", "work": "exponential", "speeds": "1x2,0.5", "slots": 1.0, "view": "stale", "refresh": 2.5,
		"metric": "count", "dispatchers": 1.0, "series": false, "quantiles": true, "seed": 1.0, "seeds": 1.0, "rng": "pcg",
	}, object["params"])
}

// Two replications: counts add up, the peak is the larger, the rest is averaged,
// and both are the runs of their own seeds.
func TestSimulateCombinesReplications(t *testing.T) {
	const words = "--policy random --n 3 --jobs 500 --probe-every 10"
	both, one, two := simulated(t, words+" --seeds 2 --seed 7"), simulated(t, words+" --seed 7"), simulated(t, words+" --seed 8")
	x := func(f map[string]any, name string) float64 { return f[name].(float64) }
	assert.Equal(t, x(one, "jobs")+x(two, "jobs"), x(both, "jobs"))
	assert.Equal(t, max(x(one, "peak"), x(two, "peak")), x(both, "peak"))
	assert.NotEqual(t, x(one, "mean"), x(two, "mean"))
	assert.Equal(t, (x(one, "mean")+x(two, "mean"))/2, x(both, "mean"))
	// Of two numbers the standard error is half their distance; both are rounded
	// some times, by 2^-53 of their size each.
	assert.InEpsilon(t, max(x(one, "mean")-x(two, "mean"), x(two, "mean")-x(one, "mean"))/2, x(both, "mean_standard_error"), 1e-12)
	for i, single := range []map[string]any{one, two} {
		run := both["runs"].([]any)[i].(map[string]any)
		assert.Equal(t, float64(7+i), run["seed"])
		for _, name := range []string{"mean", "p99", "sent", "tails"} {
			assert.Equal(t, single[name], run[name])
		}
	}
}

func TestCombinedListsGoOnWithZeros(t *testing.T) {
	all := combined([]figures{
		{"mean": 1.0, "tails": []any{1.0, 0.5}, "sent": []any{1.0, 2.0}, "p50": nil},
		{"mean": nil, "tails": []any{0.5}, "sent": []any{3.0, 4.0}, "p50": 1.0},
	})
	assert.Equal(t, figures{"mean": nil, "tails": []any{0.75, 0.25}, "sent": []any{4.0, 6.0}, "p50": nil}, all)
}

func TestSimulateTraces(t *testing.T) {
	// Two requests of work 2 and 3 at one server, the second of which waits.
	object := simulated(t, "--policy random --n 1 --trace "+file(t, "1 2\n2 3\n11 1"))
	assert.Equal(t, (2.0+4+1)/3, object["mean"])
	object = simulated(t, "--policy random --n 1 --arrivals "+file(t, "1\n2\n11\n")+" --work "+file(t, "2\n3\n1\n"))
	assert.Equal(t, (2.0+4+1)/3, object["mean"])
	object = simulated(t, "--policy random --n 1 --trace "+file(t, "1\n2\n11\n")+" --work constant")
	assert.Equal(t, (1.0+1+1)/3, object["mean"])
	// Nothing counted: there is no mean.
	object = simulated(t, "--policy random --n 1 --trace "+file(t, "1 2\n")+" --warmup 1 --horizon 2")
	assert.Nil(t, object["mean"])
	assert.Contains(t, object, "mean")
}

func TestSimulatePrintsATable(t *testing.T) {
	code, out, errs := picklaw("simulate", "--policy", "random", "--model", "balls", "--n", "1", "--jobs", "12", "--seeds", "2")
	require.Equal(t, exitHolds, code, errs)
	assert.Equal(t, `random in model balls, seed 1 and the 1 after it
  jobs   24
  peak   12
  tails  1 1 1 1 1 1 1 1 and 4 more
`, out)
}

// A run that would take days ends at once when it is told to.
func TestSimulateEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, words := range []string{
		"--horizon 1e12 --quantiles=false", "--model herd --jobs 9000000000000 --quantiles=false", "--model ticks --horizon 1e12",
		"--model balls --n 10 --jobs 9000000000000", "--model herd-snapshot --dispatchers 16000000",
	} {
		var out, errs bytes.Buffer
		c := simulateCommand()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetOut(&out)
		c.SetErr(&errs)
		c.SetArgs(append(strings.Fields(words), "--policy", "power-of-d:1"))
		assert.ErrorIs(t, c.ExecuteContext(ctx), context.Canceled, words)
		assert.Empty(t, out.String()+errs.String(), words)
	}
}

func TestProgressShowsTheWholeAndOnlyOnATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	none := newProgress(w, "simulate", 2)
	assert.Nil(t, none)
	none.report(0, 1)
	none.clear()

	var out bytes.Buffer
	p := &progress{out: &out, doing: "simulate", done: make([]float64, 2)}
	p.report(0, 0.5)
	p.report(1, 0.1) // too soon after the first to be written
	p.next = time.Time{}
	p.report(1, 7)
	p.clear()
	assert.Equal(t, "\r\033[Ksimulate 25%\r\033[Ksimulate 75%\r\033[K", out.String())
}
