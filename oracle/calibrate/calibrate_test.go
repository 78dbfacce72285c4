package main

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
)

// The threshold is the exact one, by the other implementation of binomial tails.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		audits int
		alpha  float64
	}{{100_000, 1e-3}, {1000, 0.05}, {50, 0.5}} {
		most := allowed(c.audits, c.alpha)
		beyond, err := oracle.BinomialTest(most+1, c.audits, c.alpha)
		require.NoError(t, err)
		require.LessOrEqual(t, beyond, 2e-9) // two-sided: twice the tail
		at, err := oracle.BinomialTest(most, c.audits, c.alpha)
		require.NoError(t, err)
		require.Greater(t, at, 2e-9)
	}
}

func TestLeakIsALaw(t *testing.T) {
	l := leak{oracle.PowerOfD{D: 2}, big.NewRat(1, 10)}
	p, err := l.Probabilities(oracle.State{Loads: []float64{0, 1, 2}})
	require.NoError(t, err)
	var words []string
	for _, x := range p {
		words = append(words, x.RatString())
	}
	require.Equal(t, []string{"3/5", "11/30", "1/30"}, words) // 2/3 1/3 0, a tenth moved up
}

// A small run of the whole instrument: honest balancers pass and a wrong law is
// convicted in most audits before they are given up.
func TestMeasure(t *testing.T) {
	require.LessOrEqual(t, falseConvictions(70, 1e-3, 1), allowed(70, 1e-3))
	r := wrong{claim: oracle.PowerOfD{D: 2}, truth: oracle.HeavierOfD{D: 2}}.measure(3, 11, 1e-3, 1)
	require.Equal(t, "1.5", r.limit) // the heaviest is forbidden and has 2/3
	require.Equal(t, "11/11", r.convicted)
	same := wrong{claim: oracle.PowerOfD{D: 2}, truth: oracle.LeastRequest{}}.measure(2, 11, 1e-3, 1)
	require.Equal(t, "same law", same.limit)
}
