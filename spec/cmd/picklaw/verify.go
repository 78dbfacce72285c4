package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/page"
	"github.com/picklaw/picklaw/spec/verify"
)

func verifyCommand() *cobra.Command {
	var q verify.Request
	var with []string
	var html string
	c := &cobra.Command{
		Use:   "verify [--policy NAME] [--property NAME]...",
		Short: "Hold the reference policies, and others, against the specification",
		Long: `Hold the reference policies against every property that they claim, each in a
process of its own, and print a table of property, expected, observed, verdict.

With --with, the subjects of another program are verified too: any program whose
main function is verify.Main of package spec/verify.`,
		Example: `  picklaw verify
  picklaw verify --policy power-of-d:2 --property power-of-d/pick-law
  picklaw verify --with ./my-balancers --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !(q.Alpha >= spec.SmallestAlpha && q.Alpha < 1) {
				return fmt.Errorf("--alpha is %v, want a probability from %v up to, but not, 1", q.Alpha, spec.SmallestAlpha)
			}
			self, err := verify.Self()
			if err != nil {
				return &harnessError{err}
			}
			q.Programs = []verify.Program{self}
			q.Reproduce = "picklaw verify"
			for _, path := range with {
				if _, err := os.Stat(path); err != nil {
					return fmt.Errorf("--with %s: %w", path, err)
				}
				q.Programs = append(q.Programs, verify.Program{Path: path})
				q.Reproduce += " --with " + path
			}
			if html != "" {
				q.Page = func(s verify.Summary, docs map[string]string) error {
					var shown []page.Report
					for _, r := range s.Reports {
						shown = append(shown, page.Report{Report: r, Doc: docs[r.Subject]})
					}
					return writePage(html, s.Alpha, shown...)
				}
			}
			if isTerminal(os.Stderr) {
				q.Progress = func(who string) { fmt.Fprintf(os.Stderr, "\r\033[K%s", who) }
				defer fmt.Fprint(os.Stderr, "\r\033[K")
			}
			code, err := verify.Run(c.Context(), q, c.OutOrStdout())
			var usage *verify.UsageError
			switch {
			case errors.As(err, &usage):
				return err
			case err != nil:
				return &harnessError{err}
			}
			return verdict(code)
		},
	}
	c.Flags().StringVar(&q.Subject, "policy", "", "verify only the subject of this name")
	c.Flags().StringArrayVar(&q.Property, "property", nil, "check only the property of this name (repeatable)")
	c.Flags().StringArrayVar(&with, "with", nil, "also verify the subjects of this program (repeatable)")
	c.Flags().StringVar(&html, "html", "", "also write a page with pictures to this file")
	c.Flags().BoolVar(&q.JSON, "json", false, "print one JSON object")
	c.Flags().Uint64Var(&q.Seed, "seed", 1, "root of all chance in the run")
	c.Flags().Float64Var(&q.Alpha, "alpha", spec.DefaultAlpha, "probability of convicting anything that conforms")
	return c
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
