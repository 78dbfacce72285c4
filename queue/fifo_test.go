package queue

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// textbook is a first-come first-served server as textbooks tell it: a line of
// waiting jobs, slots that work, and an event for every departure.
type textbook struct {
	speed   float64
	waiting []int
	serving []int     // the job in each slot, -1 for none
	ends    []float64 // when each slot is done
	work    []float64 // of every job so far
	finish  []float64 // of every job so far
}

func newTextbook(speed float64, slots int) *textbook {
	return &textbook{speed: speed, serving: slices.Repeat([]int{-1}, slots), ends: make([]float64, slots)}
}

// run handles all departures up to a time.
func (s *textbook) run(until float64) {
	for {
		next := -1
		for i, job := range s.serving {
			if job >= 0 && s.ends[i] <= until && (next < 0 || s.ends[i] < s.ends[next]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		s.serving[next] = -1
		s.begin(s.ends[next])
	}
}

// begin lets an idle slot take the head of the line.
func (s *textbook) begin(now float64) {
	i := slices.Index(s.serving, -1)
	if i < 0 || len(s.waiting) == 0 {
		return
	}
	job := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.serving[i], s.ends[i] = job, now+s.work[job]/s.speed
	s.finish[job] = s.ends[i]
}

func (s *textbook) arrive(now, work float64) {
	s.waiting = append(s.waiting, len(s.work))
	s.work, s.finish = append(s.work, work), append(s.finish, math.NaN())
	s.begin(now)
}

func (s *textbook) inSystem() int {
	busy := 0
	for _, job := range s.serving {
		if job >= 0 {
			busy++
		}
	}
	return busy + len(s.waiting)
}

// The server that computes departures ahead and drops them lazily, and the one
// that makes them happen, agree on every job and every count, to the last bit.
func TestLazyServerIsTheTextbookServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 4).Draw(t, "slots")
		speed := rapid.SampledFrom([]float64{1, 0.2, 3}).Draw(t, "speed")
		gaps := rapid.OneOf(rapid.Just(0.0), rapid.SampledFrom([]float64{0.5, 1, 2}), rapid.Float64Range(0, 3))
		works := rapid.OneOf(rapid.Just(0.0), rapid.SampledFrom([]float64{1, 2, 4}), rapid.Float64Range(0, 9))
		lazy, events := newFIFO(speed, slots), newTextbook(speed, slots)
		now := 0.0
		var finish []float64
		for range rapid.IntRange(1, 60).Draw(t, "jobs") {
			now += gaps.Draw(t, "gap")
			events.run(now)
			if rapid.Bool().Draw(t, "look") {
				assert.Equal(t, events.inSystem(), lazy.busy.after(now), "jobs after %v", now)
				assert.Equal(t, events.inSystem(), lazy.inSystem(now), "jobs at %v", now)
			}
			work := works.Draw(t, "work")
			events.arrive(now, work)
			start, end := lazy.accept(now, work)
			assert.GreaterOrEqual(t, start, now)
			finish = append(finish, end)
		}
		events.run(math.Inf(1))
		assert.Equal(t, events.finish, finish)
		assert.Zero(t, events.inSystem())
		assert.Zero(t, lazy.inSystem(slices.Max(finish)), "no job is in the system at its finish time")
		assert.Zero(t, lazy.workLeft(slices.Max(finish)))
	})
}
