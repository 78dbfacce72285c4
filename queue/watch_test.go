package queue

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/picklaw/picklaw/policies"
)

// A watch sees a run move forward, and ends it with an error of its own.
func TestWatch(t *testing.T) {
	const requests = 5 * watchEvery
	enough := errors.New("enough")
	random := func() policies.Policy { return policies.Random{} }
	for name, run := range map[string]func(watch func(done int) error) error{
		"queue": func(watch func(int) error) error {
			w := World{Servers: 3, Rho: 0.5, Jobs: requests}
			last := 0.0
			w.Watch = func(jobs int, now float64) error {
				assert.Greater(t, now, last)
				last = now
				return watch(jobs)
			}
			_, err := Simulate(w, random, 1)
			return err
		},
		"ticks": func(watch func(int) error) error {
			w := PublishedTicks().World()
			w.Ticks, w.Watch = requests, watch
			_, err := w.Simulate(policies.Random{}, 1)
			return err
		},
		"balls": func(watch func(int) error) error {
			_, err := BallsIntoBins{Bins: 3, Balls: requests, Watch: watch}.Run(policies.Random{}, NewPCG(1, "watch"))
			return err
		},
		"herd": func(watch func(int) error) error {
			_, err := Herd{Loads: []float64{1, 2}, Balancers: requests, Watch: watch}.Run(random, 1)
			return err
		},
	} {
		var seen []int
		assert.NoError(t, run(func(done int) error {
			seen = append(seen, done)
			return nil
		}), name)
		assert.Len(t, seen, 5, name)
		assert.IsIncreasing(t, seen, name)
		assert.ErrorIs(t, run(func(done int) error {
			assert.LessOrEqual(t, done, 2*watchEvery, name)
			if done == 2*watchEvery {
				return enough
			}
			return nil
		}), enough, name)
	}
}
