package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// TestMain lets the test binary be the program that is verified.
func TestMain(m *testing.M) {
	if code, ours := Protocol(subjects(), os.Args[1:]); ours {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// claims is enough for more deaths than are waited for.
func claims() []spec.Option {
	return []spec.Option{spec.Law(oracle.PowerOfD{D: 2}), spec.ReleasesOnce(), spec.Concurrent(), spec.CountsInFlight(), spec.KeepsCounts()}
}

// subjects are honest until their fiftieth pick.
func subjects() []spec.Subject {
	return []spec.Subject{
		subject("honest", func() {}),
		{Name: "always exits", New: func(spec.Fleet) (spec.Picker, error) { os.Exit(3); return nil, nil }, Claims: claims()},
		subject("exits", func() { os.Exit(3) }),
		subject("exits well", func() { os.Exit(0) }),
		subject("dies", func() {
			m := map[int]int{}
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					for k := range 1 << 20 {
						m[k%7] = g // concurrent map writes: a fatal error that no recover catches
					}
				})
			}
			wg.Wait()
		}),
		subject("spins", func() {
			_ = os.WriteFile(os.Getenv("PICKLAW_TEST_ORPHAN"), []byte(strconv.Itoa(os.Getpid())), 0o600)
			for n := 0; ; n++ {
				_ = n // a spin that never yields
			}
		}),
		subject("babbles", func() {
			fmt.Println(`{"result":{"name":"power-of-d/pick-law","verdict":"holds"}}`)
			fmt.Fprintln(os.Stderr, "babble")
		}),
		subject("leaves an orphan", func() {
			cmd := exec.Command("sleep", "600")
			if err := cmd.Start(); err == nil {
				_ = os.WriteFile(os.Getenv("PICKLAW_TEST_ORPHAN"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
			}
			os.Exit(5)
		}),
	}
}

func subject(name string, deed func()) spec.Subject {
	return spec.Subject{
		Name: name,
		New: func(f spec.Fleet) (spec.Picker, error) {
			inner, err := spec.Leased(func() policies.Policy { return policies.PowerOfD{D: 2} })(f)
			return &delayed{Picker: inner, left: 50, deed: deed}, err
		},
		Claims: []spec.Option{spec.Law(oracle.PowerOfD{D: 2}), spec.ReleasesOnce()},
	}
}

type delayed struct {
	spec.Picker
	left int
	deed func()
}

func (d *delayed) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if d.left--; d.left == 0 {
		d.deed()
	}
	return d.Picker.Pick(ctx, q)
}

func check(t *testing.T, name string) *spec.Report {
	t.Helper()
	p, err := Self()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := p.Check(ctx, order{Subject: name, Seed: 1, Alpha: spec.DefaultAlpha, Reproduce: "verify --policy " + name,
		Properties: []string{"power-of-d/pick-law", "conservation/second-release", "totality/small-fleets"}})
	require.NoError(t, err)
	require.Len(t, r.Properties, 3, "every property has a result, however the subject ended")
	return r
}

func result(t *testing.T, r *spec.Report, name string) spec.PropertyResult {
	t.Helper()
	for _, p := range r.Properties {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no result for %s", name)
	return spec.PropertyResult{}
}

func TestDeathIsAFindingUnderTheRightProperty(t *testing.T) {
	for name, death := range map[string]string{
		"exits":      "exit status 3",
		"exits well": "exit status 0",
		"dies":       "concurrent map writes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, name)
			p := result(t, r, "power-of-d/pick-law")
			require.Equal(t, spec.Violated, p.Verdict, p.String())
			require.Equal(t, spec.Exited, p.Finding, p.String())
			require.Contains(t, p.Observed, death)
			require.Equal(t, "verify --policy "+name+" --property power-of-d/pick-law", p.Reproduce)
			// The others do not take fifty picks and are judged all the same.
			require.Equal(t, spec.Holds, result(t, r, "conservation/second-release").Verdict)
			require.Equal(t, spec.Holds, result(t, r, "totality/small-fleets").Verdict)
		})
	}
}

func TestStandardStreamsDoNotReachTheVerdict(t *testing.T) {
	for _, name := range []string{"honest", "babbles"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, name)
			require.Equal(t, spec.Holds, r.Verdict())
			require.Positive(t, result(t, r, "power-of-d/pick-law").Samples)
		})
	}
}

func TestNoOrphanIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv("PICKLAW_TEST_ORPHAN", file)
	require.Equal(t, spec.Exited, result(t, check(t, "leaves an orphan"), "power-of-d/pick-law").Finding)
	requireGone(t, file)
}

// requireGone waits until the process whose number is in a file has ended.
func requireGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the kernel needs a moment to reap it
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 10*time.Second, 10*time.Millisecond)
}

func TestInterruptedRunLeavesNoChild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv("PICKLAW_TEST_ORPHAN", file)
	p, err := Self()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for ctx.Err() == nil {
			if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err = p.Check(ctx, order{Subject: "spins", Seed: 1, Alpha: spec.DefaultAlpha, Properties: []string{"power-of-d/pick-law"}})
	require.ErrorIs(t, err, context.Canceled)
	requireGone(t, file)
}

func TestManyDeathsLeaveOnlyClaimedPropertiesUndecided(t *testing.T) {
	p, err := Self()
	require.NoError(t, err)
	r, err := p.Check(context.Background(), order{Subject: "always exits", Seed: 1, Alpha: spec.DefaultAlpha})
	require.NoError(t, err)
	for _, q := range r.Properties {
		if q.Verdict == spec.Undecided {
			require.NotContains(t, q.Name, "judge/")
			require.NotContains(t, q.Name, "queueing/")
		}
	}
	require.Equal(t, deaths, r.Summary[spec.Violated])
	require.Positive(t, r.Summary[spec.Undecided])
}

func TestRunPrintsOneObjectOrATable(t *testing.T) {
	p, err := Self()
	require.NoError(t, err)
	q := Request{Programs: []Program{p}, Subject: "exits", Seed: 1, Alpha: spec.DefaultAlpha, JSON: true,
		Property: []string{"power-of-d/pick-law"}}
	var out bytes.Buffer
	code, err := Run(context.Background(), q, &out)
	require.NoError(t, err)
	require.Equal(t, exitViolated, code)
	var object struct {
		Subject    string
		Alpha      float64
		Properties []map[string]any
		Summary    map[string]int
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &object))
	require.Equal(t, "exits", object.Subject)
	require.Equal(t, map[string]int{"violated": 1}, object.Summary)
	for _, field := range []string{"name", "level", "tier", "verdict", "expected", "observed", "evidence", "samples", "limit_samples", "reproduce"} {
		require.Contains(t, object.Properties[0], field)
	}

	out.Reset()
	q.JSON = false
	code, err = Run(context.Background(), q, &out)
	require.NoError(t, err)
	require.Equal(t, exitViolated, code)
	require.Contains(t, out.String(), "exits: power-of-d/pick-law: violated (exit)")
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	p, err := Self()
	require.NoError(t, err)
	for _, q := range []Request{
		{Programs: []Program{p}, Subject: "nobody", Alpha: 1e-9},
		{Programs: []Program{p}, Property: []string{"power-of-d/nothing"}, Alpha: 1e-9},
	} {
		var out bytes.Buffer
		code, err := Run(context.Background(), q, &out)
		var usage *UsageError
		require.ErrorAs(t, err, &usage)
		require.Equal(t, exitUsage, code)
		require.Empty(t, out.String())
	}
}

func TestPinnedDeviationsAreNoSurprise(t *testing.T) {
	report := &spec.Report{}
	report.Add(spec.PropertyResult{Name: "a", Verdict: spec.Violated, Pinned: "known"})
	report.Add(spec.PropertyResult{Name: "b", Verdict: spec.Holds})
	s := Summary{Reports: []*spec.Report{report}}
	require.Equal(t, exitHolds, s.ExitCode())
	report.Add(spec.PropertyResult{Name: "c", Verdict: spec.Holds, Pinned: "should be violated"})
	require.Equal(t, exitViolated, s.ExitCode())
}
