package oracle

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// RefinedMeanField is the mean field of power of D choices with its correction
// for a fleet of N servers (Gast and Van Houdt 2017): the fraction of servers
// with k or more jobs is
//
//	E s_k = m_k + V_k/N + O(1/N²)
//
// for the fixed point m of the mean field. The correction is an estimate: the
// term O(1/N²) has no known bound, and grows quickly as rho goes to 1. Where the
// corrected tails are no probabilities any more, there is no answer.
type RefinedMeanField struct {
	D           int     // choices, 1 to N, or to 1000 with replacement
	N           int     // servers, at least 1
	Rho         float64 // utilization, at least 0 and at most 1-1e-9
	Replacement bool    // each choice is over the whole fleet again
}

// Validate says which parameter is out of range.
func (r RefinedMeanField) Validate() error {
	if err := validRange("number of servers n", r.N, 1, math.MaxInt32); err != nil {
		return err
	}
	most := 1000
	if !r.Replacement {
		most = min(most, r.N)
	}
	if err := validRange("number of choices d", r.D, 1, most); err != nil {
		return err
	}
	if !(r.Rho >= 0 && r.Rho <= 1-1e-9) {
		return fmt.Errorf("utilization rho is %v, want at least 0 and at most 1-1e-9", r.Rho)
	}
	return nil
}

// Correction lists V_k for k = 1, 2, ..., as far as the tails of the mean field
// matter. With the drift
//
//	f_k(s) = rho·(s_(k-1)^d - s_k^d) - (s_k - s_(k+1)),
//
// its Jacobian A and second derivatives B at the fixed point, and the covariance
// Q of the jumps, W solves A·W + W·Aᵀ + Q = 0 and V solves
//
//	A·V + ½·B·W + C = 0.
//
// C is what the drift of a finite fleet adds at order 1/N: nothing with
// replacement; d distinct servers hold k or more jobs each with probability
// u^d - d(d-1)/(2N)·u^(d-1)(1-u) + O(1/N²) instead of u^d, for u = s_k.
func (r RefinedMeanField) Correction() ([]float64, error) {
	must(r)
	if r.D == 1 || r.Rho == 0 {
		return nil, nil // every server is M/M/1: the mean field is exact
	}
	s := r.levels()
	a := r.jacobian(s)
	w, err := lyapunov(a, jumps(s))
	if err != nil {
		return nil, err
	}
	top, d := len(s)-2, float64(r.D)
	force := mat.NewVecDense(top, nil)
	// Half the second derivative of rho·u^d in the direction of W, and C.
	flow := func(k int) float64 {
		if k < 1 || k > top {
			return 0
		}
		x := r.Rho * d * (d - 1) / 2 * math.Pow(s[k], d-2) * w.At(k-1, k-1)
		if !r.Replacement {
			x -= r.Rho * d * (d - 1) / 2 * math.Pow(s[k], d-1) * (1 - s[k])
		}
		return x
	}
	for k := 1; k <= top; k++ {
		force.SetVec(k-1, -(flow(k-1) - flow(k)))
	}
	v := mat.NewVecDense(top, nil)
	if err := v.SolveVec(a, force); err != nil {
		return nil, fmt.Errorf("correction at rho %v: %w", r.Rho, err)
	}
	return v.RawVector().Data, nil
}

// levels are the tails of the fixed point from level 0 to the first that is
// below 1e-20, and a 0 after it.
func (r RefinedMeanField) levels() []float64 {
	m, s := MeanField{D: r.D, Rho: r.Rho}, []float64{1}
	for s[len(s)-1] >= 1e-20 {
		s = append(s, m.Tail(len(s)))
	}
	return append(s, 0)
}

// jacobian is the tridiagonal matrix of first derivatives of the drift.
func (r RefinedMeanField) jacobian(s []float64) *mat.Dense {
	top, d := len(s)-2, float64(r.D)
	slope := func(k int) float64 { return r.Rho * d * math.Pow(s[k], d-1) }
	a := mat.NewDense(top, top, nil)
	for k := 1; k <= top; k++ {
		a.Set(k-1, k-1, -slope(k)-1)
		if k > 1 {
			a.Set(k-1, k-2, slope(k-1))
		}
		if k < top {
			a.Set(k-1, k, 1)
		}
	}
	return a
}

// jumps is the diagonal of Q: arrivals and departures each move one s_k by 1/N,
// at equal rates s_k - s_(k+1) in the fixed point.
func jumps(s []float64) []float64 {
	q := make([]float64, len(s)-2)
	for i := range q {
		q[i] = 2 * (s[i+1] - s[i+2])
	}
	return q
}

// lyapunov solves A·W + W·Aᵀ + diag(q) = 0 for the symmetric W, one unknown for
// each pair i <= j.
func lyapunov(a *mat.Dense, q []float64) (*mat.SymDense, error) {
	n := len(q)
	index := func(i, j int) int {
		i, j = min(i, j), max(i, j)
		return j*(j+1)/2 + i
	}
	size := n * (n + 1) / 2
	system, right := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	plus := func(row, column int, x float64) { system.Set(row, column, system.At(row, column)+x) }
	for j := range n {
		for i := 0; i <= j; i++ {
			row := index(i, j)
			for k := range n {
				if x := a.At(i, k); x != 0 {
					plus(row, index(k, j), x)
				}
				if x := a.At(j, k); x != 0 {
					plus(row, index(i, k), x)
				}
			}
		}
		right.SetVec(index(j, j), -q[j])
	}
	x := mat.NewVecDense(size, nil)
	if err := x.SolveVec(system, right); err != nil {
		return nil, fmt.Errorf("covariance of %d levels: %w", n, err)
	}
	w := mat.NewSymDense(n, nil)
	for j := range n {
		for i := 0; i <= j; i++ {
			w.SetSym(i, j, x.AtVec(index(i, j)))
		}
	}
	return w, nil
}

// Tails lists the estimates of E s_k for k = 1, 2, ..., as far as they matter. It
// fails when they leave [0, 1] or rise with k: then the fleet is too small for a
// correction of order 1/N.
func (r RefinedMeanField) Tails() ([]float64, error) {
	v, err := r.Correction()
	if err != nil {
		return nil, err
	}
	m, above := MeanField{D: r.D, Rho: r.Rho}, 1.0
	tails := make([]float64, len(v))
	for i, x := range v {
		p := m.Tail(i+1) + x/float64(r.N)
		if p < 0 || p > above {
			return nil, fmt.Errorf("number of servers n is %d, which is too small for a correction of order 1/n at rho %v: the share of servers with %d or more jobs would be %v after %v",
				r.N, r.Rho, i+1, p, above)
		}
		tails[i], above = p, p
	}
	return tails, nil
}

var refinedEntries = []Entry{{
	Name: "refined",
	Doc:  "Power of d choices in a fleet of n servers: the mean field with its correction of order 1/n, an estimate.",
	Params: []Param{
		{Name: "d", Doc: "choices, 1 to n, or to 1000 with replacement"},
		{Name: "n", Doc: "servers, at least 1"},
		{Name: "rho", Doc: "utilization, at least 0 and at most 1-1e-9"},
		{Name: "replacement", Doc: "true when each choice is over the whole fleet again", Default: "false"},
	},
	Example: "d=2 n=10 rho=0.9 replacement=true",
	Source:  "Gast and Van Houdt 2017, A refined mean field approximation",
	eval: func(args *arguments) (a Answer, err error) {
		r := RefinedMeanField{D: args.integer("d"), N: args.integer("n"), Rho: args.float("rho"),
			Replacement: args.boolean("replacement")}
		if err := args.check(r); err != nil {
			return a, err
		}
		tails, err := r.Tails()
		if err != nil {
			return a, err
		}
		m := MeanField{D: r.D, Rho: r.Rho}
		jobs, time, idle := m.MeanJobs(), m.MeanTimeInSystem(), m.IdlePick()
		if tails == nil { // one choice, or no arrivals: nothing to correct
			tails = tailList(m.Tail)
		} else {
			jobs = 0
			for _, p := range slices.Backward(tails) {
				jobs += p
			}
			time = jobs / r.Rho
			// Arrivals at idle servers balance departures that leave a server
			// idle: rho·P(idle pick) = s_1 - s_2, and s_1 = rho in any fleet.
			idle = 1 - tails[1]/r.Rho
		}
		a.put("mean_time_in_system", time, Estimate)
		a.put("mean_jobs_per_server", jobs, Estimate)
		a.put("mean_jobs_in_the_limit", m.MeanJobs(), Limit)
		a.put("idle_pick_probability", idle, Estimate)
		a.put("tails", tailList(func(k int) float64 { return at(tails, k-1) }), Estimate)
		return a, nil
	},
}}
