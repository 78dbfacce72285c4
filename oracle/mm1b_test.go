package oracle

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The birth-death chain in exact rationals.
func TestMM1BAgainstItsBirthDeathChain(t *testing.T) {
	for _, b := range []int{1, 2, 7, 40} {
		for _, rho := range []float64{0, 0.01, 0.9, 1, 1.1, 30} {
			a := ask(t, fmt.Sprintf("mm1b rho=%v b=%d", rho, b))
			rate := new(big.Rat).SetFloat64(rho)
			level, whole, jobs := big.NewRat(1, 1), new(big.Rat), new(big.Rat)
			levels := make([]*big.Rat, b+1)
			for k := range levels {
				levels[k] = new(big.Rat).Set(level)
				whole.Add(whole, level)
				jobs.Add(jobs, new(big.Rat).Mul(level, big.NewRat(int64(k), 1)))
				level.Mul(level, rate)
			}
			one := big.NewRat(1, 1)
			jobs.Quo(jobs, whole)
			loss := new(big.Rat).Quo(levels[b], whole)
			accepted := new(big.Rat).Sub(one, loss)
			served := new(big.Rat).Mul(rate, accepted)
			idle := new(big.Rat).Quo(levels[0], whole)
			want := map[string]*big.Rat{
				"mean_jobs_per_server":  jobs,
				"loss_probability":      loss,
				"throughput":            served,
				"idle_pick_probability": idle,
				"mean_time_in_system":   one,
			}
			if rho > 0 {
				want["mean_time_in_system"] = new(big.Rat).Quo(jobs, served)
			}
			for name, r := range want {
				got, bound := number(t, a, name)
				assertWithin(t, new(big.Float).SetPrec(bits).SetRat(r), got, bound, fmt.Sprintf("rho=%v b=%d %s", rho, b, name))
			}
			// An accepted job finds k others with probability levels[k]/(all but
			// the last), and then stays for k+1 exponential times:
			// P(T > t) = sum of that times P(Poisson(t) <= k).
			tail := func(t float64) *big.Float {
				sum, poisson, below := precise(0), preciseExp(precise(-t)), precise(0)
				admitted := new(big.Rat).Sub(whole, levels[b])
				for k := range b {
					below = add(below, poisson)
					find := new(big.Float).SetPrec(bits).SetRat(new(big.Rat).Quo(levels[k], admitted))
					sum = add(sum, mul(find, below))
					poisson = quo(mul(poisson, precise(t)), precise(float64(k+1)))
				}
				return sum
			}
			for name, p := range map[string]string{"p50": "0.5", "p99": "0.99", "p999": "0.999"} {
				q, bound := number(t, a, name)
				rest := sub(precise(1), decimal(p))
				assert.Positive(t, tail(q-bound).Cmp(rest), "rho=%v b=%d: %s is too large", rho, b, name)
				assert.Negative(t, tail(q+bound).Cmp(rest), "rho=%v b=%d: %s is too small", rho, b, name)
				assert.Less(t, bound, q*1e-8)
			}
		}
	}
}

// Room for many makes no difference to a stable queue: 0.8^2000 < 1e-190.
func TestMM1BTendsToMM1(t *testing.T) {
	b, m := MM1B{0.8, 2000}, MM1{0.8}
	assert.InEpsilon(t, m.MeanTimeInSystem(), b.MeanTimeInSystem(), 4*b.relativeError())
	for _, x := range []float64{0.1, 1, 10, 100} {
		assert.InEpsilon(t, m.TimeTail(x), b.TimeTail(x), erlangMixtureError(x, b.found(), 4*b.relativeError()))
	}
	assert.InDelta(t, m.TimeQuantile(0.99), b.TimeQuantile(0.99), 1e-7)
}

func TestMM1BRefusesNothingButNonsense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := MM1B{rapid.Float64Range(0, 1e6).Draw(t, "rho"), rapid.IntRange(1, 2000).Draw(t, "b")}
		tails := m.Tails()
		assert.Equal(t, 1.0, tails[0])
		for k := 1; k < len(tails); k++ {
			assert.LessOrEqual(t, tails[k], tails[k-1])
		}
		// What is served is what is not lost, as far as rounding goes.
		assert.InDelta(t, m.Rho*(1-m.Loss()), m.Throughput(), (m.Rho+1)*2*m.relativeError())
	})
	for question, want := range map[string]string{
		"mm1b rho=1 b=0":    "room b is 0, want 1 to 100000",
		"mm1b rho=-1 b=1":   "rate of arrivals rho is -1, want a finite",
		"mm1b rho=+Inf b=1": "rate of arrivals rho is +Inf, want a finite",
	} {
		_, err := tryAsk(question)
		assert.ErrorContains(t, err, want)
	}
}
