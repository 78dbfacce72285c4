package queue

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed testdata/figures.json
var figuresJSON []byte

// A Table is one published table of figures that a replay reproduces.
type Table struct {
	ID      string
	Title   string // the setting, as published
	Columns []string
	Labels  int // how many of the columns name the row and are not computed

	published [][]any
	compute   func(t Table) ([][]any, error) // the rows without their labels
	slow      bool                           // takes more than a tenth of a second
}

// A Cell is one figure of a table: a number, or one element of a list of them.
type Cell struct {
	Row       string `json:"row"` // its labels
	Column    string `json:"column"`
	Published string `json:"published"` // as printed
	Computed  string `json:"computed"`  // printed at the same precision
}

// Equal tells whether the replay reproduced the figure.
func (c Cell) Equal() bool { return c.Published == c.Computed }

// Cells is how many figures the table has.
func (t Table) Cells() int {
	n := 0
	for _, row := range t.published {
		for _, value := range row[t.Labels:] {
			if list, many := value.([]any); many {
				n += len(list)
			} else {
				n++
			}
		}
	}
	return n
}

// Run computes the table and sets every figure beside the published one.
func (t Table) Run() ([]Cell, error) {
	rows, err := t.compute(t)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.ID, err)
	}
	if len(rows) != len(t.published) {
		return nil, fmt.Errorf("queue: table %s: computed %d rows, published are %d", t.ID, len(rows), len(t.published))
	}
	var cells []Cell
	for i, row := range rows {
		published := t.published[i]
		if len(row) != len(published)-t.Labels {
			return nil, fmt.Errorf("queue: table %s: computed %d figures in row %d, published are %d", t.ID, len(row), i+1, len(published)-t.Labels)
		}
		label := make([]string, t.Labels)
		for j := range label {
			label[j] = printed(published[j])
		}
		for j, value := range row {
			cells = append(cells, compare(strings.Join(label, " "), t.Columns[t.Labels+j], published[t.Labels+j], value)...)
		}
	}
	return cells, nil
}

// label is the j-th label of a row, as published.
func (t Table) label(row, j int) string { return printed(t.published[row][j]) }

// number is a label that is a number.
func (t Table) number(row, j int) float64 { return parsed(t.published[row][j]) }

// numbers is a label that is a list of numbers.
func (t Table) numbers(row, j int) []float64 {
	var out []float64
	for _, x := range t.published[row][j].([]any) {
		out = append(out, parsed(x))
	}
	return out
}

func parsed(published any) float64 {
	x, err := strconv.ParseFloat(printed(published), 64)
	if err != nil {
		panic(fmt.Sprintf("queue: published label %v is no number", published)) // part of the program
	}
	return x
}

// compare makes one cell, or one for each element of a list.
func compare(row, column string, published, computed any) []Cell {
	list, many := published.([]any)
	if !many {
		return []Cell{{row, column, printed(published), printedLike(printed(published), computed)}}
	}
	values, _ := computed.([]int)
	cells := make([]Cell, len(list))
	for i, p := range list {
		cells[i] = Cell{row, fmt.Sprintf("%s[%d]", column, i), printed(p), "missing"}
		if i < len(values) {
			cells[i].Computed = strconv.Itoa(values[i])
		}
	}
	if len(values) > len(list) {
		cells[len(list)-1].Computed += fmt.Sprintf(" and %d more", len(values)-len(list))
	}
	return cells
}

// printed is a published value as text.
func printed(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return v
	case json.Number:
		return v.String()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(text)
}

// printedLike prints a computed number with as many decimals as a published
// one, in percent if that is.
func printedLike(published string, computed any) string {
	x, ok := computed.(float64)
	if !ok {
		return fmt.Sprint(computed)
	}
	text, percent := strings.CutSuffix(published, "%")
	if percent {
		x *= 100
	}
	decimals := 0
	if _, fraction, found := strings.Cut(text, "."); found {
		decimals = len(fraction)
	}
	out := strconv.FormatFloat(x, 'f', decimals, 64)
	if percent {
		out += "%"
	}
	return out
}

// figures are all published tables, replayable or not.
func figures() []Table {
	var read []struct {
		ID, Setting string
		Columns     []string
		Rows        [][]any
	}
	d := json.NewDecoder(strings.NewReader(string(figuresJSON)))
	d.UseNumber()
	if err := d.Decode(&read); err != nil {
		panic(fmt.Sprintf("queue: testdata/figures.json: %v", err)) // part of the program
	}
	tables := make([]Table, len(read))
	for i, f := range read {
		tables[i] = replays[f.ID]
		tables[i].ID, tables[i].Title, tables[i].Columns, tables[i].published = f.ID, f.Setting, f.Columns, f.Rows
	}
	return tables
}

// Tables returns the published tables that can be replayed, in order.
func Tables() []Table {
	return slices.DeleteFunc(figures(), func(t Table) bool { return t.compute == nil })
}

// replays says how each table is computed.
var replays = map[string]Table{
	"Q1":       {Labels: 1, compute: tableQ1, slow: true},
	"Q2":       {Labels: 1, compute: tableQ2, slow: true},
	"Q2-limit": {Labels: 1, compute: tableQ2Limit},
	"Q3":       {Labels: 1, compute: tableQ3, slow: true},
	"Q4":       {Labels: 1, compute: tableQ4, slow: true},
	"Q5":       {Labels: 1, compute: tableQ5, slow: true},
	"Q6":       {Labels: 1, compute: tableQ6},
	"Q7":       {Labels: 2, compute: tableQ7, slow: true},
	"M1":       {Labels: 1, compute: tableM1, slow: true},
	"M2":       {Labels: 1, compute: tableM2, slow: true},
	"H1":       {Labels: 2, compute: tableH1, slow: true},
	"K1":       {Labels: 2, compute: tableK1},
	"K2":       {Labels: 2, compute: tableK2},
	"K3":       {Labels: 2, compute: tableK3},
	"K4":       {Labels: 2, compute: tableK4, slow: true},
	"K5":       {Labels: 1, compute: tableK5},
	"K6":       {Labels: 1, compute: tableK6},
	"K7":       {Labels: 1, compute: tableK7},
	"K8":       {Labels: 1, compute: tableK8},
	"K9":       {Labels: 2, compute: tableK9},
	"P1":       {Labels: 1, compute: tableP1},
	"S1":       {Labels: 1, compute: tableS1},
	"R1":       {Labels: 1, compute: tableR1},
	"B1":       {Labels: 1, compute: tableB1, slow: true},
}
