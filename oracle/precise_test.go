package oracle

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Arithmetic with 300 bits: the second, independent way to most numbers here.

const bits = 300

func precise(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Quo(x, y) }

// preciseLog is ln x = 2·atanh((x-1)/(x+1)) by its series, after x has been
// brought close to 1 by square roots.
func preciseLog(x *big.Float) *big.Float {
	scale := precise(2)
	for x.Cmp(precise(1.01)) > 0 || x.Cmp(precise(0.99)) < 0 {
		x = new(big.Float).SetPrec(bits).Sqrt(x)
		scale = mul(scale, precise(2))
	}
	y := quo(sub(x, precise(1)), add(x, precise(1)))
	sum, power := precise(0), y
	for k := 1; k < 200; k += 2 {
		sum = add(sum, quo(power, precise(float64(k))))
		power = mul(power, mul(y, y))
	}
	return mul(scale, sum)
}

// preciseExp is e^x by its series, after halving x.
func preciseExp(x *big.Float) *big.Float {
	halvings := 0
	for new(big.Float).Abs(x).Cmp(precise(0.01)) > 0 {
		x = quo(x, precise(2))
		halvings++
	}
	sum, term := precise(1), precise(1)
	for k := 1; k < 60; k++ {
		term = quo(mul(term, x), precise(float64(k)))
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// decimal reads a number such as 0.99 without the rounding of a float64.
func decimal(s string) *big.Float {
	x, _, err := big.ParseFloat(s, 10, bits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return x
}

// assertWithin compares with the precise value and demands the bound stated.
func assertWithin(t *testing.T, want *big.Float, got, bound float64, what string) {
	t.Helper()
	diff, _ := sub(precise(got), want).Float64()
	w, _ := want.Float64()
	assert.LessOrEqual(t, math.Abs(diff), bound, "%s: want %v, got %v", what, w, got)
}

func TestPreciseFunctions(t *testing.T) {
	// 40 digits of ln 2 and of e (OEIS A002162, A001113).
	ln2, _ := new(big.Float).SetPrec(bits).SetString("0.6931471805599453094172321214581765680755")
	e, _ := new(big.Float).SetPrec(bits).SetString("2.718281828459045235360287471352662497757")
	near := precise(1e-38)
	assert.Negative(t, new(big.Float).Abs(sub(preciseLog(precise(2)), ln2)).Cmp(near))
	assert.Negative(t, new(big.Float).Abs(sub(preciseExp(precise(1)), e)).Cmp(near))
}
