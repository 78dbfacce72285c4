package oracle

import (
	"errors"
	"fmt"
	"math"
)

// StaleBoard is the limit, as the number of servers grows, of power of D choices
// that compare loads on a board shared by all and refreshed every T (Mitzenmacher
// 2000, the periodic update model): Poisson arrivals of rate Rho for each server,
// exponential work of mean 1, FIFO order. It gives no bound for a finite fleet.
//
// Between two refreshes each server is an independent queue whose arrivals have a
// constant rate that depends on what the board shows for it. The law of loads at
// a refresh must repeat itself after a period: it is a fixed point of one period.
type StaleBoard struct {
	D   int     // choices, 1 to 100
	Rho float64 // utilization, at least 0 and at most 0.99
	T   float64 // time between refreshes, 0.01 to 500/D
}

// Validate says which parameter is out of range.
func (b StaleBoard) Validate() error {
	if err := validRange("number of choices d", b.D, 1, 100); err != nil {
		return err
	}
	if !(b.Rho >= 0 && b.Rho <= 0.99) {
		return fmt.Errorf("utilization rho is %v, want at least 0 and at most 0.99", b.Rho)
	}
	if most := 500 / float64(b.D); !(b.T >= 0.01 && b.T <= most) {
		return fmt.Errorf("time between refreshes t is %v, want 0.01 to %v with %d choices", b.T, most, b.D)
	}
	return nil
}

// A StaleLaw is the periodic regime of a StaleBoard.
type StaleLaw struct {
	Board []float64 // share of servers with j jobs at a refresh
	Jobs  []float64 // share of servers with j jobs, averaged over a period
	Found []float64 // probability that a job finds j others at its server
	// Change is how much the board moved in the last period computed, summed
	// over j; Periods is how many were.
	Change  float64
	Periods int

	steps int // of the uniformization, in the last period
}

const (
	stalePeriods = 200_000 // periods until the search is given up
	staleSteps   = 1 << 31 // steps until then, each one level of one queue at one event: about 6 seconds
	staleChange  = 1e-12   // change of a board that counts as none
	staleTop     = 1e-13   // probability at the last level that asks for more levels
)

// costly is the error of a board that takes too long.
func (b StaleBoard) costly(most, periods int, change float64, steps int) error {
	return fmt.Errorf("the board takes more than the %.2g steps allowed to repeat itself: with d = %d, rho = %v, t = %v a period takes %.2g, and after %d periods "+
		"the board still moves by %.2g; fewer choices, a lower rho, or a t closer to 1 take less", float64(most), b.D, b.Rho, b.T, float64(steps), periods, change)
}

// hopeless tells from the last changes of the board that the periods still needed
// would take more than the steps left: they shrink by no less than the best of
// ten contractions, which is the most that a sum of decaying modes will ever do
// again once the fast ones are gone, and allows for the slow ones to lie ahead.
func hopeless(changes []float64, left int, steps int) bool {
	const seen = 20
	n := len(changes)
	if n <= seen {
		return false
	}
	best := 1.0
	for k := n - seen/2; k < n; k++ {
		best = min(best, changes[k]/changes[k-1])
	}
	if best >= 1 {
		return false // no trend to judge by
	}
	return math.Log(staleChange/changes[n-1])/math.Log(best) > float64(left)/float64(steps)
}

// Solve iterates periods until the board repeats itself. It fails when that takes
// more than staleSteps, and as soon as that can be foreseen.
func (b StaleBoard) Solve() (StaleLaw, error) { return b.solve(staleSteps) }

func (b StaleBoard) solve(most int) (StaleLaw, error) {
	must(b)
	m := MeanField{D: b.D, Rho: b.Rho}
	board := make([]float64, 32)
	for j := range board {
		board[j] = m.Tail(j) - m.Tail(j+1)
	}
	left := most
	var changes []float64
	for period := 1; period <= stalePeriods; period++ {
		law := b.period(board)
		left -= law.steps
		next := law.Board
		if next[len(next)-1] > staleTop || law.Jobs[len(next)-1] > staleTop {
			if len(board) >= 4096 {
				return StaleLaw{}, errors.New("queues exceed 4096 jobs")
			}
			if left < 10*law.steps { // no board repeats itself in fewer periods
				return StaleLaw{}, b.costly(most, period, law.Change, law.steps)
			}
			board, changes = append(board, make([]float64, len(board))...), nil
			continue
		}
		// Rounding and the last level lose a little; what is left is a law.
		whole := 0.0
		for _, p := range next {
			whole += p
		}
		for j, p := range next {
			next[j] = p / whole
			law.Change += math.Abs(next[j] - board[j])
		}
		if law.Change < staleChange {
			law.Periods = period
			return law, nil
		}
		if changes = append(changes, law.Change); left < law.steps || hopeless(changes, left, law.steps) {
			return StaleLaw{}, b.costly(most, period, law.Change, law.steps)
		}
		board = next
	}
	return StaleLaw{}, fmt.Errorf("the board does not repeat itself within %d periods of t = %v", stalePeriods, b.T)
}

// arrivals is the rate of arrivals at a server that the board shows with j jobs,
// when it shows j or more for a share x of the servers and more for a share y:
//
//	rho·(x^d - y^d)/(x - y) = rho·(x^(d-1) + x^(d-2)·y + ... + y^(d-1)).
func (b StaleBoard) arrivals(x, y float64) float64 {
	sum, power := 0.0, 1.0 // power = x^i, and y^(d-1-i) comes from Horner's rule
	for range b.D {
		sum = sum*y + power
		power *= x
	}
	return b.Rho * sum
}

// period runs one period from a board. Its Board is that at the end.
func (b StaleBoard) period(board []float64) StaleLaw {
	n := len(board)
	law := StaleLaw{Board: make([]float64, n), Jobs: make([]float64, n), Found: make([]float64, n)}
	above := 0.0
	for j := n - 1; j >= 0; j-- {
		atLeast := above + board[j]
		if board[j] > 0 {
			rate := b.arrivals(atLeast, above)
			end, mean, steps := transient(j, n, rate, b.T)
			law.steps += steps + 10*n // the sums below, and room for the laws
			for k := range n {
				law.Board[k] += board[j] * end[k]
				law.Jobs[k] += board[j] * mean[k]
				law.Found[k] += board[j] * rate / b.Rho * mean[k]
			}
		}
		above = atLeast
	}
	return law
}

// transient is the law, after a time t and averaged over that time, of a queue
// with the given rate of arrivals and service rate 1 that starts with some jobs
// and has room for levels-1. By uniformization, with the Poisson number K of
// events of rate (arrivals + 1) and the chain after k of them,
//
//	end = sum over k of P(K = k)·p_k,  mean = sum over k of P(K > k)·p_k/((arrivals+1)·t).
//
// The steps are what it cost: the levels in play, added up over the events.
func transient(start, levels int, arrivals, t float64) (end, mean []float64, steps int) {
	total := arrivals + 1
	up, down := arrivals/total, 1/total
	p, next := make([]float64, levels), make([]float64, levels)
	end, mean = make([]float64, levels), make([]float64, levels)
	p[start] = 1
	low, high := start, start // what p can reach so far
	expected := total * t
	logTerm, more := -expected, 1.0 // ln P(K = k) and P(K > k), once k is counted
	for k := 0; ; k++ {
		term := math.Exp(logTerm)
		more -= term
		if float64(k) > expected && (more < 1e-17 || term < 1e-18) {
			return end, mean, steps
		}
		steps += high - low + 1
		for j := low; j <= high; j++ {
			end[j] += term * p[j]
			mean[j] += max(more, 0) / expected * p[j]
		}
		clear(next[max(low-1, 0):min(high+2, levels)])
		for j := low; j <= high; j++ {
			if j+1 < levels {
				next[j+1] += up * p[j]
			} else {
				next[j] += up * p[j]
			}
			next[max(j-1, 0)] += down * p[j]
		}
		p, next = next, p
		low, high = max(low-1, 0), min(high+1, levels-1)
		logTerm += math.Log(expected / float64(k+1))
	}
}

var staleEntries = []Entry{{
	Name: "stale",
	Doc:  "Power of d choices on a shared board of loads that is refreshed every t, in the limit of many servers.",
	Params: []Param{
		{Name: "d", Doc: "choices, 1 to 100"},
		{Name: "rho", Doc: "utilization, at least 0 and at most 0.99"},
		{Name: "t", Doc: "time between refreshes in mean service times, 0.01 to 500/d"},
	},
	Example: "d=2 rho=0.9 t=1",
	Source:  "Mitzenmacher 2000, How useful is old information? (periodic update)",
	eval: func(args *arguments) (a Answer, err error) {
		b := StaleBoard{D: args.integer("d"), Rho: args.float("rho"), T: args.float("t")}
		if err := args.check(b); err != nil {
			return a, err
		}
		if b.D == 1 || b.Rho == 0 { // the board does not matter
			return MeanField{D: 1, Rho: b.Rho}.answer(), nil
		}
		law, err := b.Solve()
		if err != nil {
			return a, err
		}
		tails, found := tailsOf(law.Jobs), tailsOf(law.Found)
		jobs := meanOfTails(tails)
		a.put("mean_time_in_system", jobs/b.Rho, Limit)
		a.put("mean_jobs_per_server", jobs, Limit)
		a.put("idle_pick_probability", law.Found[0], Limit)
		for _, q := range percentiles {
			tail := func(t float64) float64 { return erlangMixture(t, found) }
			a.put(q.name, quantile(tail, q.p), Limit)
		}
		a.put("tails", tailList(func(k int) float64 { return at(tails, k) }), Limit)
		a.put("last_change_of_the_board", law.Change, Estimate)
		return a, nil
	},
}}

// tailsOf lists the probabilities of k or more for k = 0, 1, ....
func tailsOf(law []float64) []float64 {
	tails, sum := make([]float64, len(law)), 0.0
	for k := len(law) - 1; k >= 0; k-- {
		sum += law[k]
		tails[k] = sum
	}
	return tails
}
