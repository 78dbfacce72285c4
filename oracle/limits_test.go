package oracle

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row of limits.md is what the oracles answer, beside what is known from
// elsewhere.
func TestLimitsPage(t *testing.T) {
	text, err := os.ReadFile("limits.md")
	require.NoError(t, err)
	page := string(text)
	for _, row := range []struct {
		rho   float64
		n     int
		drawn string
		truth float64 // 0 where there is none
		from  string
	}{
		{0.7, 10, "with replacement", 1.7416, "chain"},
		{0.7, 10, "distinct", 1.6765, "chain"},
		{0.7, 100, "with replacement", 0, ""},
		{0.7, 100, "distinct", 0, ""},
		{0.9, 10, "with replacement", 2.8003 / 0.9, "rmf_tool, ± 0.0010"},
		{0.9, 10, "distinct", 2.983, "chain"},
		{0.9, 100, "with replacement", 2.3931 / 0.9, "rmf_tool, ± 0.0006"},
		{0.9, 100, "distinct", 2.64, "simulated, three digits"},
		{0.95, 10, "with replacement", 0, ""},
		{0.95, 10, "distinct", 0, ""},
		{0.95, 100, "with replacement", 0, ""},
		{0.95, 100, "distinct", 0, ""},
	} {
		a := ask(t, fmt.Sprintf("refined d=2 n=%d rho=%v replacement=%v", row.n, row.rho, row.drawn == "with replacement"))
		refined, _ := number(t, a, "mean_time_in_system")
		limit, _ := number(t, ask(t, fmt.Sprintf("meanfield d=2 rho=%v", row.rho)), "mean_time_in_system")
		known, gaps := "", []string{"", ""}
		if row.truth > 0 {
			known = strings.TrimRight(fmt.Sprintf("%.4f", row.truth), "0") + " (" + row.from + ")"
			for i, x := range []float64{limit, refined} {
				gaps[i] = fmt.Sprintf("%+.2f%%", 100*(x/row.truth-1))
			}
		}
		line := fmt.Sprintf("| %v | %d | %s | %.4f | %.4f | %s | %s | %s |", row.rho, row.n, row.drawn, limit, refined, known, gaps[0], gaps[1])
		line = strings.ReplaceAll(line, "|  |", "| |")
		line = strings.ReplaceAll(line, "|  |", "| |")
		assert.Contains(t, page, line+"\n")
	}
	for _, row := range []struct {
		t         float64
		published string
	}{{0.1, "2.69"}, {1, "2.99"}, {5, "4.04"}, {20, "7.12"}} {
		mean, _ := number(t, ask(t, fmt.Sprintf("stale d=2 rho=0.9 t=%v", row.t)), "mean_time_in_system")
		assert.Contains(t, page, fmt.Sprintf("| %v | %.2f | %s |\n", row.t, mean, row.published))
	}
	for _, row := range []struct {
		d         int
		published string
	}{{1, "36.8%"}, {2, "23.9%"}, {3, "17.7%"}} {
		empty, _ := number(t, ask(t, fmt.Sprintf("balls-fluid d=%d load=1", row.d)), "empty_share")
		assert.Contains(t, page, fmt.Sprintf("| %d | %.2f%% | %s |\n", row.d, 100*empty, row.published))
	}
}
