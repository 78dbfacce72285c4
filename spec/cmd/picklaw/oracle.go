package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/oracle"
)

func oracleCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "oracle NAME key=value...",
		Short: "Ask what is true from mathematics alone",
		Long:  "Ask what is true from mathematics alone. The oracles:\n\n" + oracleHelp(),
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q, err := oracle.Find(questions(), args[0])
			if err != nil {
				return err
			}
			params, err := oracle.ParseParams(args[1:])
			if err != nil {
				return err
			}
			answer, err := q.Eval(params)
			if err != nil {
				return err
			}
			if !asJSON {
				fmt.Fprint(c.OutOrStdout(), answer)
				return nil
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(answer)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func oracleHelp() string {
	var b strings.Builder
	for _, e := range questions() {
		fmt.Fprintf(&b, "  %s %s\n      %s\n", e.Name, e.Example, e.Doc)
		for _, p := range e.Params {
			fmt.Fprintf(&b, "      %s: %s", p.Name, p.Doc)
			if p.Default != "" {
				fmt.Fprintf(&b, " (default %s)", p.Default)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
