package queue

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

// hearer remembers what it is told.
type hearer struct {
	policies.Random
	heard []policies.Outcome
	from  []policies.ServerID
}

func (h *hearer) Observe(id policies.ServerID, o policies.Outcome) {
	h.from, h.heard = append(h.from, id), append(h.heard, o)
}

// Whenever outcomes are delivered, those that are due come in the order of a sort
// by end and number, and the others stay.
func TestOutcomesComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := new(hearer)
		to := []dispatcher{{policy: h, learner: h}}
		var o outcomes
		var pending []Job
		var want []policies.ServerID
		number := 0
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 20).Draw(t, "requests") {
				number++
				j := Job{Number: number, Server: number, Arrival: 1, Finish: float64(rapid.IntRange(1, 9).Draw(t, "finish"))}
				if rapid.IntRange(0, 4).Draw(t, "lost") == 0 {
					j.Lost, j.Finish = true, 0
				}
				o.add(j)
				if j.Lost {
					j.Finish = j.Arrival
				}
				pending = append(pending, j)
			}
			now := float64(rapid.IntRange(0, 9).Draw(t, "now"))
			o.deliver(now, to)
			slices.SortFunc(pending, func(a, b Job) int { return cmp.Or(cmp.Compare(a.Finish, b.Finish), a.Number-b.Number) })
			for len(pending) > 0 && pending[0].Finish <= now {
				want = append(want, policies.ServerID(pending[0].Number))
				pending = pending[1:]
			}
			assert.Equal(t, want, h.from)
			assert.Len(t, o, len(pending))
		}
	})
}
