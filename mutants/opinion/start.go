package opinion

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// memory is what a mutation may allocate, in kilobytes: some never stop.
const memory = 8_000_000

// command starts a test binary for a mutation, 0 for none.
func (b *program) command(ctx context.Context, mutation int, flags ...string) *exec.Cmd {
	args := append([]string{"-c", fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$@"`, memory), "sh", b.path}, b.flags...)
	c := exec.CommandContext(ctx, "sh", append(args, flags...)...)
	c.Dir = b.dir
	c.Env = append(os.Environ(), Environment+"=", "PICKLAW_MUTANT=", "PICKLAW_SAMPLED=")
	if mutation > 0 {
		c.Env = append(c.Env, Environment+"="+strconv.Itoa(mutation))
	}
	c.WaitDelay = 2 * time.Second
	return c
}

// exactly is a pattern that matches any of some names and nothing else.
func exactly(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, regexp.QuoteMeta(n))
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}

// A verdict is what one start of a test binary came to. No exit code is one.
type verdict struct {
	by      string // the property or the test that convicts
	how     string // what it said
	fault   string // why the run decides nothing
	timeout bool
	seconds float64
	events  map[string]int     // results of each subject
	tests   map[string]float64 // seconds of each test that passed
	failed  []string           // tests
}

// An event is one property decided on one subject, as the suite reports it.
type event struct {
	Subject string `json:"subject"`
	Result  struct {
		Name     string `json:"name"`
		Tier     string `json:"tier"`
		Verdict  string `json:"verdict"`
		Observed string `json:"observed"`
		Pinned   string `json:"pinned"`
	} `json:"result"`
	End bool `json:"end"`
}

// suite runs subjects of the suite, or all if none is named, over the exact tier, until the first property
// that is violated. Golden tables change with every change of a simulator and
// convict nothing here; the tests of package queue have them too.
func (b *program) suite(ctx context.Context, mutation int, subjects []string, limit time.Duration) verdict {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v := verdict{events: make(map[string]int)}
	read, write, err := os.Pipe()
	if err != nil {
		return verdict{fault: err.Error()}
	}
	defer read.Close()
	pattern := "^" + suiteTest + "$"
	if len(subjects) > 0 {
		pattern += "/" + exactly(subjects)
	}
	c := b.command(ctx, mutation, "-test.run="+pattern, "-test.count=1", "-test.timeout=0")
	c.Env = append(c.Env, "PICKLAW_EVENTS=/dev/fd/3")
	c.ExtraFiles = []*os.File{write}
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	start := time.Now()
	err = c.Start()
	write.Close()
	if err != nil {
		return verdict{fault: err.Error()}
	}
	atEnd := false
	for lines := json.NewDecoder(bufio.NewReader(read)); v.by == ""; {
		var e event
		if err := lines.Decode(&e); err != nil {
			break // what is missing shows below
		}
		atEnd = atEnd || e.End
		if e.End {
			continue
		}
		group, _, _ := strings.Cut(e.Subject, "/") // all that have a slash run together
		v.events[group]++
		switch {
		case e.Result.Verdict == "violated" && e.Result.Tier != "golden" && e.Result.Pinned == "":
			v.by, v.how = e.Result.Name, e.Subject+": "+e.Result.Observed
			cancel()
		case e.Result.Verdict == "harness error" || e.Result.Verdict == "undecided":
			v.fault = fmt.Sprintf("%s in %s on %s: %s", e.Result.Verdict, e.Result.Name, e.Subject, e.Result.Observed)
		}
	}
	v.timeout = errors.Is(ctx.Err(), context.DeadlineExceeded)
	err = c.Wait()
	v.seconds = time.Since(start).Seconds()
	switch exited := (*exec.ExitError)(nil); {
	case v.by != "" || v.fault != "":
	case v.timeout:
		v.fault = fmt.Sprintf("the suite was still running after %v", limit)
	case !atEnd || err != nil && !(errors.As(err, &exited) && exited.ExitCode() == 1):
		// Tests that fail end with 1; here they may, for a golden table.
		v.fault = "the suite crashed: " + lastWords(output.Bytes())
	}
	return v
}

// short runs tests of a package, in short form, until the first that fails.
func (b *program) short(ctx context.Context, mutation int, tests []string, limit time.Duration) verdict {
	return b.test(ctx, mutation, tests, limit, "-test.failfast")
}

// test runs tests of a package.
func (b *program) test(ctx context.Context, mutation int, tests []string, limit time.Duration, flags ...string) verdict {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	flags = append(flags, "-test.run="+exactly(tests), "-test.short", "-test.v=test2json", "-test.count=1", "-test.timeout=0")
	c := b.command(ctx, mutation, flags...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	start := time.Now()
	err := c.Run()
	v := readTests(output.Bytes())
	v.seconds = time.Since(start).Seconds()
	if v.timeout = errors.Is(ctx.Err(), context.DeadlineExceeded) && v.by == ""; v.timeout {
		v.fault = fmt.Sprintf("the tests were still running after %v", limit)
		return v
	}
	if v.by == "" && v.fault == "" && (err != nil || len(v.tests) != len(tests)) {
		v.fault = fmt.Sprintf("%d of %d tests passed, and yet none failed: %s", len(v.tests), len(tests), lastWords(output.Bytes()))
	}
	return v
}

var (
	// The mark of test2json tells what testing says from what the tests print.
	begun = regexp.MustCompile(`(?m)\x16=== (?:RUN|CONT|NAME) +(\S+)$`)
	ended = regexp.MustCompile(`(?m)\x16--- (PASS|FAIL): ([^\s/]+) \(([0-9.]+)s\)$`)
	green = regexp.MustCompile(`(?m)\x16PASS$`)
)

// readTests reads the verdict of tests from what they print. A run that stops in
// the middle of a test is a verdict of that test: nothing else runs there.
func readTests(output []byte) verdict {
	v := verdict{tests: make(map[string]float64)}
	for _, m := range ended.FindAllSubmatch(output, -1) {
		if string(m[1]) == "PASS" {
			v.tests[string(m[2])], _ = strconv.ParseFloat(string(m[3]), 64)
			continue
		}
		v.failed = append(v.failed, string(m[2]))
		if v.by == "" {
			v.by = string(m[2])
		}
	}
	if v.by != "" || green.Match(output) {
		return v
	}
	last := lastWords(output)
	all := begun.FindAllSubmatch(output, -1)
	switch crash := strings.HasPrefix(last, "panic: ") || strings.HasPrefix(last, "fatal error: ") || strings.HasPrefix(last, "runtime: "); {
	case crash && len(all) > 0:
		v.by, _, _ = strings.Cut(string(all[len(all)-1][1]), "/")
		v.failed = append(v.failed, v.by)
		v.how = last
	default:
		v.fault = "the tests ended without a verdict: " + last
	}
	return v
}

// lastWords is the line of an output that tells most.
func lastWords(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return lines[len(lines)-1]
}
