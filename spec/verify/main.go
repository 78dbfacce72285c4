package verify

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/picklaw/picklaw/spec"
)

// Main is the main function of a program that holds its own subjects against
// the specification. It does not return.
func Main(subjects ...spec.Subject) {
	if code, ours := Protocol(subjects, os.Args[1:]); ours {
		os.Exit(code)
	}
	os.Exit(command(subjects, os.Args[1:], os.Stdout, os.Stderr))
}

// Protocol serves the words by which one program asks another for its subjects
// and for their verdicts. A command with words of its own asks it first.
func Protocol(subjects []spec.Subject, args []string) (code int, ours bool) {
	switch {
	case len(args) == 1 && args[0] == "subjects":
		if err := json.NewEncoder(os.Stdout).Encode(listings(subjects)); err != nil {
			return exitHarness, true
		}
		return exitHolds, true
	case len(args) == 2 && args[0] == "child":
		var o order
		if err := json.Unmarshal([]byte(args[1]), &o); err != nil {
			fmt.Fprintln(os.Stderr, "verify: the order of a parent:", err)
			return exitUsage, true
		}
		return serve(subjects, o), true
	}
	return 0, false
}

func command(subjects []spec.Subject, args []string, out, errs io.Writer) int {
	program, err := Self()
	if err != nil {
		fmt.Fprintln(errs, err)
		return exitHarness
	}
	q := Request{Programs: []Program{program}, Reproduce: os.Args[0]}
	flags := flag.NewFlagSet(os.Args[0], flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&q.Subject, "policy", "", "verify only the subject of this `name`")
	flags.Func("property", "check only the property of this `name` (repeatable)", func(name string) error {
		q.Property = append(q.Property, name)
		return nil
	})
	flags.BoolVar(&q.JSON, "json", false, "print one JSON object")
	flags.Uint64Var(&q.Seed, "seed", 1, "root of all chance in the run")
	flags.Float64Var(&q.Alpha, "alpha", spec.DefaultAlpha, "probability of convicting anything that conforms")
	flags.Usage = func() {
		fmt.Fprintf(errs, "%s holds these balancers against the picklaw specification:\n\n", os.Args[0])
		for _, s := range subjects {
			fmt.Fprintf(errs, "  %-32s %s\n", s.Name, s.Doc)
		}
		fmt.Fprintf(errs, "\nFlags:\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitHolds
		}
		return exitUsage
	}
	if !(q.Alpha >= spec.SmallestAlpha && q.Alpha < 1) {
		fmt.Fprintf(errs, "-alpha is %v, want a probability from %v up to, but not, 1\n", q.Alpha, spec.SmallestAlpha)
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "unexpected %q; want flags only\n", flags.Args())
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := Run(ctx, q, out)
	if err != nil {
		fmt.Fprintln(errs, err)
	}
	return code
}
