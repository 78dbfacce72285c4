package oracle

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BallsFluid is the limit, as the number of bins grows, of balls thrown into the
// least full of D bins drawn at random, until there are Load balls a bin
// (Mitzenmacher 1996). It is a limit and says nothing of the fullest of a given
// number of bins.
type BallsFluid struct {
	D    int     // choices, 1 to 100
	Load float64 // balls a bin: at least 0; D·Load at most 2000, Load at most 1000
}

// Validate says which parameter is out of range.
func (b BallsFluid) Validate() error {
	if err := validRange("number of choices d", b.D, 1, 100); err != nil {
		return err
	}
	if most := min(1000, 2000/float64(b.D)); !(b.Load >= 0 && b.Load <= most) {
		return fmt.Errorf("load is %v, want 0 to %v balls a bin with %d choices", b.Load, most, b.D)
	}
	return nil
}

// Tails lists the fractions of bins with k or more balls for k = 1, 2, ..., down
// to 1e-12. They solve
//
//	ds_k/dt = s_(k-1)^d - s_k^d,  s_0 = 1,  s_k(0) = 0
//
// at t = Load; for D = 1 they are those of a Poisson number. The solution is by
// the classical Runge-Kutta method in steps of at most 1/(64·D), whose error is
// far below what the limit leaves open.
func (b BallsFluid) Tails() []float64 {
	must(b)
	var s []float64
	if b.D == 1 {
		for k := 1; ; k++ {
			p := mathext.GammaIncReg(float64(k), b.Load)
			if b.Load == 0 || p < leastTail {
				return s
			}
			s = append(s, p)
		}
	}
	s = b.integrate()
	for len(s) > 0 && s[len(s)-1] < leastTail {
		s = s[:len(s)-1]
	}
	return s
}

func (b BallsFluid) integrate() []float64 {
	steps := int(math.Ceil(64 * float64(b.D) * b.Load))
	h, d := b.Load/float64(steps), float64(b.D)
	if steps == 0 {
		return nil
	}
	// Levels below low are full but for 1e-13. Levels from high on are left at
	// 0: a step of four stages reaches four levels up, and eight more are open
	// than hold anything worth counting.
	const levels, ahead = 1100, 8
	s := make([]float64, levels)
	var slopes [4][levels]float64
	x := make([]float64, levels)
	low, high := 0, ahead
	for range steps {
		for stage, part := range [4]float64{0, 0.5, 0.5, 1} {
			below := 1.0
			for k := low; k < high; k++ {
				x[k] = s[k]
				if stage > 0 {
					x[k] += part * h * slopes[stage-1][k]
				}
				power := math.Pow(x[k], d)
				slopes[stage][k] = below - power
				below = power
			}
		}
		for k := low; k < high; k++ {
			s[k] += h / 6 * (slopes[0][k] + 2*slopes[1][k] + 2*slopes[2][k] + slopes[3][k])
		}
		for s[low] > 1-1e-13 {
			s[low] = 1
			low++
		}
		for s[high-ahead] > 1e-40 {
			high++
		}
	}
	return s[:high]
}

var ballsFluidEntries = []Entry{{
	Name: "balls-fluid",
	Doc:  "Shares of bins with k or more balls when each ball takes the least full of d bins, in the limit of many bins.",
	Params: []Param{
		{Name: "d", Doc: "choices, 1 to 100"},
		{Name: "load", Doc: "balls a bin, at least 0, at most 1000 and at most 2000/d"},
	},
	Example: "d=2 load=1",
	Source:  "Mitzenmacher 1996, The power of two choices in randomized load balancing",
	eval: func(args *arguments) (a Answer, err error) {
		b := BallsFluid{D: args.integer("d"), Load: args.float("load")}
		if err := args.check(b); err != nil {
			return a, err
		}
		tails := b.Tails()
		a.put("empty_share", 1-at(tails, 0), Limit)
		a.put("tails", tails, Limit)
		return a, nil
	},
}}
