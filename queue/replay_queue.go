package queue

import (
	"fmt"
	"math"
)

// Published is the world of the published queueing experiments with its
// defaults: 100 servers at rho = 0.9, drawn from CPython's stream.
func Published() World {
	return World{Servers: 100, Rho: 0.9, Warmup: 500, Horizon: 2500, Quantiles: true, RNG: Python}
}

// PublishedHerd is the world of the published experiment with many balancers,
// each of which counts its own requests only. On CPython's stream it draws
// everything from one stream, and the work of a request after its pick.
func PublishedHerd(servers int, rho float64, dispatchers int) World {
	return World{Servers: servers, Rate: float64(servers) * rho, Work: Lognormal{-0.36, 0.85}, View: Local, Dispatchers: dispatchers,
		Jobs: 300_000, Skip: 20_000, Quantiles: true, RNG: Python, workAfterPick: true, oneStream: true}
}

// replayed is a world, a policy and the seeds it was published with.
type replayed struct {
	world World
	law   string
	seeds []uint64
}

// summary is what the tables print of the runs over some seeds.
type summary struct {
	runs                       []Result
	mean, lowest, highest      float64 // mean over the seeds, smallest and largest
	p50, p95, p99, p999, share float64 // means over the seeds; share of server 0
	peak                       int     // maximum over the seeds
}

// replayAll runs every case with every seed, on all cores.
func replayAll(cases ...replayed) ([]summary, error) {
	type task struct{ c, s int }
	var tasks []task
	out := make([]summary, len(cases))
	for c := range cases {
		out[c].runs = make([]Result, len(cases[c].seeds))
		for s := range cases[c].seeds {
			tasks = append(tasks, task{c, s})
		}
	}
	err := Parallel(len(tasks), func(i int) error {
		at := tasks[i]
		c := cases[at.c]
		newPolicy, err := ReplayPolicy(c.law)
		if err != nil {
			return err
		}
		out[at.c].runs[at.s], err = Simulate(c.world, newPolicy, c.seeds[at.s])
		return err
	})
	for c := range out {
		out[c].average()
	}
	return out, err
}

func (s *summary) average() {
	s.lowest, s.highest = math.Inf(1), math.Inf(-1)
	n := float64(len(s.runs))
	for _, r := range s.runs {
		s.mean += r.Mean
		s.p50 += r.P50
		s.p99 += r.P99
		s.p999 += r.P999
		if len(r.Times) > 0 {
			s.p95 += Quantiles(r.Times, 0.95)[0]
			s.share += r.Shares[0]
		}
		s.lowest, s.highest = min(s.lowest, r.Mean), max(s.highest, r.Mean)
		s.peak = max(s.peak, r.Peak)
	}
	for _, x := range []*float64{&s.mean, &s.p50, &s.p95, &s.p99, &s.p999, &s.share} {
		*x /= n
	}
}

// replayGrid runs some cases for each row of a table and lets a function say
// what the row prints.
func replayGrid(t Table, cases func(row int) []replayed, print func(row int, s []summary) []any) ([][]any, error) {
	var all []replayed
	var starts []int
	for row := range t.published {
		starts = append(starts, len(all))
		all = append(all, cases(row)...)
	}
	summaries, err := replayAll(all...)
	if err != nil {
		return nil, err
	}
	starts = append(starts, len(all))
	var rows [][]any
	for row := range t.published {
		rows = append(rows, print(row, summaries[starts[row]:starts[row+1]]))
	}
	return rows, nil
}

// lawOf is the spelling of a policy that a table names in its own way.
func lawOf(name string) string {
	law, known := map[string]string{
		"random": "random", "round robin": "round-robin", "round-robin": "round-robin", "shortest": "least-request",
		"least-conn": "least-request", "2 choices": "power-of-d:2", "3 choices": "power-of-d:3", "p2c": "power-of-d:2:replacement",
	}[name]
	if !known {
		panic(fmt.Sprintf("queue: the tables name an unknown policy %q", name))
	}
	return law
}

func tableQ1(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.Servers, w.Rho, w.Warmup, w.Horizon = 50, t.number(row, 0), 1000, 6000
		return []replayed{{w, "random", []uint64{1, 2, 3}}}
	}, func(row int, s []summary) []any {
		rate := 1 - t.number(row, 0) // M/M/1: the time in system is exponential with rate 1-rho
		return []any{s[0].mean, 1 / rate, s[0].p99, math.Log(100) / rate}
	})
}

func tableQ2(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		return []replayed{{Published(), lawOf(t.label(row, 0)), []uint64{1, 2, 3}}}
	}, func(_ int, s []summary) []any {
		return []any{s[0].mean, s[0].lowest, s[0].highest, s[0].p99, s[0].p999, s[0].peak}
	})
}

// tableQ2Limit sums rho^((d^k-d)/(d-1)) over k >= 1, the mean time in system of
// power of d for n to infinity (Mitzenmacher 1996).
func tableQ2Limit(t Table) ([][]any, error) {
	const rho = 0.9
	var rows [][]any
	for row := range t.published {
		d := t.number(row, 0)
		mean, term := 0.0, 1.0
		// The exponents grow by d^k: 0, d, d + d², ...
		for exponent, step := 0.0, d; term > 1e-12; exponent, step = exponent+step, step*d {
			term = math.Pow(rho, exponent)
			mean += term
		}
		rows = append(rows, []any{mean})
	}
	return rows, nil
}

func tableQ3(t Table) ([][]any, error) {
	w := Published()
	w.ProbeEvery = 20
	s, err := replayAll(replayed{w, "random", []uint64{1}}, replayed{w, "power-of-d:2", []uint64{1}})
	if err != nil {
		return nil, err
	}
	tail := func(s summary, k int) float64 {
		if tails := s.runs[0].Tails; k < len(tails) {
			return tails[k]
		}
		return 0
	}
	var rows [][]any
	for row := range t.published {
		k := t.number(row, 0)
		rows = append(rows, []any{tail(s[0], int(k)), math.Pow(w.Rho, k), tail(s[1], int(k)), math.Pow(w.Rho, math.Exp2(k)-1)})
	}
	return rows, nil
}

// meansAndP99s prints two columns for each case.
func meansAndP99s(_ int, s []summary) []any {
	var row []any
	for _, s := range s {
		row = append(row, s.mean, s.p99)
	}
	return row
}

func tableQ4(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		if t.label(row, 0) != "live" {
			w.View, w.Refresh = SharedStale, t.number(row, 0)
		}
		return []replayed{{w, "least-request", []uint64{1, 2}}, {w, "power-of-d:2", []uint64{1, 2}}}
	}, meansAndP99s)
}

func tableQ5(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.View, w.Dispatchers = Local, int(t.number(row, 0))
		return []replayed{{w, "least-request", []uint64{1}}, {w, "power-of-d:2", []uint64{1}}}
	}, meansAndP99s)
}

func tableQ6(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.Servers, w.Rho, w.Warmup, w.Horizon, w.Sick = 10, 0.7, 100, 2000, map[int]float64{0: 0.2}
		return []replayed{{w, lawOf(t.label(row, 0)), []uint64{1, 2, 3}}}
	}, func(_ int, s []summary) []any {
		return []any{s[0].mean, s[0].p99, s[0].peak, s[0].share}
	})
}

func tableQ7(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.Rho, w.Work, w.Metric = 0.8, UnitLognormal(1.2), Metric(t.label(row, 1))
		return []replayed{{w, lawOf(t.label(row, 0)), []uint64{1, 2}}}
	}, meansAndP99s)
}

func tableM1(t Table) ([][]any, error) {
	horizons := []float64{20000, 8000, 2500}
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.Servers, w.Horizon, w.Warmup = int(t.number(row, 0)), horizons[row], horizons[row]/5
		return []replayed{{w, "power-of-d:2", []uint64{1, 2, 3}}, {w, "power-of-d:2:replacement", []uint64{1, 2, 3}}}
	}, func(_ int, s []summary) []any { return []any{s[0].mean, s[1].mean} })
}

func tableM2(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := Published()
		w.Rho = 0.3
		law := map[string]string{"random": "least-request", "lowest index": "lowest-index"}[t.label(row, 0)]
		return []replayed{{w, law, []uint64{1}}}
	}, func(_ int, s []summary) []any {
		r := s[0].runs[0]
		all := 0
		for _, n := range r.Sent {
			all += n
		}
		return []any{float64(r.Sent[0]) / float64(all), float64(r.Sent[99]) / float64(all), s[0].mean, s[0].peak}
	})
}

func tableH1(t Table) ([][]any, error) {
	return replayGrid(t, func(row int) []replayed {
		w := PublishedHerd(16, 0.8, int(t.number(row, 0)))
		return []replayed{{w, lawOf(t.label(row, 1)), []uint64{0, 1, 2, 3, 4}}}
	}, func(_ int, s []summary) []any { return []any{s[0].p50, s[0].p95, s[0].p99} })
}
