package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// TestMain lets the test binary be the program on the other end: an honest one,
// or one that misbehaves at its 50th pick.
func TestMain(m *testing.M) {
	if kind := os.Getenv("PICKLAW_TEST_CHILD"); kind != "" {
		os.Exit(beChild(kind))
	}
	os.Exit(m.Run())
}

func childCommand(t *testing.T, kind string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return fmt.Sprintf("PICKLAW_TEST_CHILD=%s exec %s", kind, self)
}

func beChild(kind string) int {
	honest := spec.Leased(func() policies.Policy { return policies.PowerOfD{D: 2} })
	if kind == "honest" {
		if err := Serve(os.Stdin, os.Stdout, honest); err != nil {
			return 1
		}
		return 0
	}
	picks := 0
	wicked := func(f spec.Fleet) (spec.Picker, error) {
		p, err := honest(f)
		return pickFunc(func(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
			if picks++; picks == 50 {
				misbehave(kind)
				if kind == "names a stranger" {
					return 4711, func(spec.Outcome) error { return nil }, nil
				}
			}
			return p.Pick(ctx, q)
		}), err
	}
	_ = Serve(os.Stdin, os.Stdout, wicked)
	return 0
}

type pickFunc func(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error)

func (f pickFunc) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	return f(ctx, q)
}

func misbehave(kind string) {
	switch kind {
	case "writes garbage":
		fmt.Println("Segmentation fault (core dumped)")
	case "writes no seq":
		fmt.Println(`{"server":3}`)
	case "writes an endless line":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "answers twice":
		fmt.Println(`{"seq":1}`)
	case "dies":
		fmt.Fprintln(os.Stderr, "Traceback: something went wrong")
		syscall.Exit(3) // os.Exit takes a second under the race detector
	case "is killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "hangs":
		select {}
	case "closes its output":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "leaves an orphan":
		_ = exec.Command("/bin/sh", "-c", "exec sleep 987654").Start()
		syscall.Exit(0)
	case "leaves an orphan with its output":
		orphan := exec.Command("/bin/sh", "-c", "exec sleep 987654")
		orphan.Stdout, orphan.Stderr = os.Stdout, os.Stderr
		_ = orphan.Start()
		syscall.Exit(0)
	case "answers late":
		time.Sleep(2 * time.Second)
	}
}

func TestHonestProgramHolds(t *testing.T) {
	t.Parallel()
	program := &Program{Command: childCommand(t, "honest")}
	defer program.Close()
	// The same balancer is judged without a pipe in between by package spec, as
	// balancer/power-of-d:2, and one in Python more closely below.
	r := spec.Check(program.Factory(), spec.Law(oracle.PowerOfD{D: 2}), spec.Resolution(0.5),
		spec.CountsInFlight(), spec.ReleasesOnce(), spec.KeepsCounts(), spec.Concurrent())
	for _, p := range r.Failures() {
		t.Error(p)
	}
	require.GreaterOrEqual(t, r.Summary[spec.Holds], 7, "%v", r.Summary)
	require.Equal(t, 1, program.starts)
}

func TestMisbehaviourIsNamed(t *testing.T) {
	for kind, finding := range map[string]spec.Finding{
		"writes garbage":                   Garbage,
		"writes no seq":                    Garbage,
		"writes an endless line":           Garbage,
		"answers twice":                    OutOfTurn,
		"dies":                             spec.Exited,
		"is killed":                        spec.Exited,
		"hangs":                            spec.Hung,
		"closes its output":                spec.Exited,
		"leaves an orphan":                 spec.Exited,
		"leaves an orphan with its output": spec.Exited,
		"answers late":                     Late,
		"names a stranger":                 spec.UnknownServer,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			program := &Program{Command: childCommand(t, "'"+kind+"'"), Patience: 1500 * time.Millisecond}
			r := spec.Check(program.Factory(), spec.Law(oracle.PowerOfD{D: 2}),
				spec.Only("power-of-d/pick-law", "totality/small-fleets"))
			process := program.child.cmd.Process.Pid
			require.NoError(t, program.Close())
			require.Len(t, r.Properties, 2)
			p := r.Properties[0]
			require.Equal(t, spec.Violated, p.Verdict, p.String())
			require.Equal(t, finding, p.Finding, p.String())
			if kind == "dies" {
				require.Contains(t, p.Observed, "Traceback: something went wrong")
				require.Contains(t, p.Observed, "exit status 3")
			}
			require.Equal(t, spec.Holds, r.Properties[1].Verdict, "the next property gets a process of its own: %s", r.Properties[1])
			requireGone(t, process)
		})
	}
}

// requireGone looks for a process, and for others of its group.
func requireGone(t *testing.T, group int) {
	t.Helper()
	require.Eventually(t, func() bool { return syscall.Kill(-group, 0) == syscall.ESRCH }, 5*time.Second, 5*time.Millisecond,
		"processes of group %d are left", group)
}

func TestAProgramThatCannotStart(t *testing.T) {
	program := &Program{Command: "exec /does/not/exist"}
	defer program.Close()
	r := spec.Check(program.Factory(), spec.Law(oracle.Random{}), spec.Only("random/pick-law"))
	require.Equal(t, spec.Violated, r.Verdict())
	require.Equal(t, spec.Exited, r.Properties[0].Finding)
	require.Contains(t, r.Properties[0].Observed, "exist")
}

func TestAProgramOfAnotherVersion(t *testing.T) {
	program := &Program{Command: `read line; echo '{"seq":1,"protocol":2}'; read line`}
	defer program.Close()
	r := spec.Check(program.Factory(), spec.Law(oracle.Random{}), spec.Only("random/pick-law"))
	require.Equal(t, Garbage, r.Properties[0].Finding)
	require.Contains(t, r.Properties[0].Observed, "protocol 2, want 1")
}

func TestCloseEndsAProgramThatDoesNotReadItsInput(t *testing.T) {
	program := &Program{Command: `read line; echo '{"seq":1,"protocol":1}'; read line; echo '{"seq":2}'; exec sleep 987654`, Patience: 200 * time.Millisecond}
	_, err := program.Factory()(spec.Fleet{})
	require.NoError(t, err)
	group := program.child.cmd.Process.Pid
	require.NoError(t, program.Close())
	requireGone(t, group)
}

// python is the interpreter that the examples need. A newcomer's machine may be
// without it, and the protocol is tested with a Go child as well; CI installs it
// and fails here without it, so that somebody always knows that the examples work.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("the examples of the protocol need python3, and there is none")
		}
		t.Fatal("the examples of the protocol need python3, and there is none: install it, on Debian with apt-get install python3-minimal")
	}
	return path
}

func TestPythonExampleHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; a Go program makes the same claims in short runs too")
	}
	t.Parallel()
	program := &Program{Command: "exec " + python(t) + " examples/p2c.py"}
	defer program.Close()
	r := spec.Check(program.Factory(), spec.Law(oracle.PowerOfD{D: 2}), spec.Resolution(0.25),
		spec.CountsInFlight(), spec.ReleasesOnce(), spec.KeepsCounts())
	for _, p := range r.Failures() {
		t.Error(p)
	}
	require.GreaterOrEqual(t, r.Summary[spec.Holds], 6, "%v", r.Summary)
}

func TestWrongPythonExampleIsConvictedAndDiagnosed(t *testing.T) {
	t.Parallel()
	program := &Program{Command: "exec " + python(t) + " examples/replacement.py"}
	defer program.Close()
	r := spec.Check(program.Factory(), spec.Law(oracle.PowerOfD{D: 2}), spec.Only("power-of-d/pick-law"))
	p := r.Properties[0]
	require.Equal(t, spec.Violated, p.Verdict, p.String())
	require.Equal(t, spec.WrongLaw, p.Finding)
	require.True(t, strings.HasPrefix(p.Diagnosis.Fits, "power-of-d:2:replacement"), p.String())
}

// TestTranscript has the conversation of the package comment with both ends
// that the suite knows.
func TestTranscript(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	turns := regexp.MustCompile(`(?m)^//\t([<>]) (.*)$`).FindAllStringSubmatch(string(source), -1)
	require.GreaterOrEqual(t, len(turns), 20)
	for name, command := range map[string]string{
		"go": childCommand(t, "honest"), "python": "exec " + python(t) + " examples/p2c.py",
	} {
		t.Run(name, func(t *testing.T) {
			var questions, want bytes.Buffer
			for _, turn := range turns {
				if turn[1] == ">" {
					fmt.Fprintln(&questions, turn[2])
				} else {
					fmt.Fprintln(&want, turn[2])
				}
			}
			cmd := exec.Command("/bin/sh", "-c", command)
			cmd.Stdin = &questions
			got, err := cmd.Output()
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(objects(t, want.Bytes()), objects(t, got)))
		})
	}
}

// objects are the lines of one side. The words of an error are free.
func objects(t *testing.T, lines []byte) []map[string]any {
	t.Helper()
	var all []map[string]any
	for d := json.NewDecoder(bytes.NewReader(lines)); ; {
		var o map[string]any
		err := d.Decode(&o)
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		if text, ok := o["error"]; ok {
			require.NotEmpty(t, text)
			o["error"] = "some text"
		}
		all = append(all, o)
	}
}

// TestQuestionsAreTheGrammar holds the lines that are written to the grammar of
// the package comment, field by field.
func TestQuestionsAreTheGrammar(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	grammar := make(map[string][]string) // by operation: fields, optional ones with a question mark
	for _, rule := range regexp.MustCompile(`(?m)^//\t\w+ *= (\{"seq", "op":"(\w+)".*\})$`).FindAllStringSubmatch(string(source), -1) {
		var fields []string
		for _, f := range regexp.MustCompile(`"(\w+)"(\??)[:,}]`).FindAllStringSubmatch(strings.NewReplacer(`:"`+rule[2]+`"`, `:`, `:"ok"|"failed"|"canceled"`, `:`).Replace(rule[1]), -1) {
			fields = append(fields, f[1]+f[2])
		}
		grammar[rule[2]] = fields
	}
	require.Len(t, grammar, 9)
	log := filepath.Join(t.TempDir(), "log")
	program := &Program{Command: "tee " + strconv.Quote(log) + " | (" + childCommand(t, "honest") + ")"}
	factory := program.Factory()
	p, err := factory(spec.Fleet{Servers: policies.Fleet(3), Seed: 5})
	require.NoError(t, err)
	_, done, err := p.Pick(context.Background(), spec.Request{Key: "k", Cookie: "c", Tried: []spec.ServerID{1}})
	require.NoError(t, err)
	require.NoError(t, done(spec.Outcome{Canceled: true, Latency: time.Second}))
	for _, o := range []spec.Outcome{{Failed: true, Latency: 2}, {Latency: 3}} {
		_, done, err := p.Pick(context.Background(), spec.Request{})
		require.NoError(t, err)
		require.NoError(t, done(o))
	}
	out := policies.Fleet(3)
	out[1].Weight = 0
	require.NoError(t, p.(spec.Updater).Update(out))
	require.NoError(t, p.(spec.Updater).Update(policies.Fleet(4)))
	require.Zero(t, p.(spec.Counter).InFlight(2))
	require.Error(t, program.child.asBalancer(1).say(question{Op: opAdvance, Fleet: 1, Duration: pointer(int64(5))}))
	require.NoError(t, p.(io.Closer).Close())
	require.NoError(t, program.Close())
	asked, err := os.ReadFile(log)
	require.NoError(t, err)
	seen := make(map[string]bool)
	var ends []any
	full := false // some pick has every field
	for _, o := range objects(t, asked) {
		op := o["op"].(string)
		seen[op] = true
		if op == opDone {
			ends = append(ends, o["outcome"], o["latency_ns"])
		}
		full = full || op == opPick && len(o) == len(grammar[op])
		for _, f := range grammar[op] {
			name, optional := strings.CutSuffix(f, "?")
			if _, ok := o[name]; !ok && !optional {
				t.Errorf("%s lacks %q: %v", op, name, o)
			}
			delete(o, name)
		}
		require.Empty(t, o, "fields of %s that the grammar does not know", op)
	}
	require.Len(t, seen, len(grammar), "%v", seen)
	require.Equal(t, []any{"canceled", 1e9, "failed", 2.0, "ok", 3.0}, ends)
	require.True(t, full, "key, cookie and tried are passed on")
}

func (c *child) asBalancer(number int) *balancer { return &balancer{child: c, number: number} }
