package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// embedded solves the chain of jobs left behind by departures of M/G/1 whose
// work takes few values, by the balance of flow across each level,
//
//	p(i+1)·a(0) = p(0)·A(i+1) + sum over 1 <= j <= i of p(j)·A(i+2-j),
//
// with a(k) the probability of k arrivals during one service and A(k) that of k
// or more. All terms are positive, so nothing cancels. It returns the mean.
func embedded(rho float64, work, probability []float64, levels int) float64 {
	more := make([]float64, levels+2)
	for k := levels; k >= 0; k-- {
		more[k] = more[k+1]
		for i, w := range work {
			more[k] += probability[i] * distuv.Poisson{Lambda: rho * w}.Prob(float64(k))
		}
	}
	none := 0.0
	for i, w := range work {
		none += probability[i] * math.Exp(-rho*w)
	}
	p := make([]float64, levels)
	p[0] = 1 - rho
	mean := 0.0
	for i := range levels - 1 {
		flow := p[0] * more[i+1]
		for j := 1; j <= i; j++ {
			flow += p[j] * more[i+2-j]
		}
		p[i+1] = flow / none
		mean += float64(i+1) * p[i+1]
	}
	return mean
}

// Departures leave behind what arrivals find, which by PASTA is what is there
// over time.
func TestMG1AgainstItsEmbeddedChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0.01, 0.8).Draw(t, "rho")
		short := rapid.Float64Range(0, 1).Draw(t, "short")
		long := rapid.Float64Range(1.001, 4).Draw(t, "long")
		p := (1 - short) / (long - short) // probability of the long one, mean 1
		cv2 := (1-p)*(short-1)*(short-1) + p*(long-1)*(long-1)
		// Levels fall by a factor of at least 1.13 (the root of the largest case,
		// e^(3.2y) = 1+4y), so 400 levels leave 1e-20. Each level rounds at most
		// 400 times on top of those before it, and Poisson probabilities are good
		// to 1e-13: 400·(400·u + 1e-13) in all.
		const levels, bound = 400, 400 * (400*0x1p-53 + 1e-13)
		want := embedded(rho, []float64{short, long}, []float64{1 - p, p}, levels)
		assert.InEpsilon(t, want, MG1{rho, cv2}.MeanJobs(), bound)
	})
}

func TestMG1Limits(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.8, 0.9} {
		assert.InEpsilon(t, MM1{rho}.MeanTimeInSystem(), MG1{rho, 1}.MeanTimeInSystem(), 8*0x1p-52, "M/M/1")
		// M/D/1 waits half as long as M/M/1.
		assert.InEpsilon(t, MM1{rho}.MeanWait()/2, MD1(rho).MeanWait(), 6*0x1p-52)
	}
	// 400 levels of M/D/1 at rho 0.8: e^(0.8y) = 1+y at y = 0.46, so they leave
	// 1.46^-400; rounding as above.
	assert.InEpsilon(t, embedded(0.8, []float64{1}, []float64{1}, 400), MD1(0.8).MeanJobs(), 400*(400*0x1p-53+1e-13))
}

func TestKingmanBoundsEveryMeanWaitKnownInClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0.001, 0.999).Draw(t, "rho")
		cv2 := rapid.Float64Range(0, 100).Draw(t, "cv2")
		k := rapid.IntRange(1, 1000).Draw(t, "k")
		// Poisson arrivals: the approximation is exact, the bound exceeds it by
		// (1/rho-rho)/(2(1-rho)) = (1+rho)/(2·rho).
		poisson, exact := GG1{rho, 1, cv2}, MG1{rho, cv2}.MeanWait()
		assert.InEpsilon(t, exact, poisson.WaitApproximation(), 8*0x1p-52)
		assert.InEpsilon(t, exact+(1+rho)/(2*rho), poisson.WaitBound(), 20*0x1p-52)
		// Erlang gaps have ca2 = 1/k.
		assert.Less(t, EKM1{k, rho}.MeanWait(), GG1{rho, 1 / float64(k), 1}.WaitBound())
		// Poisson batches with a geometric number of mean 1/q: gaps are 0 with
		// probability 1-q, else exponential; ca2 = 2/q-1, and the root of GI/M/1
		// gives a mean wait of (1-q(1-rho))/(q(1-rho)). The bound holds; the
		// approximation falls short.
		q := rapid.Float64Range(0.01, 0.99).Draw(t, "q")
		batches, wait := GG1{rho, 2/q - 1, 1}, (1-q*(1-rho))/(q*(1-rho))
		assert.Less(t, wait, batches.WaitBound())
		assert.Greater(t, wait, batches.WaitApproximation(), "it is no bound")
	})
}
