package mutants

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
)

//go:embed matrix.html
var matrixPage string

var matrixTemplate = template.Must(template.New("matrix").Parse(matrixPage))

// HTML renders the kill matrix as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) {
	type cell struct{ Class, Text, Title string }
	type row struct {
		MutantResult
		Law, Mean string // distances
		Far       string // in words
		Cells     []cell
	}
	var rows []row
	for _, m := range r.Mutants {
		out := row{MutantResult: m}
		out.Law, out.Mean = far(m)
		if len(m.Distances) > 0 && m.Distances[0].Law > 0 {
			d := m.Distances[0]
			out.Far = fmt.Sprintf("%s at %s", d.Subject, d.State)
			if d.Mutant != nil {
				out.Far += fmt.Sprintf(": %.3v instead of %.3v", d.Mutant, d.Reference)
			}
		}
		for _, p := range r.Summary.Properties {
			predicted, caught := slices.Contains(m.Predicted, p), slices.Contains(m.CaughtBy, p)
			c := cell{Title: m.ID + ": " + p}
			switch {
			case predicted && caught:
				c.Class, c.Text = "hit", "●"
			case caught:
				c.Class, c.Text = "also", "○"
			case predicted:
				c.Class, c.Text = "miss", "✗"
			}
			if caught {
				k := slices.IndexFunc(m.Convictions, func(c Conviction) bool { return c.Property == p })
				c.Title += " on " + m.Convictions[k].Subject + ": " + m.Convictions[k].Observed
			}
			out.Cells = append(out.Cells, c)
		}
		rows = append(rows, out)
	}
	var page bytes.Buffer
	err := matrixTemplate.Execute(&page, map[string]any{"Rows": rows, "Summary": r.Summary})
	return page.Bytes(), err
}
