package main

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/picklaw/picklaw/oracle"
)

// claims are the balancers that keep their word.
var claims = []oracle.Law{
	oracle.Random{},
	oracle.LeastRequest{},
	oracle.PowerOfD{D: 2},
	oracle.PowerOfD{D: 2, Replacement: true},
	oracle.PowerOfD{D: 3, Replacement: true, LowestIndex: true},
	oracle.TwoLightest{},
	oracle.WeightedRandom{},
}

// falseConvictions audits conforming balancers in fleets of 2 to 6, with and
// without strays and open ties, for 100 picks at each of two views, and looks
// after every pick.
func falseConvictions(audits int, alpha float64, seed uint64) int {
	results := parallel(audits, func(i int) int {
		claim, n := claims[i%len(claims)], 2+i/len(claims)%5
		audit := oracle.Audit{Claim: claim, Alpha: alpha, AnyTie: i%3 == 0}
		if i%4 == 0 {
			audit.Contamination = 0.02
		}
		views := oracle.Views(n)
		coins := newCoins(oracle.Stream(seed, fmt.Sprint("honest ", i)))
		e, err := oracle.NewEvidence(audit)
		check(err)
		for k := range 2 {
			s := views[(i/35+2*k+1)%len(views)]
			if i%2 == 0 {
				s.Weights = []uint64{5, 1, 3, 2, 4, 1}[:n]
			}
			p, err := claim.Probabilities(s)
			check(err)
			law := floats(p)
			for range 100 {
				pick := coins.draw(law)
				if coins.Float64() < audit.Contamination {
					pick = n - 1 // a stray
				}
				check(e.Observe(s, pick))
				if e.Convicted() {
					return 1
				}
			}
		}
		return 0
	})
	convicted := 0
	for _, r := range results {
		convicted += r
	}
	return convicted
}

// allowed is the smallest c such that more than c false convictions have a
// probability of at most 1e-9 when every audit has exactly alpha.
func allowed(audits int, alpha float64) int {
	b := distuv.Binomial{N: float64(audits), P: alpha}
	c := int(alpha * float64(audits))
	for b.Survival(float64(c)) > 1e-9 {
		c++
	}
	return c
}
