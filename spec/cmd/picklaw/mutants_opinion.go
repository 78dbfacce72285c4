package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/mutants/opinion"
)

func opinionCommand(asJSON *bool) *cobra.Command {
	var o opinion.Options
	var again, samples []string
	var document string
	c := &cobra.Command{
		Use:   "opinion [--package DIR]... [--sample PART] [--results FILE]",
		Short: "Generate small changes to the code, and see which of them nothing notices",
		Long: `Change every function of some packages in all the small ways that a set of
operators knows, one at a time, and hold each change against the exact tier of the
specification and then against the short tests of its package. It needs the source
tree of picklaw around the working directory, the go command and a shell. With
--results a run that was stopped goes on where it was, and what has been decided is
not decided again as long as its function stays as it is.

Exit codes: 0 every survivor is explained, 1 some are not, 2 bad usage, 4 the suite
is not green without any change, or fell over.`,
		Example: `  picklaw mutants opinion --package policies --results policies.jsonl
  picklaw mutants opinion --sample 0.01
  picklaw mutants opinion --only 'policies.(*Ring)'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Samples = make(map[string]float64)
			for _, text := range samples {
				dir, part, named := strings.Cut(text, "=")
				if !named {
					dir, part = "", text
				}
				p, err := strconv.ParseFloat(part, 64)
				if err != nil || !(p > 0 && p <= 1) {
					return fmt.Errorf("--sample %s, want a part of the changes, more than 0 and at most 1, such as 0.1 or queue=0.1", text)
				}
				o.Samples[dir] = p
			}
			for _, s := range again {
				o.Again = append(o.Again, opinion.Status(s))
			}
			if isTerminal(os.Stderr) {
				o.Progress = func(doing string, done, total int) { fmt.Fprintf(os.Stderr, "\r\033[K%s %d/%d", doing, done, total) }
				defer fmt.Fprint(os.Stderr, "\r\033[K")
			}
			report, err := opinion.Run(c.Context(), o)
			if err != nil {
				return &harnessError{err}
			}
			if document != "" {
				var page bytes.Buffer
				if err := report.Document(&page); err != nil {
					return &harnessError{err}
				}
				if err := os.WriteFile(document, page.Bytes(), 0o644); err != nil {
					return &harnessError{err}
				}
			}
			if *asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				err = e.Encode(report)
			} else {
				err = report.Text(c.OutOrStdout())
			}
			if err != nil {
				return &harnessError{err}
			}
			switch t := report.Total(); {
			case t.Broken > 0:
				return verdict(4)
			case t.Open > 0 || t.Wrong > 0:
				return verdict(1)
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&o.Packages, "package", nil, "change only this package, by its directory (repeatable; default policies, queue and oracle)")
	c.Flags().StringArrayVar(&samples, "sample", nil, "run only this part of the changes of each file, as PART or, for one package, DIR=PART (repeatable)")
	c.Flags().StringVar(&o.Seed, "seed", "picklaw", "what chooses the sample")
	c.Flags().StringVar(&o.Only, "only", "", "run only changes whose name contains this")
	c.Flags().StringVar(&o.Results, "results", "", "read what is known from this file, and add what is found out")
	c.Flags().StringArrayVar(&again, "again", nil, "decide those of this status again, such as survived (repeatable)")
	c.Flags().BoolVar(&o.TestsOnly, "tests-only", false, "leave the suite out, and record only what the tests of the package kill")
	c.Flags().BoolVar(&o.ReportOnly, "report-only", false, "run nothing, report on what --results has")
	c.Flags().StringVar(&document, "document", "", "write the report as a page into this file")
	return c
}
