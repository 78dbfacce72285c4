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
	"github.com/picklaw/picklaw/spec/remote/identify"
	"github.com/picklaw/picklaw/spec/remote/page"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// identifyRequest is what the flags of identify say.
type identifyRequest struct {
	identify.Options
	policy   string
	command  string
	target   httpTarget
	patience time.Duration
	json     bool
	html     string // the file to write a page to
}

func identifyCommand() *cobra.Command {
	q := identifyRequest{Options: identify.Default}
	c := &cobra.Command{
		Use:   "identify {--policy NAME | --exec COMMAND | --http URL --backends ADDRESS,...}",
		Short: "Find out which law a balancer follows",
		Long: `Find out which law a balancer follows: play states in which the known laws
differ, refute them one by one, and confirm what is left with fresh picks. Then look
where the law could still be left behind: after requests that ended in every way,
after updates, in other fleets, from fresh balancers. The law that it does follow is
refuted, or anything is said that is not so, with probability --alpha at most.

"follows X" means that one law is left and nothing contradicts it. "follows X in a
steady fleet, but" is followed by what does. What is observed besides, such as that
weights are ignored, the law leaves open.

The balancer is a reference policy, a program that speaks the protocol of package
spec/remote, or a live proxy on this machine. The servers behind a proxy are run by
picklaw: configure the proxy with the addresses of --backends, and stop whatever
else listens there.

Exit codes: 0 one law is left and nothing contradicts it, 1 no known law is left or
something contradicts it, 2 bad usage, 3 several laws are left that these states
cannot tell apart, 4 harness error.`,
		Example: `  picklaw identify --policy power-of-d:2
  picklaw identify --exec 'python3 spec/remote/examples/replacement.py'
  picklaw identify --http http://127.0.0.1:8080/ --backends 127.0.0.1:9001,127.0.0.1:9002,127.0.0.1:9003`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := q.target.refuse(c.Flags()); err != nil {
				return err
			}
			return q.run(c.Context(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&q.policy, "policy", "", "identify the reference subject of this name")
	f.StringVar(&q.command, "exec", "", "identify the program that this command starts, in a shell")
	q.target.flags(f, "identify")
	f.DurationVar(&q.patience, "patience", defaultPatience, howLong)
	f.Uint64Var(&q.Seed, "seed", 1, "root of all chance in the run")
	f.Float64Var(&q.Alpha, "alpha", q.Alpha, "probability of refuting the law that is followed")
	f.IntVar(&q.Picks, "picks", q.Picks, "picks at most that tell laws apart")
	f.Float64Var(&q.Within, "within", 0, "distance, in total variation, to which a law is confirmed (default 0.1, for a proxy 0.2)")
	f.BoolVar(&q.json, "json", false, "print one JSON object")
	f.StringVar(&q.html, "html", "", "also write a page with pictures to this file")
	return c
}

func (q *identifyRequest) run(ctx context.Context, out io.Writer) error {
	chosen := 0
	for _, target := range []string{q.policy, q.command, q.target.url} {
		if target != "" {
			chosen++
		}
	}
	if chosen != 1 {
		return errors.New("want one of --policy, --exec and --http: what is to be identified")
	}
	if q.Within == 0 {
		q.Within = identify.Default.Within
		if q.target.url != "" {
			q.Within = 0.2
		}
	}
	var factory spec.Factory
	switch {
	case q.policy != "":
		var err error
		if factory, err = referenceFactory(q.policy); err != nil {
			return err
		}
	case q.command != "":
		program := &remote.Program{Command: q.command, Patience: q.patience}
		defer program.Close()
		defer context.AfterFunc(ctx, program.Kill)()
		if err := starts(program); err != nil {
			return err
		}
		factory = program.Factory()
	default:
		t, err := q.target.open(q.patience)
		if err != nil {
			return err
		}
		defer t.Close()
		defer context.AfterFunc(ctx, t.Stop)()
		factory = t.Factory()
		q.Fleet, q.RealTime, q.Contamination = t.Fleet(), true, proxy.Undeclared
	}
	q.Traced = q.html != ""
	r, err := identify.Identify(factory, q.Options)
	var subject *spec.Misbehaviour
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &subject):
		r = &identify.Result{Refuted: []identify.Refuted{}, Remaining: []string{}, Observations: []string{subject.Error()}, Deviations: []string{}, Within: 1}
	case errors.Is(err, spec.ErrGaveUp):
		return &harnessError{err}
	case err != nil:
		return err
	}
	return q.show(out, r)
}

// referenceFactory builds balancers of a reference subject: a bare policy on a
// clock of its own, so that latencies can be made up.
func referenceFactory(name string) (spec.Factory, error) {
	var names []string
	for _, s := range spec.Reference() {
		switch {
		case s.Policy == nil && s.New == nil:
			continue
		case s.Name != name:
			names = append(names, s.Name)
			continue
		case s.Policy != nil:
			return identify.OfPolicy(s.Policy), nil
		}
		return s.New, nil
	}
	return nil, fmt.Errorf("--policy %q: want one of %s", name, strings.Join(names, ", "))
}

func (q *identifyRequest) show(out io.Writer, r *identify.Result) error {
	code := exitHolds
	switch {
	case len(r.Remaining) == 0 || len(r.Deviations) > 0:
		code = exitViolated
	case len(r.Remaining) > 1:
		code = exitUndecided
	}
	if err := q.writePage(r); err != nil {
		return err
	}
	if q.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return &harnessError{err}
		}
		return verdict(code)
	}
	switch len(r.Remaining) {
	case 0:
		fmt.Fprintln(out, "follows no known law")
	case 1:
		fmt.Fprintf(out, "follows %s", r.Remaining[0])
		if r.Within < 1 {
			fmt.Fprintf(out, ", within %.3f in total variation", r.Within)
		}
		if !r.Clean() {
			fmt.Fprint(out, " in a steady fleet, but:")
		}
		fmt.Fprintln(out)
	default:
		fmt.Fprintf(out, "follows one of %s, which these states cannot tell apart\n", strings.Join(r.Remaining, ", "))
	}
	if len(r.EqualWeights) > 0 {
		fmt.Fprintf(out, "where all weights are equal, that is %s\n", strings.Join(r.EqualWeights, " or "))
	}
	for _, d := range r.Deviations {
		fmt.Fprintln(out, "deviates:", d)
	}
	for _, o := range r.Observations {
		fmt.Fprintln(out, "observed:", o)
	}
	if len(r.Refuted) > 0 {
		fmt.Fprintln(out, "refuted, after picks:")
		for _, l := range r.Refuted {
			fmt.Fprintf(out, "  %6d  %s\n", l.Picks, l.Law)
		}
	}
	fmt.Fprintf(out, "%d picks told laws apart; the law that is followed is refuted, or anything is said that is not so, with probability %g at most\n", r.Picks, q.Alpha)
	return verdict(code)
}

// writePage writes the result as an HTML page, if one is wanted.
func (q *identifyRequest) writePage(r *identify.Result) error {
	if q.html == "" {
		return nil
	}
	var b bytes.Buffer
	if err := page.WriteIdentified(&b, cmp.Or(q.policy, q.command, q.target.url), q.Alpha, r); err != nil {
		return &harnessError{err}
	}
	if err := os.WriteFile(q.html, b.Bytes(), 0o644); err != nil {
		return &harnessError{err}
	}
	return nil
}
