// Command confusion writes the confusion table of package identify: which law
// it names for every reference policy, and what it says of every planted bug of
// the catalog that a policy or a balancer can have.
//
//	go run ./spec/cmd/confusion > spec/remote/IDENTIFY.md
//
// A mutant is told from its reference when another law is named, or none, or
// when something is said that is not said of the reference.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/identify"
)

// apart marks a bug outside of a function, which needs a build of its own.
const apart = "not in this build"

// deadline is how long one identification may take; some mutants hang.
const deadline = time.Minute

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "confusion:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "picklaw-confusion-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "picklaw")
	if out, err := exec.Command("go", "build", "-tags", "mutants", "-o", program, "./spec/cmd/picklaw").CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	var references []*job
	byName := make(map[string]*job)
	for _, s := range spec.Reference() {
		if s.Policy != nil || slices.Contains(leased, s.Name) {
			byName[s.Name] = &job{subject: s.Name}
			references = append(references, byName[s.Name])
		}
	}
	each(references, func(j *job) { j.run(ctx, program) })
	planted := bugs()
	each(planted, func(b *bug) { b.run(ctx, dir, program, byName) })
	write(os.Stdout, references, planted)
	return honest(planted)
}

// each works on several at a time.
func each[T fmt.Stringer](all []T, do func(T)) {
	work := make(chan T)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		workers.Go(func() {
			for t := range work {
				do(t)
				fmt.Fprintln(os.Stderr, t)
			}
		})
	}
	for _, t := range all {
		work <- t
	}
	close(work)
	workers.Wait()
}

// A job is one identification.
type job struct {
	subject, mutant string // no mutant: the reference
	result          *identify.Result
	trouble         string // instead of a result
	seconds         float64
}

func (j *job) run(ctx context.Context, program string) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	start := time.Now()
	cmd := exec.CommandContext(ctx, program, "identify", "--policy", j.subject, "--json")
	cmd.Env = append(os.Environ(), "PICKLAW_MUTANT="+j.mutant)
	out, err := cmd.Output()
	j.seconds = time.Since(start).Seconds()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		j.trouble = "hangs"
	case json.Unmarshal(out, &j.result) != nil:
		j.result = nil
		j.trouble = "crashes"
		switch {
		case errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte("no mutant of this build")):
			j.trouble = apart
		case !errors.As(err, &exit) && err != nil:
			j.trouble = err.Error()
		}
	}
}

func (j *job) String() string {
	return fmt.Sprintf("%s %s: %s (%.1f s)", j.subject, j.mutant, j.named(), j.seconds)
}

func (j *job) named() string {
	switch {
	case j.result == nil:
		return j.trouble
	case len(j.result.Remaining) == 0:
		return "no known law"
	case len(j.result.Deviations) > 0:
		return strings.Join(j.result.Remaining, ", ") + ", but not everywhere"
	}
	return strings.Join(j.result.Remaining, ", ")
}

// said is all that was said besides the law.
func (j *job) said() []string {
	if j.result == nil {
		return nil
	}
	return slices.Concat(j.result.Deviations, j.result.Observations)
}

var digits = regexp.MustCompile(`[0-9.]+%?`)

// kinds are what was said, without the numbers.
func (j *job) kinds() []string {
	var all []string
	for _, o := range j.said() {
		all = append(all, digits.ReplaceAllString(o, "#"))
	}
	return all
}

// differs tells whether anything but numbers is not as with the reference.
func (j *job) differs(reference *job) bool {
	return j.named() != reference.named() || !slices.Equal(j.kinds(), reference.kinds())
}

// besides is what is not said of the reference, and then what only is.
func (j *job) besides(reference *job) []string {
	var more []string
	mine, others := j.kinds(), reference.kinds()
	for i, o := range mine {
		if !slices.Contains(others, o) {
			more = append(more, j.said()[i])
		}
	}
	for i, o := range others {
		if j.result != nil && !slices.Contains(mine, o) {
			more = append(more, "not: "+reference.said()[i])
		}
	}
	return more
}
