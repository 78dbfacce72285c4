package opinion

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// memory is what a mutation may allocate, in kilobytes: some never stop.
const memory = 8_000_000

// A patience is how long a run may take. What counts is the time of the
// processor, which a busy machine does not change; the other limit is for runs
// that wait for something that does not come.
type patience struct {
	processor int // seconds
	wall      time.Duration
}

// patient is the patience with a run that takes some seconds of the processor
// without a mutation: ten times as long, and a grace. On the clock it may take
// ten times that, and five more graces to start.
func patient(seconds, grace float64) patience {
	p := grace + 10*seconds
	return patience{int(math.Ceil(p)), time.Duration((5*grace + 10*p) * float64(time.Second))}
}

// command starts a test binary for a mutation, 0 for none.
func (b *program) command(ctx context.Context, mutation int, limit patience, flags ...string) *exec.Cmd {
	shell := fmt.Sprintf(`ulimit -v %d; ulimit -S -t %d; exec "$@"`, memory, limit.processor)
	args := append([]string{"-c", shell, "sh", b.path}, b.flags...)
	c := exec.CommandContext(ctx, "sh", append(args, flags...)...)
	c.Dir = b.dir
	c.Env = append(os.Environ(), Environment+"=", "PICKLAW_MUTANT=", "PICKLAW_SAMPLED=")
	if mutation > 0 {
		c.Env = append(c.Env, Environment+"="+strconv.Itoa(mutation))
	}
	c.WaitDelay = 2 * time.Second
	return c
}

// outOfTime is what the runtime says when the limit of the processor is reached.
var outOfTime = []byte("SIGXCPU: ")

// processor is the time of the processor that a command has taken, in seconds.
func processor(c *exec.Cmd) float64 {
	if c.ProcessState == nil {
		return 0
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}

func (p patience) String() string {
	return fmt.Sprintf("%d s of the processor, or %v", p.processor, p.wall)
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
	seconds float64         // of the processor
	events  map[string]int  // results of each subject
	passed  map[string]bool // tests
	failed  []string        // tests
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
func (b *program) suite(ctx context.Context, mutation int, subjects []string, limit patience) verdict {
	ctx, cancel := context.WithTimeout(ctx, limit.wall)
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
	c := b.command(ctx, mutation, limit, "-test.run="+pattern, "-test.count=1", "-test.timeout=0")
	c.Env = append(c.Env, "PICKLAW_EVENTS=/dev/fd/3")
	c.ExtraFiles = []*os.File{write}
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
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
	overdue := errors.Is(ctx.Err(), context.DeadlineExceeded)
	err = c.Wait()
	v.seconds = processor(c)
	v.timeout = overdue || bytes.Contains(output.Bytes(), outOfTime)
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
func (b *program) short(ctx context.Context, mutation int, tests []string, limit patience) verdict {
	return b.test(ctx, mutation, tests, limit, "-test.failfast")
}

// test runs tests of a package.
func (b *program) test(ctx context.Context, mutation int, tests []string, limit patience, flags ...string) verdict {
	ctx, cancel := context.WithTimeout(ctx, limit.wall)
	defer cancel()
	flags = append(flags, "-test.run="+exactly(tests), "-test.short", "-test.v=test2json", "-test.count=1", "-test.timeout=0")
	c := b.command(ctx, mutation, limit, flags...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	v := readTests(output.Bytes())
	v.seconds = processor(c)
	if v.by == "" && (errors.Is(ctx.Err(), context.DeadlineExceeded) || bytes.Contains(output.Bytes(), outOfTime)) {
		v.timeout, v.fault = true, fmt.Sprintf("the tests were still running after %v", limit)
		return v
	}
	if v.by == "" && v.fault == "" && (err != nil || len(v.passed) != len(tests)) {
		v.fault = fmt.Sprintf("%d of %d tests passed, and yet none failed: %s", len(v.passed), len(tests), lastWords(output.Bytes()))
	}
	return v
}

var (
	// The mark of test2json tells what testing says from what the tests print.
	begun = regexp.MustCompile(`(?m)\x16=== (?:RUN|CONT|NAME) +(\S+)$`)
	ended = regexp.MustCompile(`(?m)\x16--- (PASS|FAIL): ([^\s/]+) `)
	green = regexp.MustCompile(`(?m)\x16PASS$`)
)

// readTests reads the verdict of tests from what they print. A run that stops in
// the middle of a test is a verdict of that test: nothing else runs there.
func readTests(output []byte) verdict {
	v := verdict{passed: make(map[string]bool)}
	for _, m := range ended.FindAllSubmatch(output, -1) {
		if string(m[1]) == "PASS" {
			v.passed[string(m[2])] = true
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
