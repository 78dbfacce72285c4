// Command confusion writes the confusion table of package identify: which law
// it names for every reference policy, and for every planted bug of the catalog
// that a policy or a balancer can have.
//
//	go run ./spec/cmd/confusion > spec/remote/IDENTIFY.md
//
// A mutant is told from its reference when another law is named, or none, or
// when something else is observed. Many bugs are not about the law at all; the
// properties of the specification catch those.
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
	var jobs []*job
	references := make(map[string]*job)
	for _, s := range spec.Reference() {
		if s.Policy != nil || s.Name == "balancer/power-of-d:2" {
			references[s.Name] = &job{subject: s.Name}
			jobs = append(jobs, references[s.Name])
		}
	}
	planted := len(jobs)
	jobs = append(jobs, bugs()...)
	work := make(chan *job)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for j := range work {
				j.run(ctx, program)
				fmt.Fprintf(os.Stderr, "%s %s: %s\n", j.subject, j.mutant, j.named())
			}
		})
	}
	for _, j := range jobs {
		work <- j
	}
	close(work)
	workers.Wait()
	jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.trouble == apart })
	return write(jobs[:planted], jobs[planted:], references)
}

// A job is one identification.
type job struct {
	subject, mutant string // no mutant: the reference
	result          *identify.Result
	trouble         string // instead of a result
}

func (j *job) run(ctx context.Context, program string) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "identify", "--policy", j.subject, "--json")
	cmd.Env = append(os.Environ(), "PICKLAW_MUTANT="+j.mutant)
	out, err := cmd.Output()
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

func (j *job) named() string {
	switch {
	case j.result == nil:
		return j.trouble
	case len(j.result.Remaining) == 0:
		return "no known law"
	}
	return strings.Join(j.result.Remaining, ", ")
}

var digits = regexp.MustCompile(`[0-9.]+%?`)

// observed are the observations without their numbers.
func (j *job) observed() []string {
	if j.result == nil {
		return nil
	}
	var all []string
	for _, o := range j.result.Observations {
		all = append(all, digits.ReplaceAllString(o, "#"))
	}
	return all
}

func (j *job) picks() int {
	if j.result == nil {
		return 0
	}
	return j.result.Picks
}

func write(references, planted []*job, byName map[string]*job) error {
	line := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	told := 0
	for _, j := range planted {
		if j.differs(byName[j.subject]) {
			told++
		}
	}
	line("# What picklaw identify names\n")
	line("`go run ./spec/cmd/confusion > spec/remote/IDENTIFY.md` writes this file. The law that a balancer follows is")
	line("refuted with probability %g at most.\n", spec.DefaultAlpha)
	line("## Reference policies\n")
	line("| policy | named | picks | observed |\n|---|---|---|---|")
	for _, j := range references {
		observations := []string(nil)
		if j.result != nil {
			observations = j.result.Observations
		}
		line("| %s | %s | %d | %s |", j.subject, j.named(), j.picks(), strings.Join(observations, "; "))
	}
	line("\n## Planted bugs\n")
	line("%d of %d bugs are told from their reference: another law is named or none, or something else is observed. The others", told, len(planted))
	line("leave these picks as they are, and are the matter of the properties of the specification.\n")
	line("| bug | in | named | observed besides | told apart |\n|---|---|---|---|---|")
	for _, j := range planted {
		verdict := "no"
		if j.differs(byName[j.subject]) {
			verdict = "yes"
		}
		line("| %s | %s | %s | %s | %s |", j.mutant, j.subject, j.named(), strings.Join(j.besides(byName[j.subject]), "; "), verdict)
	}
	return nil
}

// differs tells whether anything but numbers is not as with the reference.
func (j *job) differs(reference *job) bool {
	return j.named() != reference.named() || !slices.Equal(j.observed(), reference.observed())
}

// besides are the observations that the reference does not give rise to.
func (j *job) besides(reference *job) []string {
	var more []string
	known := reference.observed()
	for i, o := range j.observed() {
		if !slices.Contains(known, o) {
			more = append(more, j.result.Observations[i])
		}
	}
	return more
}
