package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func explained(t *testing.T, args ...string) (x explanation) {
	t.Helper()
	code, out, errs := picklaw(append(append([]string{"explain"}, args...), "--json")...)
	require.Equal(t, exitHolds, code, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &x))
	return x
}

func TestExplainARotation(t *testing.T) {
	x := explained(t, "round-robin", "--n", "5", "--rho", "0.5")
	require.Equal(t, []string{"1/5", "1/5", "1/5", "1/5", "1/5"}, x.LawAt)
	require.Equal(t, []float64{0.2, 0.2, 0.2, 0.2, 0.2}, x.Shares)
	require.Equal(t, window{Picks: 50, Mean: 10, SD: 0, Low: 10, High: 10, SDRandom: math.Sqrt(8)}, x.Window)
}

func TestExplainLeastRequest(t *testing.T) {
	x := explained(t, "least-request", "--n", "10", "--rho", "0.3", "--loads", "0,2,0")
	require.Equal(t, []string{"1/2", "0", "1/2"}, x.LawAt)
	require.Nil(t, x.TailsLimit, "of all servers there is no mean field")
	require.Greater(t, x.Ties, 6.0, "with 3 of 10 servers busy on average, about 7 tie")
	require.Greater(t, x.Idle, 0.99)
	// M/M/1, exactly: rho^k, 1/(1-rho), ln(100)/(1-rho).
	require.InDelta(t, 0.09, x.TailsRandom[1], 1e-15)
	require.InDelta(t, 1/0.7, x.MeanRandom, 1e-12)
	require.InDelta(t, math.Log(100)/0.7, x.P99Random, 1e-9)
	require.Less(t, x.Mean, x.MeanRandom)
	require.Less(t, x.Tails[1], x.TailsRandom[1])
}

func TestExplainPowerOfTwo(t *testing.T) {
	x := explained(t, "power-of-d:2", "--n", "20", "--rho", "0.9", "--loads", "0,1,1,2,5")
	require.Equal(t, []string{"2/5", "1/4", "1/4", "1/10", "0"}, x.LawAt)
	require.InDelta(t, math.Pow(0.9, 7), x.TailsLimit[2], 1e-12, "rho^(2^3-1) for k=3")
	for k := 1; k < len(x.Tails); k++ {
		require.LessOrEqual(t, x.Tails[k], x.Tails[k-1])
	}
}

func TestExplainSaysWhatLooksRandom(t *testing.T) {
	code, out, _ := picklaw("explain", "random", "--n", "10")
	require.Equal(t, exitHolds, code)
	require.Contains(t, out, "it looks random. Look at the tails.")
	require.Contains(t, out, "they tell nothing apart")
	code, out, _ = picklaw("explain", "round-robin", "--n", "4")
	require.Equal(t, exitHolds, code)
	require.Contains(t, out, "That is 0% of random's: it is more even than random.")
}

func TestExplainRefusesBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "arg"},
		{[]string{"nonsense"}, "nonsense"},
		{[]string{"random", "--n", "0"}, "--n is 0"},
		{[]string{"random", "--rho", "1"}, "--rho is 1"},
		{[]string{"random", "--rho", "NaN"}, "--rho is NaN"},
		{[]string{"random", "--loads", "1,-1"}, "none below 0"},
		{[]string{"random", "--loads", "1,x"}, "x"},
		{[]string{"power-of-d:4", "--n", "3"}, "draws 4 distinct servers"},
	} {
		code, out, errs := picklaw(append([]string{"explain"}, c.args...)...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out)
		require.Contains(t, errs, c.says)
	}
}
