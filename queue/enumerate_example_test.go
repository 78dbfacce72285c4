package queue_test

import (
	"fmt"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// Two choices among three servers, drawn with replacement: the busiest server
// is picked when both draws hit it.
func ExampleEnumerate() {
	view := &policies.Snapshot{Servers: policies.Fleet(3), Loads: []float64{0, 1, 2}}
	picks, err := queue.Enumerate(policies.PowerOfD{D: 2, Replacement: true}, policies.Request{}, view)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(picks.P[0].RatString(), picks.P[1].RatString(), picks.P[2].RatString())
	fmt.Println(picks.Leaves, "outcomes of the coins, at most", picks.MaxReads, "loads read")
	// Output:
	// 5/9 1/3 1/9
	// 9 outcomes of the coins, at most 2 loads read
}

// The mean number of requests at each of two servers, at a utilization of 0.9.
func ExampleSolve() {
	for _, p := range []policies.Policy{policies.Random{}, policies.PowerOfD{D: 2}, policies.PowerOfD{D: 2, Replacement: true}} {
		s, err := queue.Solve(queue.Chain{Policy: p, Servers: 2, Rho: 0.9, Tolerance: 1e-5})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", s.MeanJobs)
	}
	// Output:
	// 9.000
	// 4.927
	// 5.278
}
