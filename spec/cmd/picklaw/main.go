// Command picklaw holds load balancers against their specification.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/verify"
)

// Exit codes of every command.
const (
	exitHolds     = 0
	exitViolated  = 1
	exitUsage     = 2
	exitUndecided = 3
	exitHarness   = 4
)

func main() {
	if code, ours := verify.Protocol(spec.Reference(), os.Args[1:]); ours {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command as a function of its arguments.
func run(args []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:   "picklaw",
		Short: "An executable specification of request load balancing",
		Long: `picklaw says exactly how often each server must be picked in any state, which
queues and delays follow, and what must never happen; and it holds any balancer
to that.

Exit codes: 0 holds, 1 violated, 2 bad usage, 3 undecided, 4 harness error.`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetArgs(args)
	printed := &watchedWriter{w: out}
	root.SetOut(printed)
	root.SetErr(errs)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(verifyCommand(), listCommand(), oracleCommand(), simulateCommand(), tablesCommand(), mutantsCommand())
	root.AddCommand(foreignCommands()...)
	called, err := root.ExecuteContextC(ctx)
	var code exitCode
	switch {
	case printed.err != nil:
		fmt.Fprintln(errs, "picklaw: writing the output:", printed.err)
		return exitHarness
	case err == nil:
		return exitHolds
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errs, "picklaw: interrupted")
		return exitHarness
	}
	var harness *harnessError
	if errors.As(err, &harness) {
		fmt.Fprintln(errs, "picklaw:", err)
		return exitHarness
	}
	// What is left is how the command was called.
	fmt.Fprintln(errs, "picklaw:", err)
	fmt.Fprintf(errs, "See '%s --help'.\n", called.CommandPath())
	return exitUsage
}

// watchedWriter remembers that something could not be written, so that a full
// disk does not pass for success.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// exitCode is how a command that printed its verdict ends.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// verdict turns an exit code into the error of a command.
func verdict(code int) error {
	if code == exitHolds {
		return nil
	}
	return exitCode(code)
}

// harnessError is a failure of picklaw itself or of the machine, not of how it
// was called.
type harnessError struct{ err error }

func (e *harnessError) Error() string { return e.err.Error() }
func (e *harnessError) Unwrap() error { return e.err }
