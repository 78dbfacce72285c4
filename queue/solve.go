package queue

import (
	"errors"
	"fmt"
	"math"

	"github.com/picklaw/picklaw/policies"
)

// A Form is a way to number the states of a chain.
type Form string

const (
	// Auto is Full up to half a million states, and beyond that Sorted where it
	// is allowed; the default.
	Auto Form = "auto"
	// Full numbers every vector of jobs and assumes nothing.
	Full Form = "full"
	// Sorted numbers the vectors up to the order of the servers. It needs equal
	// servers and a policy without memory that commutes with relabelling. That is
	// shown at the vectors of fewest jobs and at some of all others; Commuting in
	// the solution says how much of the time the chain spends there.
	Sorted Form = "sorted"
)

// autoFull is the size up to which Auto takes the full form.
const autoFull = 1 << 19

// A Chain is a small fleet that Solve knows everything about: a closed loop of
// the code of a policy and a queueing system.
//
// Requests arrive in a Poisson process of rate Rho times the sum of the speeds,
// each with exponential work of mean 1. Server i works at Speeds[i] on one
// request at a time. The policy sees how many requests each server holds, at
// this very moment; its clock stands at 0. A request picked to a server that
// holds Buffer requests already, or to none, is lost. This is the World
// {Servers, Speeds, Weights, Rho, Capacity: Buffer} of Simulate.
type Chain struct {
	// Policy is in the state that it starts from. A Stateful policy is cloned
	// and needs finitely many states; a Member is told the fleet. A Learner is
	// refused: what it learns from latencies has no finite description.
	Policy  policies.Policy
	Request policies.Request // the same for every pick
	Servers int              // how many, 1 to MaxChainServers
	Speeds  []float64        // nil: 1 each
	Weights []uint64         // what the policy is told; nil: 1 each
	Rho     float64          // positive; below 1 when Buffer is 0
	// Buffer is the most requests that a server holds, the one in service
	// included. With 0 there is no limit, and the answer is an estimate: that of
	// a finite buffer large enough for the remaining difference to be estimated
	// below Tolerance.
	Buffer    int     // at most 65535
	Form      Form    // "": Auto
	Tolerance float64 // relative error of MeanJobs to aim for; 0: 1e-8
	Memory    int64   // bytes to use at most; 0: DefaultMemory
	Options   []Option
}

// DefaultMemory bounds the memory of Solve unless Chain.Memory does.
const DefaultMemory = 1 << 30

const defaultTolerance = 1e-8

// Solve computes the stationary law of a chain and what follows from it. The
// transitions are the picks of the policy's own code, enumerated at every vector
// of jobs and in every state that the policy comes to.
//
// How far the measures can be from those of the chain that was built is derived
// after the fact, from what the law found lacks of being stationary. With a buffer
// that is what Bounds and Error say, unless the chain is not sure to be that of
// the policy: a law cut short by MaxDepth or MinMass, or a sorted form in which
// only a sample of the states was examined. Then there are no Bounds, and Error
// holds only if the chain is that of the policy. Without a buffer, Error adds what
// MeanJobs is estimated to gain from larger ones, and is an estimate.
//
// Its errors are those of Enumerate, *TooLarge, *NotSymmetric, and such as name
// the field that is out of range.
func Solve(c Chain) (*Solution, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	if c.Buffer == 0 {
		return m.unlimited()
	}
	s, err := m.solve(c.Buffer)
	if err != nil {
		return nil, err
	}
	return m.certified(s)
}

// useless is the relative error from which on an answer is none.
const useless = 0.01

// sharpen is how many more cycles are taken when a bound is too wide.
const sharpen = 20

// certified derives how far the solution can be from that of its chain, and
// sharpens it when that is more than the tolerance. It fails when that comes to
// nothing: an estimate that is known to be unfounded is no answer.
func (m model) certified(s *Solution) (*Solution, error) {
	c := s.chain
	for again := 0; ; again++ {
		s.Bounds = c.certify(m, s)
		if s.Bounds == nil {
			return nil, errors.New("queue: no convergence: no bound on the error can be derived; " +
				"want rates that differ by less, a smaller buffer, or a lower rho")
		}
		if s.Error = 0; s.MeanJobs > 0 {
			s.Error = s.Bounds.MeanJobs / s.MeanJobs
		}
		if s.Error <= m.tolerance || again == 2 {
			break
		}
		for k := range sharpen {
			c.aggregate(k%(c.space.n+1) - 1)
			c.cycle()
		}
		sharper := c.solution(m)
		sharper.Cycles = s.Cycles + sharpen
		s = sharper
	}
	if s.Error > useless {
		return nil, fmt.Errorf("queue: no convergence: the mean number of jobs is only known to within a part of %.3g; "+
			"want rates that differ by less, a smaller buffer, or a lower rho", s.Error)
	}
	if !c.whole() {
		s.Bounds = nil // they are those of the chain
	}
	return s, nil
}

// symmetric fails when the servers themselves are not equal.
func (m model) symmetric() error {
	for i := range m.servers {
		if m.speeds[i] != m.speeds[0] {
			return &NotSymmetric{Unequal: "speeds"}
		}
		if m.servers[i].Weight != m.servers[0].Weight {
			return &NotSymmetric{Unequal: "weights"}
		}
	}
	return nil
}

// chain builds the chain in the form asked for, or in the one that suits.
func (m model) chain(buffer int) (*chain, error) {
	if m.form != Sorted && (m.form == Full || sizeOf(len(m.speeds), buffer, false) <= autoFull) {
		return m.build(buffer, false)
	}
	err := m.symmetric()
	if err == nil {
		var c *chain
		if c, err = m.build(buffer, true); err == nil {
			return c, nil
		}
	}
	var reason *NotSymmetric
	if m.form == Sorted || !errors.As(err, &reason) {
		return nil, err
	}
	c, err := m.build(buffer, false)
	var large *TooLarge
	if errors.As(err, &large) {
		large.Reason = reason
	}
	return c, err
}

// solve solves the chain with a buffer.
func (m model) solve(buffer int) (*Solution, error) {
	c, err := m.chain(buffer)
	if err != nil {
		return nil, err
	}
	start := 0
	if len(c.memories) > 1 {
		if start, err = c.recurrent(); err != nil {
			return nil, err
		}
	}
	c.start(start)
	cycles, wrong, err := c.iterate(m.tolerance / 10)
	if err != nil {
		return nil, err
	}
	s := c.solution(m)
	s.Cycles, s.Error = cycles, wrong
	return s, nil
}

// maxCycles is far beyond what any chain has needed: about 40 for a fleet
// without memory, 100 for a rotation. A large chain gets as many as take about a
// minute: a cycle costs about 40 ns for each transition of the hierarchy.
const (
	maxCycles = 1000
	maxVisits = 1.5e9
)

// cycles is how many cycles the chain may take.
func (c *chain) cycles() int {
	// The next coarser grid has a part of 2^-n of the states and is visited twice.
	visits, part, times := 0.0, 1.0, math.Pow(2, 1-float64(c.space.n))
	for b := c.space.buffer; b > 0; b /= 2 {
		visits += part * float64(len(c.from))
		part *= times
	}
	return int(min(maxCycles, max(100, maxVisits/max(visits, 1))))
}

// iterate runs cycles until the mean number of jobs is estimated to be within
// tolerance of its limit. The estimate adds up the changes still to come as a
// geometric series, with the slowest contraction of the last few cycles.
func (c *chain) iterate(tolerance float64) (cycles int, wrong float64, err error) {
	jobs, changes := c.jobs(), []float64{math.Inf(1)}
	limit := c.cycles()
	for cycles = 1; cycles <= limit; cycles++ {
		c.aggregate(cycles%(c.space.n+1) - 1)
		c.cycle()
		before := jobs
		jobs = c.jobs()
		changes = append(changes, math.Abs(jobs-before))
		wrong = remaining(changes, c.space.n+3) / jobs
		if jobs == 0 { // a policy that never picks
			wrong = 0
		}
		if math.IsNaN(wrong) || math.IsInf(jobs, 0) {
			return cycles, wrong, errors.New("queue: no convergence: the probabilities leave the range of double precision; " +
				"want rates that differ by less, or a smaller buffer")
		}
		if cycles >= 5 && wrong <= tolerance {
			return cycles, wrong, nil
		}
	}
	return cycles, wrong, fmt.Errorf("queue: no convergence within %d cycles: the mean number of jobs is still off by a factor of about 1 + %.3g; "+
		"want rates that differ by less, a smaller buffer, or a larger tolerance", limit, wrong)
}

// remaining estimates how far a sequence is from its limit, from the list of its
// changes: the last change times q/(1-q), where q is the slowest of the recent
// contractions.
func remaining(changes []float64, recent int) float64 {
	last := changes[len(changes)-1]
	q := 0.0
	for i := max(1, len(changes)-recent); i < len(changes); i++ {
		if changes[i] > 0 {
			q = max(q, changes[i]/changes[i-1])
		}
	}
	if q >= 1 {
		return last * float64(len(changes)) // not contracting: no better than that
	}
	return last * q / (1 - q)
}
