package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/mutants"
)

func mutantsCommand() *cobra.Command {
	var o mutants.Options
	var shard string
	var asJSON bool
	c := &cobra.Command{
		Use:   "mutants [--id ID]... [--family FAMILY]... [--shard I/N]",
		Short: "Plant known bugs one by one, and see which property catches which",
		Long: `Run the specification over the reference subjects once for each bug of the
catalog, and print which property convicts which bug. It needs the source tree of
picklaw around the working directory, and the go command.

Exit codes: 0 all caught as predicted, 1 some survived, 2 bad usage, 3 all caught,
but a prediction was wrong, or a property catches nothing of its own for no stated
reason, 4 some are broken, 5 the suite is not green without any of them.`,
		Example: `  picklaw mutants
  picklaw mutants --id power_of_d_replacement
  picklaw mutants --family keys --out matrix`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if shard != "" {
				var err error
				if o.Shard, err = mutants.ParseShard(shard); err != nil {
					return fmt.Errorf("--shard: %w", err)
				}
			}
			if o.Parallel < 0 {
				return fmt.Errorf("--parallel is %d, want 0 for one start for each core, or how many", o.Parallel)
			}
			if isTerminal(os.Stderr) {
				o.Progress = progressLine(os.Stderr)
				defer fmt.Fprint(os.Stderr, "\r\033[K")
			}
			report, err := mutants.Run(c.Context(), o)
			var usage *mutants.UsageError
			switch {
			case errors.As(err, &usage):
				return err
			case err != nil:
				return &harnessError{err}
			}
			return printMutants(c.OutOrStdout(), report, asJSON)
		},
	}
	c.Flags().StringArrayVar(&o.IDs, "id", nil, "run only the mutant of this id (repeatable)")
	c.Flags().StringArrayVar(&o.Families, "family", nil, "run only mutants that predict a property of this family (repeatable)")
	c.Flags().StringVar(&shard, "shard", "", "run only part I of N, as I/N")
	c.Flags().BoolVar(&o.Thorough, "thorough", false, "run every check for every mutant, also those that never call its function")
	c.Flags().StringVar(&o.Out, "out", "", "write diffs, logs, report.json and matrix.html into this directory")
	c.Flags().IntVar(&o.Parallel, "parallel", 0, "starts of the suite at a time (default: one for each core)")
	c.PersistentFlags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.AddCommand(mergeCommand(&asJSON), mutantsListCommand(&asJSON), opinionCommand(&asJSON))
	return c
}

func mergeCommand(asJSON *bool) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "merge REPORT.json...",
		Short:   "Join the reports of all shards of a run",
		Example: `  picklaw mutants merge shard1/report.json shard2/report.json`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			var shards []*mutants.Report
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				r := new(mutants.Report)
				if err := json.Unmarshal(text, r); err != nil {
					return fmt.Errorf("%s is no report of picklaw mutants: %w", file, err)
				}
				if r.Summary.Catalog == 0 {
					return fmt.Errorf("%s is no report of picklaw mutants: it does not say how many mutants there are", file)
				}
				shards = append(shards, r)
			}
			report, err := mutants.Merge(shards)
			if err != nil {
				return err
			}
			if out != "" {
				if err := report.Write(out); err != nil {
					return &harnessError{err}
				}
			}
			return printMutants(c.OutOrStdout(), report, *asJSON)
		},
	}
	c.Flags().StringVar(&out, "out", "", "write report.json and matrix.html into this directory")
	return c
}

func printMutants(out io.Writer, r *mutants.Report, asJSON bool) error {
	var err error
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.Text(out)
	}
	if err != nil {
		return &harnessError{err}
	}
	return verdict(r.ExitCode())
}

// progressLine rewrites one line of a terminal.
func progressLine(terminal io.Writer) func(mutants.Progress) {
	return func(p mutants.Progress) {
		last := ""
		if p.Last != nil {
			last = fmt.Sprintf("%s: %s", p.Last.ID, p.Last.Status)
		}
		fmt.Fprintf(terminal, "\r\033[K%s %d/%d %s", p.Doing, p.Done, p.Total, last)
	}
}
