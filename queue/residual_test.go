package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
)

// One server with room for one job is empty or busy. When both are as likely, too
// much leaves the one and arrives at the other, each by half of the difference of
// the rates, and all flows are half of their sum.
func TestResidualOfAWrongLaw(t *testing.T) {
	for _, rho := range []float64{0.25, 0.5, 3} {
		s, err := Solve(Chain{Servers: 1, Buffer: 1, Rho: rho, Policy: policies.Random{}})
		assert.NoError(t, err)
		assert.GreaterOrEqual(t, s.Residual, 0.0)
		copy(s.chain.p, []float64{0.5, 0.5})
		want := 2 * (max(rho, 1) - min(rho, 1)) / (rho + 1)
		assert.InDelta(t, want, s.chain.residual(), 8*0x1p-53, "a few roundings of numbers below 2")
	}
}
