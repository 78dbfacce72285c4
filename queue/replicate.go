package queue

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/picklaw/picklaw/policies"
)

// Replicate runs a simulation once for every seed, on all cores, and returns
// the results in the order of the seeds: they do not depend on how many cores
// there are. World.Observe, if set, is called from several goroutines at once.
// When a run fails, the error of the first that failed is returned.
func Replicate(w World, newPolicy func() policies.Policy, seeds []uint64) ([]Result, error) {
	results := make([]Result, len(seeds))
	err := Parallel(len(seeds), func(i int) (err error) {
		results[i], err = Simulate(w, newPolicy, seeds[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// Parallel calls f(0) to f(n-1) on all cores and returns the error of the
// lowest index that has one.
func Parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
