package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/queue"
)

// Tables come in their own order, however they are asked for and whichever is
// ready first.
func TestTablesKeepTheirOrder(t *testing.T) {
	code, out, errs := picklaw("tables", "R1", "K2", "Q2-limit", "K7", "--json")
	require.Equal(t, exitHolds, code, errs)
	assert.Empty(t, errs)
	var all struct {
		Tables []struct {
			ID           string
			Cells, Equal int
			Different    []queue.Cell
		}
		Cells, Equal int
	}
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	var ids []string
	cells := 0
	for _, table := range all.Tables {
		ids = append(ids, table.ID)
		cells += table.Cells
		assert.Equal(t, table.Cells, table.Equal)
		assert.NotNil(t, table.Different, "a list, if empty")
	}
	assert.Equal(t, []string{"Q2-limit", "K2", "K7", "R1"}, ids)
	assert.Equal(t, cells, all.Cells)
	assert.Equal(t, cells, all.Equal)

	code, out, errs = picklaw("tables", "Q2-limit")
	require.Equal(t, exitHolds, code, errs)
	assert.Equal(t, `Q2-limit  mean-field limit of the mean, rho=0.9
  row  column  published  computed  
  1    mean    10.000     10.000    
  2    mean    2.614      2.614     
  3    mean    2.028      2.028     
  3 of 3 cells equal

3 of 3 cells equal in 1 tables
`, out)
}

func TestTablesEndWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := replayAll(ctx, queue.Tables())
	assert.ErrorIs(t, err, context.Canceled)
}
