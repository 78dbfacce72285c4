package policies_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// One frozen state: power of two never picks the busiest of three.
func Example() {
	view := &policies.Snapshot{Servers: policies.Fleet(3), Loads: []float64{4, 0, 2}}
	coins, counts := policies.NewCoins(1), [3]int{}
	for range 3000 {
		counts[policies.PowerOfD{D: 2}.Pick(policies.Request{}, view, coins)]++
	}
	fmt.Println("the busiest:", counts[0])
	fmt.Println("the idle one gets about two thirds:", counts[1] > 1850 && counts[1] < 2150)
	// Output:
	// the busiest: 0
	// the idle one gets about two thirds: true
}

func ExampleBalancer_Do() {
	b, err := policies.NewBalancer(policies.LeastRequest{}, policies.Endpoints("a", "b", "c"))
	if err != nil {
		panic(err)
	}
	err = b.Do(context.Background(), policies.Request{}, func(_ context.Context, s policies.Server) error {
		fmt.Println("in flight during the call:", b.Open(), "of them here:", b.InFlight()[s.Name])
		return errors.New("no answer")
	})
	fmt.Println(err, "- in flight:", b.Open())
	// Output:
	// in flight during the call: 1 of them here: 1
	// no answer - in flight: 0
}

func ExampleBalancer_Retry() {
	b, err := policies.NewBalancer(policies.Random{}, policies.Endpoints("a", "b"), policies.WithOutlier(policies.Outlier{
		Consecutive: 2, Interval: time.Minute, Backoff: time.Minute, MaxBackoff: time.Hour, MaxEjected: 50,
	}))
	if err != nil {
		panic(err)
	}
	for range 100 {
		err = b.Retry(context.Background(), policies.Request{}, 2, func(_ context.Context, s policies.Server) error {
			if s.Name == "a" {
				return errors.New("a is down")
			}
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("ejected:", b.Ejected())
	// Output:
	// ejected: [a]
}
