// Calibrate measures the evidence of package oracle as an instrument:
//
//	go run ./oracle/calibrate
//
// First it audits balancers that keep their claim and counts the false
// convictions, which must stay below what their bound allows. Then it audits
// balancers with a wrong law, each at the view where it differs most from its
// claim, and prints the median number of picks to the conviction beside the mean
// that no sequential test can beat. It exits with 1 when the bound is broken.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	audits := flag.Int("audits", 100_000, "audits of conforming balancers")
	alpha := flag.Float64("alpha", 1e-3, "false convictions allowed to each audit, as a probability")
	trials := flag.Int("trials", 101, "audits of each wrong law and fleet, from which the median is taken")
	seed := flag.Uint64("seed", 1, "root of all random numbers")
	flag.Parse()
	if *audits < 1 || *trials < 1 || !(*alpha > 0 && *alpha < 1) {
		fmt.Fprintln(os.Stderr, "calibrate: -audits and -trials are at least 1, -alpha is in (0, 1)")
		os.Exit(2)
	}
	if !report(*audits, *trials, *alpha, *seed) {
		os.Exit(1)
	}
}

func report(audits, trials int, alpha float64, seed uint64) bool {
	convicted := falseConvictions(audits, alpha, seed)
	most := allowed(audits, alpha)
	verdict := "holds"
	if convicted > most {
		verdict = "violated"
	}
	fmt.Printf("false convictions: %d of %d audits at alpha %v; expected at most %.0f, more than %d has probability 1e-9: %s\n\n",
		convicted, audits, alpha, alpha*float64(audits), most, verdict)

	const format = "%-24s  %-30s  %3v  %-14s  %8s  %8s  %5s  %9s\n"
	fmt.Printf(format, "claim", "truth", "n", "loads", "limit", "median", "ratio", "convicted")
	for _, w := range wrongLaws() {
		for _, n := range []int{2, 3, 5, 10, 31, 100} {
			r := w.measure(n, trials, alpha, seed)
			fmt.Printf(format, w.claim, w.truth, n, r.loads, r.limit, r.median, r.ratio, r.convicted)
		}
	}
	return convicted <= most
}
