package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// Exit codes of the commands.
const (
	exitHolds     = 0
	exitViolated  = 1
	exitUsage     = 2
	exitUndecided = 3
	exitHarness   = 4
)

// Request says what to verify.
type Request struct {
	Programs  []Program
	Subject   string   // empty: all of them
	Property  []string // empty: all
	Seed      uint64
	Alpha     float64 // of the whole run, over all subjects
	JSON      bool
	Page      func(Summary, map[string]string) error // also told the summary and the docs, with traces; nil for nobody
	Reproduce string                                 // the command that repeats one subject; its name is appended
	Progress  func(who string)                       // told which subject is being checked; nil for nobody
}

// A Summary is the outcome over all subjects.
type Summary struct {
	Alpha   float64              `json:"alpha"`
	Reports []*spec.Report       `json:"reports"`
	Summary map[spec.Verdict]int `json:"summary"`
}

// Add takes in the report on one more subject.
func (s *Summary) Add(r *spec.Report) {
	s.Reports = append(s.Reports, r)
	if s.Summary == nil {
		s.Summary = make(map[spec.Verdict]int)
	}
	for v, n := range r.Summary {
		s.Summary[v] += n
	}
}

// UsageError is a request that cannot be met because of how it was put.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Run verifies and prints: a table and the diagnoses of what failed, or JSON.
// It prints nothing before everything is known, and returns the exit code.
func Run(ctx context.Context, q Request, out io.Writer) (int, error) {
	for _, name := range q.Property {
		if _, err := spec.Find(name); err != nil {
			return exitUsage, &UsageError{err.Error()}
		}
	}
	type target struct {
		program Program
		Listing
	}
	var targets []target
	var known []string
	for _, p := range q.Programs {
		list, err := p.Subjects(ctx)
		if err != nil {
			return exitHarness, err
		}
		for _, l := range list {
			if slices.Contains(known, l.Name) {
				return exitUsage, &UsageError{fmt.Sprintf("two subjects are named %q, want a name of its own for each", l.Name)}
			}
			known = append(known, l.Name)
			if q.Subject == "" || q.Subject == l.Name {
				targets = append(targets, target{p, l})
			}
		}
	}
	if len(targets) == 0 {
		return exitUsage, &UsageError{fmt.Sprintf("no subject is named %q; there are: %s", q.Subject, strings.Join(known, ", "))}
	}
	s := Summary{Alpha: q.Alpha}
	docs := make(map[string]string)
	for _, t := range targets {
		if q.Progress != nil {
			q.Progress(t.Name)
		}
		report, err := t.program.Check(ctx, order{
			Subject: t.Name, Seed: q.Seed, Properties: slices.Clone(q.Property),
			Alpha:     oracle.SplitAlpha(q.Alpha, len(known)),
			Reproduce: q.reproduce(t.Name), Traced: q.Page != nil,
		})
		if err != nil {
			return exitHarness, err
		}
		docs[t.Name] = t.Doc
		s.Add(report)
	}
	if q.Property != nil && !slices.ContainsFunc(s.Reports, func(r *spec.Report) bool { return r.Verdict() != spec.NotClaimed }) {
		who := "no subject claims"
		if q.Subject != "" {
			who = q.Subject + " does not claim"
		}
		return exitUsage, &UsageError{fmt.Sprintf("%s what %s is about, so there is nothing to check", who, strings.Join(q.Property, ", "))}
	}
	if q.Page != nil {
		if err := q.Page(s, docs); err != nil {
			return exitHarness, err
		}
	}
	if q.JSON {
		var object any = s
		if q.Subject != "" {
			object = s.Reports[0]
		}
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(object); err != nil {
			return exitHarness, err
		}
	} else {
		var text bytes.Buffer
		s.Print(&text, docs)
		if _, err := out.Write(text.Bytes()); err != nil {
			return exitHarness, fmt.Errorf("verify: writing the report: %w", err)
		}
	}
	return s.ExitCode(), nil
}

func (q Request) reproduce(subject string) string {
	if q.Reproduce == "" {
		return ""
	}
	command := q.Reproduce + " --policy " + Quote(subject)
	if q.Seed != 1 {
		command += fmt.Sprintf(" --seed %d", q.Seed)
	}
	if q.Alpha != spec.DefaultAlpha {
		command += fmt.Sprintf(" --alpha %g", q.Alpha)
	}
	return command
}

// Quote writes a word so that a shell reads it as one.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ExitCode is that of the worst surprise. A pinned deviation that shows as
// pinned is none.
func (s Summary) ExitCode() int {
	code := exitHolds
	for _, r := range s.Reports {
		for _, p := range r.Surprises() {
			switch {
			case p.Verdict == spec.HarnessError:
				return exitHarness
			case p.Verdict == spec.Undecided && code == exitHolds:
				code = exitUndecided
			case p.Verdict == spec.Violated || p.Pinned != "":
				code = exitViolated
			}
		}
	}
	return code
}
