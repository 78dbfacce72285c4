package queue

import (
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// tableP1 lets every request begin at once: no server ever holds as many as it
// has slots, so loads are active connections.
func tableP1(t Table) ([][]any, error) {
	s := newPython(42)
	var arrivals RecordedArrivals
	var work RecordedWork
	for i := range 5000 {
		arrivals = append(arrivals, float64(i))
		if s.Float64() < 0.15 {
			work = append(work, 120)
		} else {
			work = append(work, 2)
		}
	}
	laws := map[string]string{"round-robin": "round-robin", "least-connections": "lowest-index"}
	var rows [][]any
	for row := range t.published {
		peaks := make([]int, 4)
		w := World{Servers: 4, Slots: 120, Arrivals: arrivals, Work: work, RNG: Python}
		w.Observe = func(j Job) { peaks[j.Server] = max(peaks[j.Server], j.InSystemBefore+1) }
		newPolicy, err := ReplayPolicy(laws[t.label(row, 0)])
		if err != nil {
			return nil, err
		}
		if _, err := Simulate(w, newPolicy, 42); err != nil {
			return nil, err
		}
		rows = append(rows, []any{peaks, slices.Max(peaks)})
	}
	return rows, nil
}

func tableB1(t Table) ([][]any, error) {
	const n, seeds = 1_000_000, 5
	fullest := make([][]int, len(t.published))
	empty := make([]float64, len(t.published))
	for row := range fullest {
		fullest[row] = make([]int, seeds)
	}
	bins := policies.Fleet(n)
	err := Parallel(len(t.published)*seeds, func(i int) error {
		row, run := i/seeds, i%seeds
		held, err := BallsIntoBins{Bins: n, Balls: n}.run(bins, policies.PowerOfD{D: int(t.number(row, 0)), Replacement: true}, NewPython(uint64(run+1)))
		if err != nil {
			return err
		}
		fullest[row][run] = slices.Max(held)
		if run == 0 {
			zeros := 0
			for _, h := range held {
				if h == 0 {
					zeros++
				}
			}
			empty[row] = float64(zeros) / n
		}
		return nil
	})
	var rows [][]any
	for row := range fullest {
		rows = append(rows, []any{fullest[row], empty[row]})
	}
	return rows, err
}
