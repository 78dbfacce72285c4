package oracle

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// BallsInBins is a number of balls thrown one by one into bins, each into a bin
// drawn at random: what random routing does with requests that all stay, or that
// all come at once.
type BallsInBins struct {
	Bins  int // 1 to 100,000,000
	Balls int // 1 to 2,000,000
}

// Validate says which parameter is out of range, or that the answer would take
// too long.
func (b BallsInBins) Validate() error {
	if err := validRange("number of bins", b.Bins, 1, 100_000_000); err != nil {
		return err
	}
	if err := validRange("number of balls", b.Balls, 1, 2_000_000); err != nil {
		return err
	}
	// A convolution spans about ten standard deviations on each side, so it takes
	// about 200·balls operations, once for each maximum that is neither sure nor
	// impossible: a few standard deviations of a bin.
	work := 200 * float64(b.Balls) * (5 + 5*math.Sqrt(b.load()))
	if b.Bins > 1 && b.Balls > exactBalls && work > 2e10 {
		return fmt.Errorf("%d balls in %d bins need about %.1e operations, want at most 2e10: fewer balls or more bins",
			b.Balls, b.Bins, work)
	}
	return nil
}

func (b BallsInBins) load() float64 { return float64(b.Balls) / float64(b.Bins) }

// exactBalls is the number of balls up to which the law is computed in
// rationals.
const exactBalls = 40

// ExactMaximum lists the probabilities that the fullest bin holds least, least+1,
// ..., balls, as rationals. It panics above 40 balls.
//
// With e(k) = 1 + x + x²/2! + ... + x^k/k!, the number of ways in which no bin
// gets more than k balls is balls! times the coefficient of x^balls in
// e(k)^bins.
func (b BallsInBins) ExactMaximum() (least int, law []*big.Rat) {
	must(b)
	if b.Balls > exactBalls {
		panic(fmt.Sprintf("oracle: ExactMaximum of %d balls, want at most %d", b.Balls, exactBalls))
	}
	all := new(big.Int).Exp(big.NewInt(int64(b.Bins)), big.NewInt(int64(b.Balls)), nil)
	least = (b.Balls + b.Bins - 1) / b.Bins
	before := new(big.Int)
	for k := least; k <= b.Balls; k++ {
		ways := b.ways(k)
		law = append(law, new(big.Rat).SetFrac(new(big.Int).Sub(ways, before), all))
		before = ways
	}
	return least, law
}

// ways counts the ways to throw the balls with at most k in each bin.
func (b BallsInBins) ways(k int) *big.Int {
	base, power := make([]*big.Int, b.Balls+1), make([]*big.Int, b.Balls+1)
	for i := range base {
		base[i], power[i] = new(big.Int), new(big.Int)
		if i <= k {
			base[i].SetInt64(1)
		}
	}
	power[0].SetInt64(1)
	choose := pascal(b.Balls)
	for bins := b.Bins; bins > 0; bins /= 2 {
		if bins%2 == 1 {
			power = shuffle(choose, power, base)
		}
		base = shuffle(choose, base, base)
	}
	return power[b.Balls]
}

// shuffle gives the ways to split r balls between two groups of bins, whose ways
// to hold so many balls are f and g, for each r.
func shuffle(choose [][]*big.Int, f, g []*big.Int) []*big.Int {
	out := make([]*big.Int, len(f))
	var term big.Int
	for r := range out {
		out[r] = new(big.Int)
		for j := 0; j <= r; j++ {
			if f[j].Sign() == 0 || g[r-j].Sign() == 0 {
				continue
			}
			term.Mul(choose[r][j], f[j])
			out[r].Add(out[r], term.Mul(&term, g[r-j]))
		}
	}
	return out
}

// pascal is the triangle of binomial coefficients down to row n.
func pascal(n int) [][]*big.Int {
	rows := make([][]*big.Int, n+1)
	for r := range rows {
		rows[r] = make([]*big.Int, r+1)
		rows[r][0], rows[r][r] = big.NewInt(1), big.NewInt(1)
		for j := 1; j < r; j++ {
			rows[r][j] = new(big.Int).Add(rows[r-1][j-1], rows[r-1][j])
		}
	}
	return rows
}

// MaximumLaw lists the probabilities that the fullest bin holds least, least+1,
// ..., as floating point numbers with a bound of the error of each. What is not
// listed has a probability below that bound in total.
func (b BallsInBins) MaximumLaw() (least int, law []float64, bound float64) {
	must(b)
	if b.Bins == 1 {
		return b.Balls, []float64{1}, 0
	}
	before, beforeWrong := 0.0, 0.0
	for k := (b.Balls + b.Bins - 1) / b.Bins; ; k++ {
		// Occupancies are negatively associated (Joag-Dev and Proschan 1983), so
		// P(max <= k) is at most the product over the bins, and P(max > k) lies
		// between x - x²/2 and x for the sum x over the bins (Bonferroni).
		over := b.oneAbove(k)
		if before == 0 && float64(b.Bins)*math.Log1p(-over) < -60 {
			continue
		}
		over *= float64(b.Bins)
		if over < 1e-16 {
			return least, append(law, max(0, 1-before)), bound + beforeWrong + over + math.Exp(-60)
		}
		p, wrong := 1-over, over*over/2+0x1p-53
		if over > 1e-6 {
			relative := 0.0
			p, relative = b.atMost(k)
			wrong = p * relative
		}
		if law == nil {
			least = k
		}
		law = append(law, max(0, p-before))
		bound = max(bound, wrong+beforeWrong)
		before, beforeWrong = p, wrong
	}
}

// oneAbove is the probability that a given bin gets more than k balls, a binomial
// tail in terms of the incomplete beta function.
func (b BallsInBins) oneAbove(k int) float64 {
	if k >= b.Balls {
		return 0
	}
	return mathext.RegIncBeta(float64(k+1), float64(b.Balls-k), 1/float64(b.Bins))
}

// meanAndMedian summarises a law that starts at least.
func meanAndMedian(least int, law []float64) (mean float64, median int) {
	sum, median := 0.0, -1
	for i, p := range law {
		mean += p * float64(least+i)
		if sum += p; median < 0 && sum >= 0.5 {
			median = least + i
		}
	}
	return mean, median
}

var ballsEntries = []Entry{{
	Name: "balls",
	Doc:  "Law of the fullest bin when balls are thrown into bins at random: rationals up to 40 balls, numbers with a bound above.",
	Params: []Param{
		{Name: "bins", Doc: "1 to 100,000,000"},
		{Name: "balls", Doc: "1 to 2,000,000"},
	},
	Example: "bins=1000 balls=1000",
	Source:  "counting by generating functions (Kolchin, Sevastyanov and Chistyakov 1978)",
	eval: func(args *arguments) (a Answer, err error) {
		b := BallsInBins{Bins: args.integer("bins"), Balls: args.integer("balls")}
		if err := args.check(b); err != nil {
			return a, err
		}
		if b.Balls <= exactBalls {
			least, law := b.ExactMaximum()
			mean, sum, median := new(big.Rat), new(big.Rat), -1
			for i, p := range law {
				mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(int64(least+i), 1)))
				if sum.Add(sum, p); median < 0 && sum.Cmp(big.NewRat(1, 2)) >= 0 {
					median = least + i
				}
			}
			a.put("least_maximum", least, 0.0)
			a.put("law", law, 0.0)
			a.put("mean_maximum", mean, 0.0)
			a.put("median_maximum", median, 0.0)
			return a, nil
		}
		least, law, bound := b.MaximumLaw()
		mean, median := meanAndMedian(least, law)
		// Each of the cumulated probabilities is off by at most the bound, and
		// the mean is their sum; what lies beyond the list falls at least
		// geometrically, by load/(k+1) from k to k+1, the ratio at its end.
		top := float64(least + len(law))
		ratio := float64(b.Balls) / (float64(b.Bins) - 1 + 1e-9) / top
		spread := float64(len(law)+1) * bound
		if b.Bins > 1 {
			spread += bound / (1 - min(ratio, 1))
		}
		a.put("least_maximum_listed", least, 0.0)
		a.put("law", law, bound)
		a.put("mean_maximum", mean, spread+rounding(mean, len(law)+1))
		a.put("median_maximum", median, medianError(law, bound))
		return a, nil
	},
}}

// medianError is 0 when the law decides the median in spite of its error.
func medianError(law []float64, bound float64) any {
	sum := 0.0
	undecided := slices.ContainsFunc(law, func(p float64) bool {
		sum += p
		return math.Abs(sum-0.5) <= bound*float64(len(law))
	})
	if undecided {
		return Estimate
	}
	return 0.0
}
