package queue

import (
	"fmt"

	"github.com/picklaw/picklaw/policies"
)

// publishedAlpha is the weight of the newest latency in the published
// estimates, unless a table says otherwise.
const publishedAlpha = 0.2

// tickSeed is the one seed of all the published tick tables.
const tickSeed = 1

// replay runs a policy, and returns the share of the fast backend too.
func (f FastErrors) replay(law string, alpha float64) (TickResult, float64, error) {
	p, err := f.ReplayPolicy(law, alpha)
	if err != nil {
		return TickResult{}, 0, err
	}
	return f.replayWith(p)
}

func (f FastErrors) replayWith(p policies.Policy) (TickResult, float64, error) {
	out, err := f.World().Simulate(p, tickSeed)
	if err != nil {
		return out, 0, err
	}
	return out, out.Shares[f.Fast()], nil
}

// tickLaw is the spelling of a policy that a table names in its own way, over d
// servers (0: all).
func tickLaw(name string, d int) string {
	if name == "least-conn" {
		name = "least-request"
	}
	if d > 0 {
		return fmt.Sprintf("%s:%d", name, d)
	}
	return name
}

// tickRows computes the rows of a table on all cores.
func tickRows(t Table, compute func(row int, f FastErrors) ([]any, error)) ([][]any, error) {
	rows := make([][]any, len(t.published))
	err := Parallel(len(rows), func(row int) (err error) {
		rows[row], err = compute(row, PublishedTicks())
		return err
	})
	return rows, err
}

func tableK1(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		d := 0
		if t.label(row, 1) != "-" {
			d = int(t.number(row, 1))
		}
		got, share, err := f.replay(tickLaw(t.label(row, 0), d), publishedAlpha)
		return []any{got.Requests, got.Sent, got.Goodput, got.P99, got.OkP99, share}, err
	})
}

func tableK2(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.Backends = int(t.number(row, 0))
		p, err := f.ReplayPolicy(tickLaw("peak-ewma", int(t.number(row, 1))), publishedAlpha)
		if err != nil {
			return nil, err
		}
		won, seen := 0, 0
		p.(replayLearner).pick.(*replaySample).tell = func(drawn []int, picked int) {
			if contains(drawn, f.Fast()) {
				seen++
			}
			if picked == f.Fast() {
				won++
			}
		}
		got, share, err := f.replayWith(p)
		return []any{got.Requests, share, won, seen, got.Goodput}, err
	})
}

func tableK3(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.Backends = int(t.number(row, 0))
		got, share, err := f.replay(tickLaw("least-conn", int(t.number(row, 1))), publishedAlpha)
		return []any{got.Requests, share, got.Goodput}, err
	})
}

func tableK4(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.HealthyTicks, f.ErrorTicks = int(t.number(row, 0)), int(t.number(row, 1))
		got, share, err := f.replay("peak-ewma", publishedAlpha)
		return []any{share, got.Goodput}, err
	})
}

func tableK5(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.Backends = int(t.number(row, 0))
		even, evenShare, err := f.replay("round-robin", publishedAlpha)
		if err != nil {
			return nil, err
		}
		peak, peakShare, err := f.replay("peak-ewma", publishedAlpha)
		return []any{evenShare, even.Goodput, peakShare, peak.Goodput}, err
	})
}

func tableK6(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		got, share, err := f.replay("peak-ewma", t.number(row, 0))
		return []any{got.Goodput, share}, err
	})
}

func tableK7(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.Slots = int(t.number(row, 0))
		got, _, err := f.replay("peak-ewma", publishedAlpha)
		return []any{got.Goodput}, err
	})
}

func tableK8(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		for _, w := range t.numbers(row, 0) {
			f.Weights = append(f.Weights, uint64(w))
		}
		got, share, err := f.replay("smooth-weighted", publishedAlpha)
		return []any{got.Goodput, share}, err
	})
}

func tableK9(t Table) ([][]any, error) {
	return tickRows(t, func(row int, f FastErrors) ([]any, error) {
		f.First = t.label(row, 1) == "first"
		_, share, err := f.replay(tickLaw(t.label(row, 0), 0), publishedAlpha)
		return []any{share}, err
	})
}
