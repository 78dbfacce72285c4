package fuzz

import (
	"slices"
	"testing"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// follower picks what an input says and remembers what it saw.
type follower struct {
	in   *input
	seen [][]float64
}

func (p *follower) Pick(_ policies.Request, v policies.View, _ policies.Coins) int {
	loads := make([]float64, v.Len())
	for i := range loads {
		loads[i], _ = v.Load(i)
	}
	p.seen = append(p.seen, loads)
	return p.in.below(v.Len())
}

// FuzzFIFO runs servers against a list of events.
//
//	byte 0     servers: 1 to 4
//	byte 1     slots of each: 1 to 4
//	byte 2     capacity: 0 to 7, 0 for none
//	3 each     a request: gap before it and its work in units of 1/16, the server
//
// Times are multiples of 1/16 and so add up without rounding.
func FuzzFIFO(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		w := queue.World{Servers: 1 + in.below(4), Slots: 1 + in.below(4), Capacity: in.below(8)}
		var arrivals queue.RecordedArrivals
		var work queue.RecordedWork
		var picks []byte
		now := 0.0
		for !in.empty() && len(work) < 200 {
			now += float64(in.byte()) / 16
			arrivals, work = append(arrivals, now), append(work, float64(in.byte())/16)
			picks = append(picks, in.byte())
		}
		if len(work) == 0 || work.Mean() == 0 {
			return
		}
		w.Arrivals, w.Work = arrivals, work
		var jobs []queue.Job
		w.Observe = func(j queue.Job) { jobs = append(jobs, j) }
		p := &follower{in: &input{picks}}
		if _, err := queue.Simulate(w, func() policies.Policy { return p }, 1); err != nil {
			t.Fatal(err)
		}
		slots := make([][]float64, w.Servers) // when each is free
		for i := range slots {
			slots[i] = make([]float64, w.Slots)
		}
		finishes := make([][]float64, w.Servers)
		for k, j := range jobs {
			for i, seen := range p.seen[k] {
				held := 0
				for _, finish := range finishes[i] {
					if finish > j.Arrival {
						held++
					}
				}
				if seen != float64(held) {
					t.Fatalf("request %d sees %v at server %d, want %d", k+1, seen, i, held)
				}
			}
			held := int(p.seen[k][j.Server])
			lost := w.Capacity > 0 && held >= w.Capacity
			if j.Lost != lost || j.Work != work[k] || j.Arrival != arrivals[k] || j.Server != int(picks[k])%w.Servers {
				t.Fatalf("request %d is %+v, want lost %v, work %v, arrival %v", k+1, j, lost, work[k], arrivals[k])
			}
			if lost {
				continue
			}
			s := slots[j.Server]
			slices.Sort(s)
			start := max(s[0], j.Arrival)
			s[0] = start + j.Work
			finishes[j.Server] = append(finishes[j.Server], s[0])
			if j.Start != start || j.Finish != s[0] {
				t.Fatalf("request %d runs from %v to %v, want %v to %v", k+1, j.Start, j.Finish, start, s[0])
			}
		}
	})
}
