package queue

import "testing"

// Every figure of the published experiments that can be replayed, digit for
// digit.
func TestTablesAreReproducedToTheDigit(t *testing.T) {
	for _, table := range Tables() {
		t.Run(table.ID, func(t *testing.T) {
			if table.slow && testing.Short() {
				t.Skip("computes for long, and short mode has ten seconds in all")
			}
			cells, err := table.Run()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cells {
				if !c.Equal() {
					t.Errorf("row %s, %s: computed %s, published %s", c.Row, c.Column, c.Computed, c.Published)
				}
			}
			if len(cells) != table.Cells() {
				t.Errorf("%d cells, want %d", len(cells), table.Cells())
			}
		})
	}
}

// 534 figures are known to be reproducible by a program written from the
// description of the models alone.
func TestAllReplayableTablesAreThere(t *testing.T) {
	cells := 0
	for _, table := range Tables() {
		cells += table.Cells()
	}
	if cells != 534 {
		t.Errorf("%d figures in the replayable tables, want 534", cells)
	}
}
