package queue_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// What an answer for unlimited buffers says that it lacks is held against what it
// does lack. Under random routing a server is M/M/1: with a buffer b its mean is
// below that of an unlimited one, rho/(1-rho), by
//
//	D(b) = (b+1)·rho^(b+1)/(1-rho^(b+1)).
//
// The estimate is made from the change since the buffer l that was solved before,
// D(l) - D(b), and from an estimate q of D(b)/D(l), which is rho^(b-l)·b/l. The
// true ratio Q is less by the factor
//
//	(1+1/l)/(1+1/b) · (1-rho^(b+1))/(1-rho^(l+1)),
//
// both parts of which are above 1: nothing is claimed to be smaller than it is. As
// buffers grow by a factor of 3 at most, l is at least b/3, which bounds q from
// above. The first part is above 1 by (b-l)/(l·(b+1)), a part in a thousand here,
// while the iteration leaves an error of a part in 1e5 of D at most.
func TestWhatAnUnlimitedAnswerLacks(t *testing.T) {
	for _, rho := range []float64{0.5, 0.8, 0.9} {
		for _, tolerance := range []float64{1e-2, 1e-4, 1e-6} {
			t.Run(fmt.Sprint(rho, " within ", tolerance), func(t *testing.T) {
				s := solve(t, queue.Chain{Policy: policies.Random{}, Servers: 1, Rho: rho, Tolerance: tolerance})
				b := float64(s.Buffer)
				lacks := math.Pow(rho, b+1) / (1 - math.Pow(rho, b+1)) * (b + 1) / s.MeanJobs
				// The mean is known to within the iteration's part of the error.
				assert.InDelta(t, lacks, (rho/(1-rho)-s.MeanJobs)/s.MeanJobs, s.Error-s.Short+1e-12)
				assert.GreaterOrEqual(t, s.Short, lacks)
				assert.GreaterOrEqual(t, s.Error, s.Short)
				q, ratio := s.Short/(s.Short+s.LastChange), lacks/(lacks+s.LastChange)
				assert.LessOrEqual(t, q, ratio*(1+3/b)/(1-math.Pow(rho, b/3+1)))

				pair := solve(t, queue.Chain{Policy: policies.Random{}, Servers: 2, Rho: rho, Tolerance: max(tolerance, 1e-4)})
				assert.LessOrEqual(t, (rho/(1-rho)-pair.MeanJobs)/pair.MeanJobs, pair.Error)
			})
		}
	}
}
