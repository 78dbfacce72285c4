package main

import (
	"math"
	"math/big"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// An explanation is what a law looks like on a fleet of equal servers. Times are
// in units of the mean service time.
type explanation struct {
	Law      string   `json:"law"`
	N        int      `json:"n"`
	Rho      float64  `json:"rho"`
	Loads    []int    `json:"loads"`
	LawAt    []string `json:"law_at_loads"` // exact
	Requests int      `json:"requests"`     // simulated, after a warm-up
	Seed     uint64   `json:"seed"`

	Shares []float64 `json:"shares"`
	Window window    `json:"window"`
	// Idle is the part of picks that went to an idle server, Ties the mean number
	// of servers that had the fewest requests in flight at a pick.
	Idle float64 `json:"idle_pick_probability"`
	Ties float64 `json:"ties"`

	Mean  float64   `json:"mean_time_in_system"`
	P50   float64   `json:"p50"`
	P99   float64   `json:"p99"`
	Tails []float64 `json:"tails"` // of the simulation: part of the servers with k = 1, 2, ... or more
	// TailsRandom is exact for random picks. TailsLimit is that of the law for a
	// large fleet; nil when it is not known.
	TailsRandom []float64 `json:"tails_random"`
	TailsLimit  []float64 `json:"tails_limit,omitempty"`
	MeanRandom  float64   `json:"mean_time_in_system_random"`
	P99Random   float64   `json:"p99_random"`
}

// A window is how many of some picks in a row a server gets.
type window struct {
	Picks int     `json:"picks"`
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
	Low   int     `json:"p01"`
	High  int     `json:"p99"`
	// SDRandom is exact for random picks: that of a binomial count.
	SDRandom float64 `json:"sd_random"`
}

// looks is what a policy saw, added up.
type looks struct {
	policies.Policy
	picks, idle, ties int
}

func (l *looks) Pick(q policies.Request, v policies.View, c policies.Coins) int {
	i := l.Policy.Pick(q, v, c)
	least, ties := math.Inf(1), 0
	for k := range v.Len() {
		switch load, _ := v.Load(k); {
		case load < least:
			least, ties = load, 1
		case load == least:
			ties++
		}
	}
	l.picks++
	l.ties += ties
	if load, _ := v.Load(i); load == 0 {
		l.idle++
	}
	return i
}

// Update passes the fleet on to a policy that keeps one.
func (l *looks) Update(all []policies.Server) { policies.Join(l.Policy, all) }

// explain simulates Poisson arrivals and exponential work.
func explain(law oracle.Law, newPolicy func() policies.Policy, n int, rho float64, loads []int, seed uint64) (*explanation, error) {
	x := &explanation{Law: law.String(), N: n, Rho: rho, Loads: loads, Seed: seed, Requests: max(200_000, 200*n)}
	state := oracle.State{Loads: make([]float64, len(loads))}
	for i, l := range loads {
		state.Loads[i] = float64(l)
	}
	if err := oracle.Fits(law, min(n, len(loads))); err != nil {
		return nil, err
	}
	p, err := law.Probabilities(state)
	if err != nil {
		return nil, err
	}
	x.LawAt = fractions(p)

	l := &looks{Policy: newPolicy()}
	x.Window.Picks = 10 * n
	counts, tally, seen := []int(nil), make([]int, n), 0
	warmup := x.Requests / 4
	r, err := queue.Simulate(queue.World{
		Servers: n, Rho: rho, Jobs: warmup + x.Requests, Skip: warmup, ProbeEvery: 1 + n/10, Quantiles: true,
		Observe: func(j queue.Job) {
			if j.Number <= warmup {
				return
			}
			tally[j.Server]++
			if seen++; seen == x.Window.Picks {
				counts, tally, seen = append(counts, tally...), make([]int, n), 0
			}
		},
	}, func() policies.Policy { return l }, seed)
	if err != nil {
		return nil, err
	}
	x.Shares, x.Mean, x.P50, x.P99 = r.Shares, r.Mean, r.P50, r.P99
	x.Idle, x.Ties = float64(l.idle)/float64(l.picks), float64(l.ties)/float64(l.picks)
	x.Window.fill(counts, n)
	x.tails(law, r.Tails)
	m := oracle.MM1{Rho: rho}
	x.MeanRandom, x.P99Random = m.MeanTimeInSystem(), m.TimeQuantile(0.99)
	return x, nil
}

// fill describes the counts of all servers in all windows.
func (w *window) fill(counts []int, n int) {
	slices.Sort(counts)
	sum, squares := 0.0, 0.0
	for _, c := range counts {
		sum += float64(c)
		squares += float64(c) * float64(c)
	}
	k := float64(len(counts))
	w.Mean = sum / k
	w.SD = math.Sqrt(max(0, squares/k-w.Mean*w.Mean))
	w.Low, w.High = counts[len(counts)/100], counts[len(counts)-1-len(counts)/100]
	w.SDRandom = math.Sqrt(float64(w.Picks) / float64(n) * (1 - 1/float64(n)))
}

// tails puts the simulated queues beside those of random picks and of a large
// fleet.
func (x *explanation) tails(law oracle.Law, simulated []float64) {
	d := 0
	switch l := law.(type) {
	case oracle.Random:
		d = 1
	case oracle.PowerOfD:
		d = l.D // with a large fleet two draws are hardly ever the same server
	}
	for k := 1; k < min(len(simulated), 9); k++ {
		x.Tails = append(x.Tails, simulated[k])
		x.TailsRandom = append(x.TailsRandom, oracle.MM1{Rho: x.Rho}.Tail(k))
		if d > 0 {
			x.TailsLimit = append(x.TailsLimit, oracle.MeanField{D: d, Rho: x.Rho}.Tail(k))
		}
	}
}

func fractions(p []*big.Rat) []string {
	words := make([]string, len(p))
	for i, q := range p {
		words[i] = q.RatString()
	}
	return words
}
