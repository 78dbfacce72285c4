package queue

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

// spy is a policy that keeps what it saw and was told.
type spy struct {
	policies.Policy
	saw  *[]sight
	told []policies.Outcome
}

type sight struct {
	now   time.Duration
	loads []float64
	told  []policies.Outcome // in order, so far
}

func (s *spy) Pick(q policies.Request, v policies.View, c policies.Coins) int {
	seen := sight{now: v.Now(), told: slices.Clone(s.told)}
	for i := range v.Len() {
		load, known := v.Load(i)
		if !known {
			load = math.NaN()
		}
		seen.loads = append(seen.loads, load)
	}
	*s.saw = append(*s.saw, seen)
	return s.Policy.Pick(q, v, c)
}

func (s *spy) Observe(_ policies.ServerID, o policies.Outcome) { s.told = append(s.told, o) }

// At every pick the view shows what its kind says, recomputed from the list of
// jobs, and the dispatcher has been told of its own requests that have ended.
func TestViewsShowWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		inner := anyPolicy(t)
		var saw []sight
		_, jobs := trajectory(t, w, func() policies.Policy { return &spy{Policy: inner(), saw: &saw} })
		require.Len(t, saw, len(jobs))
		for k, j := range jobs {
			at, phase := j.Arrival, 0.0
			if w.View == Stale {
				phase = float64(j.Dispatcher) * w.Refresh / float64(w.Dispatchers)
			}
			if w.View == Stale || w.View == SharedStale {
				at = math.Floor((at-phase)/w.Refresh)*w.Refresh + phase
			}
			shown := func(o Job) bool { // is o among the jobs that the view of j counts
				switch {
				case o.Lost || o.Finish <= at:
					return false
				case w.View == Local:
					return o.Dispatcher == j.Dispatcher
				case w.View == Fresh:
					return true
				}
				return o.Arrival < at
			}
			assert.Equal(t, seconds(j.Arrival), saw[k].now, "the clock of the view")
			var told []policies.Outcome
			free := make([][]float64, w.Servers) // when each slot is free, by its last job
			want := make([]float64, w.Servers)
			for i := range free {
				free[i] = make([]float64, w.Slots)
			}
			for _, o := range jobs[:k] {
				if o.Dispatcher == j.Dispatcher && (o.Lost || o.Finish <= j.Arrival) {
					told = append(told, outcomeOf(o))
				}
				if !o.Lost && (w.View == Fresh || o.Arrival < at) {
					slices.Sort(free[o.Server]) // the job took the slot that was free first
					free[o.Server][0] = o.Finish
				}
				if w.Metric != WorkLeft && shown(o) {
					want[o.Server]++
				}
			}
			if w.Metric == WorkLeft {
				for i := range want {
					for _, f := range free[i] {
						want[i] += max(0, f-at)
					}
					want[i] /= float64(w.Slots)
				}
			}
			assert.Equal(t, want, saw[k].loads, "job %d, board of %v", k, at)
			slices.SortStableFunc(told, func(a, b policies.Outcome) int { return int(a.At - b.At) })
			assert.Equal(t, told, saw[k].told)
		}
	})
}

func outcomeOf(j Job) policies.Outcome {
	if j.Lost {
		return policies.Outcome{At: seconds(j.Arrival), Failed: true}
	}
	return policies.Outcome{At: seconds(j.Finish), Latency: seconds(j.Finish - j.Arrival)}
}
