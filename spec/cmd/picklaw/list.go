package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/spec"
)

func listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "Print the specification: every property, subject and oracle",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			if asJSON {
				e := json.NewEncoder(out)
				e.SetIndent("", "  ")
				return e.Encode(listing())
			}
			fmt.Fprintln(out, "PROPERTIES")
			family := ""
			for _, p := range byFamily() {
				if p.Family() != family {
					family = p.Family()
					fmt.Fprintf(out, "\n%s\n", family)
				}
				fmt.Fprintf(out, "  %s (%s, %s)\n    %s\n    Source: %s\n", p.Name, p.Level, p.Tiers(), p.Sentence, p.Source)
			}
			fmt.Fprint(out, "\nSUBJECTS\n\n")
			for _, s := range spec.Reference() {
				fmt.Fprintf(out, "  %-34s %s\n", s.Name, s.Doc)
			}
			fmt.Fprint(out, "\nORACLES\n\n")
			for _, e := range questions() {
				fmt.Fprintf(out, "  %-34s %s\n", e.Name, e.Doc)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// byFamily are the properties, those of a family together, families in the order
// of their first properties.
func byFamily() []*spec.Property {
	all := spec.Properties()
	first := make(map[string]int)
	for i, p := range all {
		if _, seen := first[p.Family()]; !seen {
			first[p.Family()] = i
		}
	}
	slices.SortStableFunc(all, func(a, b *spec.Property) int { return first[a.Family()] - first[b.Family()] })
	return all
}

// listing is what list prints as JSON.
func listing() any {
	type property struct {
		Name     string     `json:"name"`
		Sentence string     `json:"sentence"`
		Level    spec.Level `json:"level"`
		Tiers    string     `json:"tiers"`
		Source   string     `json:"source"`
	}
	type named struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
	}
	var all struct {
		Properties []property `json:"properties"`
		Subjects   []named    `json:"subjects"`
		Oracles    []named    `json:"oracles"`
	}
	for _, p := range byFamily() {
		all.Properties = append(all.Properties, property{p.Name, p.Sentence, p.Level, p.Tiers(), p.Source})
	}
	for _, s := range spec.Reference() {
		all.Subjects = append(all.Subjects, named{s.Name, s.Doc})
	}
	for _, e := range questions() {
		all.Oracles = append(all.Oracles, named{e.Name, e.Doc})
	}
	return all
}
