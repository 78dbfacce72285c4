package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/mutants"
)

// A plantedBug is an entry of the catalog as it is printed.
type plantedBug struct {
	ID         string   `json:"id"`
	File       string   `json:"file"`
	Story      string   `json:"story"`
	Source     string   `json:"source"`
	Find       string   `json:"find"`
	Replace    string   `json:"replace"`
	Predicts   []string `json:"predicts,omitempty"`
	Spares     []string `json:"spares,omitempty"`
	Equivalent string   `json:"equivalent,omitempty"`
}

func mutantsListCommand(asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Print the catalog: every bug, the report that it stands for, and what must convict it",
		Example: `  picklaw mutants list`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var bugs []plantedBug
			for _, m := range mutants.Catalog() {
				bugs = append(bugs, plantedBug{m.ID, m.File, m.Story, m.Source, m.Find, m.Replace, m.Predicts, m.Spares, m.Equivalent})
			}
			if *asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(map[string]any{"mutants": bugs})
			}
			printBugs(c.OutOrStdout(), bugs)
			return nil
		},
	}
}

func printBugs(out io.Writer, bugs []plantedBug) {
	file, classics := "", 0
	for _, b := range bugs {
		if b.File != file {
			file = b.File
			fmt.Fprintf(out, "\n%s\n", file)
		}
		fmt.Fprintf(out, "  %s\n    %s\n    Source: %s\n", b.ID, b.Story, b.Source)
		if b.Equivalent != "" {
			fmt.Fprintf(out, "    Equivalent: %s\n", b.Equivalent)
		} else {
			fmt.Fprintf(out, "    Convicted by: %s\n", strings.Join(b.Predicts, ", "))
		}
		if strings.HasPrefix(b.Source, "classic") {
			classics++
		}
	}
	fmt.Fprintf(out, "\n%d bugs, %d of them after a public report or publication\n", len(bugs), len(bugs)-classics)
}
