package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/picklaw/picklaw/oracle"
)

// simulate audits one balancer at a frozen view and returns the picks to its
// conviction, or most+1.
func simulate(a oracle.Audit, truth oracle.Law, s oracle.State, most int, seed uint64) int {
	e, err := oracle.NewEvidence(a)
	check(err)
	coins := newCoins(seed)
	_, rotates := truth.(oracle.RoundRobin)
	p, err := truth.Probabilities(s)
	check(err)
	law := floats(p)
	pick := coins.draw(law)
	for e.Picks() < most {
		check(e.Observe(s, pick))
		if e.Convicted() {
			return e.Picks()
		}
		if rotates {
			pick = (pick + 1) % len(law)
		} else {
			pick = coins.draw(law)
		}
	}
	return most + 1
}

type coins struct{ *rand.Rand }

func newCoins(seed uint64) coins { return coins{rand.New(rand.NewPCG(seed, 0))} }

// draw returns i with probability p[i].
func (c coins) draw(p []float64) int {
	x := c.Float64()
	for i, q := range p {
		if x -= q; x < 0 {
			return i
		}
	}
	return slices.IndexFunc(p, func(q float64) bool { return q > 0 }) // rounding
}

func floats(p []*big.Rat) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i], _ = x.Float64()
	}
	return out
}

// parallel computes f(0), ..., f(n-1) on all processors.
func parallel(n int, f func(int) int) []int {
	out := make([]int, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < n; i = next.Add(1) - 1 {
				out[i] = f(int(i))
			}
		})
	}
	wg.Wait()
	return out
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(4)
	}
}
