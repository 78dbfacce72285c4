package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote"
	"github.com/picklaw/picklaw/spec/remote/page"
	"github.com/picklaw/picklaw/spec/verify"
)

// auditRequest is what the flags of audit say.
type auditRequest struct {
	promises
	command    string
	target     httpTarget
	patience   time.Duration
	properties []string
	seed       uint64
	alpha      float64
	resolution float64
	json       bool
	html       string // the file to write a page to
}

// foreignCommands judge what is not Go code, and show what it should look like.
func foreignCommands() []*cobra.Command {
	return []*cobra.Command{auditCommand(), identifyCommand(), explainCommand()}
}

func auditCommand() *cobra.Command {
	var q auditRequest
	c := &cobra.Command{
		Use:   "audit {--exec COMMAND | --http URL --backends ADDRESS,...} [--law LAW] [--claim NAME]...",
		Short: "Hold a program in any language, or a live proxy, against what it claims",
		Long: `Hold a balancer that is not Go code against the properties of its claims.

With --exec, the balancer is a command that speaks JSON lines over its standard
input and output; the documentation of package spec/remote has the grammar and
a conversation, spec/remote/examples a balancer in Python.

With --http, the balancer is a live proxy on this machine. The audit runs the
servers behind it: configure the proxy with those addresses, and stop whatever
else listens there. It holds responses back to freeze a state, and takes single
picks from it. Keys are sent as the query parameter "key".

Claims: ` + listOfClaims() + `.`,
		Example: `  picklaw audit --exec 'python3 spec/remote/examples/p2c.py' --law power-of-d:2 --claim counts-in-flight
  picklaw audit --exec ./balancer --law round-robin --property round-robin/window --json
  picklaw audit --http http://127.0.0.1:8080/ --backends 127.0.0.1:9001,127.0.0.1:9002,127.0.0.1:9003 --law least-request`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cmp.Or(q.check(), q.target.refuse(c.Flags())); err != nil {
				return err
			}
			return q.run(c.Context(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	q.target.flags(f, "audit")
	f.BoolVar(&q.target.scenarios, "scenarios", false, "with --http, also play timed scenarios, and report shares, latency and goodput")
	f.StringVar(&q.command, "exec", "", "audit the program that this command starts, in a shell")
	f.DurationVar(&q.patience, "patience", defaultPatience, howLong)
	f.StringVar(&q.law, "law", "", "the law that its picks are claimed to follow, as picklaw list spells it")
	f.StringArrayVar(&q.claims, "claim", nil, "something else that it claims (repeatable)")
	f.StringArrayVar(&q.properties, "property", nil, "check only the property of this name (repeatable)")
	f.Uint64Var(&q.seed, "seed", 1, "root of all chance in the run")
	f.Float64Var(&q.alpha, "alpha", spec.DefaultAlpha, "probability of convicting anything that conforms")
	f.Float64Var(&q.resolution, "resolution", 0, "smallest wrongness, in total variation, that must not be missed, where that is more than a property asks for")
	f.BoolVar(&q.json, "json", false, "print one JSON object")
	f.StringVar(&q.html, "html", "", "also write a page with pictures to this file")
	return c
}

// check tells what is wrong with the flags.
func (q *auditRequest) check() error {
	switch {
	case q.command == "" && q.target.url == "":
		return errors.New("nothing to audit: want --exec COMMAND, or --http URL with --backends")
	case q.command != "" && q.target.url != "":
		return errors.New("want one of --exec and --http, not both")
	case !(q.alpha > 0 && q.alpha < 1):
		return fmt.Errorf("--alpha is %v, want a probability strictly between 0 and 1", q.alpha)
	case !(q.resolution >= 0 && q.resolution <= 1):
		return fmt.Errorf("--resolution is %v, want a total variation between 0 and 1", q.resolution)
	case q.patience <= 0:
		return fmt.Errorf("--patience is %v, want a positive duration", q.patience)
	}
	for _, name := range q.properties {
		if _, err := spec.Find(name); err != nil {
			return fmt.Errorf("--property: %w", err)
		}
	}
	return nil
}

func (q *auditRequest) run(ctx context.Context, out io.Writer) error {
	options, err := q.options()
	if err != nil {
		return err
	}
	if q.target.url != "" {
		return q.auditProxy(ctx, options, out)
	}
	program := &remote.Program{Command: q.command, Patience: q.patience}
	defer program.Close()
	defer context.AfterFunc(ctx, program.Kill)()
	if err := starts(program); err != nil {
		return err
	}
	subject := spec.Subject{Name: q.command, New: program.Factory(), Claims: options}
	report := subject.Check(q.settings("picklaw audit --exec " + quoted(q.command) + q.words())...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return q.show(out, report)
}

// defaultPatience is that of audit and identify.
const defaultPatience = 5 * time.Second

// howLong is the help of --patience.
const howLong = "how long one answer, or one request, may take; the first answer of a program may take 10s at least"

// starts refuses a command that the shell cannot run: that says nothing about
// any balancer. What a program does once it runs is a finding.
func starts(program *remote.Program) error {
	d, err := spec.Drive(program.Factory(), spec.Fleet{Servers: []spec.Server{{ID: 1, Name: "s1", Weight: 1}}}, 1e-9)
	if err == nil {
		d.Close()
		return nil
	}
	for _, status := range []string{"exit status 126", "exit status 127"} { // POSIX: cannot be run, not found
		if strings.Contains(err.Error(), status) {
			return fmt.Errorf("--exec %q cannot be started: %w", program.Command, err)
		}
	}
	return nil
}

// settings are the options of the check, and the command that repeats it.
func (q *auditRequest) settings(command string) []spec.Option {
	if q.seed != 1 {
		command += fmt.Sprintf(" --seed %d", q.seed)
	}
	if q.alpha != spec.DefaultAlpha {
		command += fmt.Sprintf(" --alpha %v", q.alpha)
	}
	if q.patience != defaultPatience {
		command += fmt.Sprintf(" --patience %v", q.patience)
	}
	if q.resolution > 0 {
		command += fmt.Sprintf(" --resolution %v", q.resolution)
	}
	options := []spec.Option{
		spec.Seed(q.seed), spec.Alpha(q.alpha), spec.Resolution(q.resolution), spec.Reproduce(command),
		spec.HangAfter(max(20*time.Second, 3*q.patience)), // the program's own patience comes first
	}
	if q.html != "" {
		options = append(options, spec.Traced())
	}
	if len(q.properties) > 0 {
		options = append(options, spec.Only(q.properties...))
	}
	if isTerminal(os.Stderr) {
		options = append(options, spec.Progress(
			func(p *spec.Property) { fmt.Fprintf(os.Stderr, "\r\033[K%s", p.Name) },
			func(spec.PropertyResult) { fmt.Fprint(os.Stderr, "\r\033[K") }))
	}
	return options
}

// show prints a report and turns it into an exit code.
func (q *auditRequest) show(out io.Writer, r *spec.Report) error {
	s := verify.Summary{Alpha: q.alpha}
	s.Add(r)
	if err := q.nothing(r); err != nil {
		return err
	}
	if err := writePage(q.html, q.alpha, page.Report{Report: r}); err != nil {
		return err
	}
	if q.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return &harnessError{err}
		}
	} else {
		s.Print(out, nil)
	}
	return verdict(s.ExitCode())
}

// nothing refuses a report in which no property was checked: it says nothing.
func (q *auditRequest) nothing(r *spec.Report) error {
	if len(r.Properties) > r.Summary[spec.NotClaimed] {
		return nil
	}
	if len(q.properties) == 0 {
		return errors.New("nothing is claimed, so there is nothing to check: want --law LAW or --claim NAME")
	}
	return fmt.Errorf("nothing is claimed that %s is about, so there is nothing to check", strings.Join(q.properties, ", "))
}

// quoted is a word that a shell reads back as it was.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]{}~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// writePage writes reports as an HTML page, if one is wanted.
func writePage(file string, alpha float64, reports ...page.Report) error {
	if file == "" {
		return nil
	}
	title := fmt.Sprintf("%d balancers held against the specification", len(reports))
	if len(reports) == 1 {
		title = reports[0].Subject + " held against the specification"
	}
	var b bytes.Buffer
	if err := page.Write(&b, title, alpha, reports); err != nil {
		return &harnessError{err}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return &harnessError{err}
	}
	return nil
}
