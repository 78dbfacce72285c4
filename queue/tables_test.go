package queue

import "testing"

// Every figure of the published experiments that can be replayed, digit for
// digit.
func TestTablesAreReproducedToTheDigit(t *testing.T) {
	for _, table := range Tables() {
		t.Run(table.ID, func(t *testing.T) {
			if table.slow && testing.Short() {
				t.Skip("takes seconds")
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
			t.Logf("%d cells", len(cells))
		})
	}
}
