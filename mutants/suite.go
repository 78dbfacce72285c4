package mutants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A suite is a test binary that holds the reference subjects against the
// specification.
type suite struct {
	binary string
	dir    string // where the test expects to be started
}

// build compiles the suite of a tree. The error is what the compiler said.
func (t Tree) build(ctx context.Context, binary string, flags ...string) (*suite, error) {
	args := append([]string{"test", "-c", "-vet=off", "-o", binary}, flags...)
	c := exec.CommandContext(ctx, "go", append(args, "./spec")...)
	c.Dir = t.Dir
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the suite does not build: %w\n%s", err, out)
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, errors.New("the suite has no tests")
	}
	return &suite{binary: binary, dir: filepath.Join(t.Dir, "spec")}, nil
}

// buildOverlaid compiles the suite with a hunk laid over its file.
func (t Tree) buildOverlaid(ctx context.Context, s *source, h hunk, dir string) (*suite, error) {
	file := filepath.Join(dir, "mutated.go")
	if err := os.WriteFile(file, []byte(s.apply(h)), 0o644); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(t.realDir(), filepath.FromSlash(s.path)): file},
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		return nil, err
	}
	return t.build(ctx, filepath.Join(dir, "suite.test"), "-overlay", filepath.Join(dir, "overlay.json"))
}

// An order is what one start of the suite shall do.
type order struct {
	mutant  string   // empty for none
	sampled []string // sampled properties, besides the exact tier
	checks  []check  // nothing but these; nil for everything
	record  bool     // which mutants' functions are called, by one check after the other
	profile bool     // also what the bare rules do
}

// environment is the order as the suite reads it.
func (o order) environment() []string {
	env := []string{"PICKLAW_MUTANT=" + o.mutant, "PICKLAW_SAMPLED=" + strings.Join(o.sampled, ",")}
	if o.checks != nil {
		var list strings.Builder
		for _, c := range o.checks {
			fmt.Fprintln(&list, c.Subject, c.Property)
		}
		env = append(env, "PICKLAW_CHECKS="+list.String())
	}
	if o.record {
		env = append(env, "PICKLAW_RECORD=1")
	}
	return env
}

// An outcome is what one start of the suite came to.
type outcome struct {
	events   []event
	profiles map[string]profile
	end      event
	fault    error // why the events are not to be trusted; nil when the suite ended properly
	timedOut bool
	output   []byte
	seconds  float64
}

// profiled ends the name of the file that profiles are written to.
const profiled = ".profiles"

// run starts the suite once. No exit code is a verdict: only the events count,
// and only if the suite reports its end and did not crash.
//
// Besides deciding properties the suite may report profiles, which are asked for
// by an environment variable and beside the point when there are none.
func (s *suite) run(ctx context.Context, do order, limit time.Duration, events string) outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tests := "TestReference"
	if do.profile {
		tests += "|TestProfile"
	}
	args := []string{"-test.run=^(" + tests + ")$", "-test.count=1", "-test.timeout=0"}
	if do.record {
		args = append(args, "-test.parallel=1") // what is called belongs to the check that runs
	}
	c := exec.CommandContext(ctx, s.binary, args...)
	c.Dir = s.dir
	c.Env = append(append(os.Environ(), "PICKLAW_EVENTS="+events, "PICKLAW_PROFILE="+events+profiled), do.environment()...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGQUIT) } // prints where it hangs
	c.WaitDelay = 2 * time.Second
	start := time.Now()
	err := c.Run()
	o := outcome{output: output.Bytes(), seconds: time.Since(start).Seconds()}
	o.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	o.events, o.end, o.fault = readEvents(events)
	profiles, unread := readProfiles(events + profiled)
	o.profiles, o.fault = profiles, cmp.Or(o.fault, unread)
	switch exited := (*exec.ExitError)(nil); {
	case o.timedOut:
		o.fault = fmt.Errorf("the suite was still running after %v", limit)
	case o.fault != nil:
		o.fault = fmt.Errorf("%w: %s", o.fault, lastWords(o.output))
	case err != nil && !errors.As(err, &exited):
		o.fault = err
	case err != nil && exited.ExitCode() != 1:
		// Tests that fail end with 1, a panic with 2. A panic still runs the
		// cleanup of its test, which may report an end that is none.
		o.fault = fmt.Errorf("the suite crashed: %w: %s", err, lastWords(o.output))
	}
	return o
}

// refusesStrangers checks that the suite reads the name of its mutant: one that
// does not would run the unmutated code for all of them.
func (s *suite) refusesStrangers(ctx context.Context, events string) error {
	o := s.run(ctx, order{mutant: "no_such_mutant"}, time.Minute, events)
	if o.fault == nil || !bytes.Contains(o.output, []byte("no_such_mutant")) {
		return errors.New("mutants: the suite does not ask which mutant to run")
	}
	return nil
}

// lastWords are the lines of an output that tell most.
func lastWords(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") {
			return l + strings.TrimRight(" "+strings.Join(lines[i+1:min(i+2, len(lines))], " "), " ")
		}
	}
	return lines[len(lines)-1]
}
