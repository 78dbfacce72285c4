package queue

import (
	"fmt"

	"github.com/picklaw/picklaw/policies"
)

// tickReplay is a world of the experiments with latencies and errors: n
// backends of which the last is fast, and broken unless healthy.
type tickReplay struct {
	n, slow, fast, slots int
	policy               string
	d                    int     // servers to compare; 0: all
	alpha                float64 // of the estimates
	first                bool    // the fast backend is the first instead
	tell                 func(drawn []int, picked int)
}

func publishedTicks(policy string, d int) tickReplay {
	return tickReplay{n: 4, slow: 10, fast: 1, slots: 1, policy: policy, d: d, alpha: 0.2}
}

func (r tickReplay) world() (w TickWorld, fast int, prior []float64) {
	fast = r.n - 1
	if r.first {
		fast = 0
	}
	w = TickWorld{Ticks: 20_000, Rate: 0.32, Slots: r.slots, RNG: Python}
	for i := range r.n {
		if i == fast {
			w.Backends = append(w.Backends, Backend{ErrorTicks: r.fast, ErrorRate: 1})
			prior = append(prior, float64(r.fast))
		} else {
			w.Backends = append(w.Backends, Backend{Ticks: r.slow})
			prior = append(prior, float64(r.slow))
		}
	}
	return w, fast, prior
}

func (r tickReplay) newPolicy(prior []float64) policies.Policy {
	switch r.policy {
	case "round-robin":
		return withoutCoins{new(policies.RoundRobin)}
	case "least-conn":
		if r.d > 0 {
			return &replaySample{d: r.d, score: replayLoad}
		}
		return replayScan{replayLoad}
	case "peak-ewma", "ewma-over-success":
		p := newReplayEWMA(r.d, r.alpha, r.policy == "ewma-over-success", prior)
		if r.tell != nil {
			p.Policy = sampled{p.Policy.(*replaySample), r.tell}
		}
		return p
	}
	panic(fmt.Sprintf("queue: the tables name an unknown policy %q", r.policy))
}

// run returns the result and the share of the fast backend.
func (r tickReplay) run() (TickResult, float64, error) {
	w, fast, prior := r.world()
	out, err := w.Simulate(r.newPolicy(prior), 1)
	if err != nil {
		return out, 0, err
	}
	return out, out.Shares[fast], nil
}

// tickRows computes each row of a table on its own core.
func tickRows(t Table, compute func(row int) ([]any, error)) ([][]any, error) {
	rows := make([][]any, len(t.published))
	err := parallel(len(rows), func(row int) (err error) {
		rows[row], err = compute(row)
		return err
	})
	return rows, err
}

func tableK1(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		d := 0
		if t.label(row, 1) != "-" {
			d = int(t.number(row, 1))
		}
		got, share, err := publishedTicks(t.label(row, 0), d).run()
		return []any{got.Requests, got.Sent, got.Goodput, got.P99, got.OkP99, share}, err
	})
}

func tableK2(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks("peak-ewma", int(t.number(row, 1)))
		r.n = int(t.number(row, 0))
		won, seen := 0, 0
		r.tell = func(drawn []int, picked int) {
			if contains(drawn, r.n-1) {
				seen++
			}
			if picked == r.n-1 {
				won++
			}
		}
		got, share, err := r.run()
		return []any{got.Requests, share, won, seen, got.Goodput}, err
	})
}

func tableK3(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks("least-conn", int(t.number(row, 1)))
		r.n = int(t.number(row, 0))
		got, share, err := r.run()
		return []any{got.Requests, share, got.Goodput}, err
	})
}

func tableK4(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks("peak-ewma", 0)
		r.slow, r.fast = int(t.number(row, 0)), int(t.number(row, 1))
		got, share, err := r.run()
		return []any{share, got.Goodput}, err
	})
}

func tableK5(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		var out []any
		for _, policy := range []string{"round-robin", "peak-ewma"} {
			r := publishedTicks(policy, 0)
			r.n = int(t.number(row, 0))
			got, share, err := r.run()
			if err != nil {
				return nil, err
			}
			out = append(out, share, got.Goodput)
		}
		return out, nil
	})
}

func tableK6(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks("peak-ewma", 0)
		r.alpha = t.number(row, 0)
		got, share, err := r.run()
		return []any{got.Goodput, share}, err
	})
}

func tableK7(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks("peak-ewma", 0)
		r.slots = int(t.number(row, 0))
		got, _, err := r.run()
		return []any{got.Goodput}, err
	})
}

func tableK9(t Table) ([][]any, error) {
	return tickRows(t, func(row int) ([]any, error) {
		r := publishedTicks(t.label(row, 0), 0)
		r.first = t.label(row, 1) == "first"
		_, share, err := r.run()
		return []any{share}, err
	})
}
