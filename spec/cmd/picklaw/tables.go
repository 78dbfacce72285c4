package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/queue"
)

// replayed is a published table beside its replay.
type replayed struct {
	ID        string       `json:"id"`
	Cells     int          `json:"cells"`
	Equal     int          `json:"equal"`
	Different []queue.Cell `json:"different"`

	table queue.Table
	cells []queue.Cell
}

func tablesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "tables [ID]...",
		Short: "Replay published experiments beside their figures",
		Long: `Replay published experiments, with the pseudo-random stream that they drew, and
set every figure beside the published one. Exit code 1 when one differs.

The tables: ` + strings.Join(tableIDs(), ", "),
		Example: "  picklaw tables\n  picklaw tables Q1 K2\n  picklaw tables --json",
		RunE: func(c *cobra.Command, ids []string) error {
			var chosen []queue.Table
			for _, t := range queue.Tables() {
				if len(ids) == 0 || slices.Contains(ids, t.ID) {
					chosen = append(chosen, t)
				}
			}
			for _, id := range ids {
				if !slices.Contains(tableIDs(), id) {
					return fmt.Errorf("there is no table %q to replay, want one of %s", id, strings.Join(tableIDs(), ", "))
				}
			}
			tables, err := replayAll(c.Context(), chosen)
			if err != nil {
				return err
			}
			return printTables(c, tables, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func tableIDs() []string {
	var ids []string
	for _, t := range queue.Tables() {
		ids = append(ids, t.ID)
	}
	return ids
}

// replayAll replays the tables on all cores, and keeps their order.
func replayAll(ctx context.Context, chosen []queue.Table) ([]replayed, error) {
	bar := newProgress(os.Stderr, "tables", len(chosen))
	defer bar.clear()
	tables := make([]replayed, len(chosen))
	done := make(chan error, 1)
	go func() {
		done <- queue.Parallel(len(chosen), func(i int) (err error) {
			if err = ctx.Err(); err == nil {
				tables[i], err = replay(chosen[i])
			}
			bar.report(i, 1)
			return err
		})
	}()
	select {
	case <-ctx.Done(): // a table takes seconds, too long to wait for
		return nil, ctx.Err()
	case err := <-done:
		if err != nil {
			return nil, &harnessError{err}
		}
		return tables, nil
	}
}

func replay(t queue.Table) (replayed, error) {
	cells, err := t.Run()
	r := replayed{ID: t.ID, Cells: len(cells), Different: []queue.Cell{}, table: t, cells: cells}
	for _, c := range cells {
		if c.Equal() {
			r.Equal++
		} else {
			r.Different = append(r.Different, c)
		}
	}
	return r, err
}

func printTables(c *cobra.Command, tables []replayed, asJSON bool) error {
	all := struct {
		Tables []replayed `json:"tables"`
		Cells  int        `json:"cells"`
		Equal  int        `json:"equal"`
	}{Tables: tables}
	for _, t := range tables {
		all.Cells += t.Cells
		all.Equal += t.Equal
	}
	out := c.OutOrStdout()
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(all); err != nil {
			return &harnessError{err}
		}
	} else {
		for _, t := range tables {
			fmt.Fprintf(out, "%s  %s\n", t.ID, t.table.Title)
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "  row\tcolumn\tpublished\tcomputed\t")
			for _, cell := range t.cells {
				mark := ""
				if !cell.Equal() {
					mark = "differs"
				}
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", cell.Row, cell.Column, cell.Published, cell.Computed, mark)
			}
			w.Flush()
			fmt.Fprintf(out, "  %d of %d cells equal\n\n", t.Equal, t.Cells)
		}
		fmt.Fprintf(out, "%d of %d cells equal in %d tables\n", all.Equal, all.Cells, len(tables))
	}
	if all.Equal != all.Cells {
		return verdict(exitViolated)
	}
	return nil
}
