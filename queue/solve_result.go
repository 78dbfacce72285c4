package queue

import (
	"sort"

	"github.com/picklaw/picklaw/policies"
)

// A Solution is what Solve found. Rates and times are in units of the mean work
// at speed 1. Lists have one entry for each server; in the sorted form, where
// servers are equal, the entries are equal too.
type Solution struct {
	Servers     int
	Buffer      int     // the buffer solved
	ArrivalRate float64 // of all requests

	MeanTime   float64   // mean time in system of requests that were not lost: their mean number over their rate (Little)
	MeanJobs   float64   // mean requests at a server, averaged over the servers
	Jobs       []float64 // mean requests at each server
	Tails      []float64 // Tails[k] = P(N >= k) averaged over the servers, k = 0 to Buffer
	TailsOf    [][]float64
	IdlePick   float64   // probability that a request is picked to an idle server
	Shares     []float64 // of each server in all requests, those lost there included
	Loss       float64   // probability that a request is lost, at a full server or for want of a pick
	Boundary   float64   // probability flow at the boundary: requests lost at full servers per unit of time
	States     int       // of the chain
	Memories   int       // states of the policy in it
	Form       Form      // Full or Sorted
	Commuting  float64   // Sorted: probability of the states at which the policy was shown to commute with relabelling
	Cycles     int       // of the iteration
	Residual   float64   // sum of |p·Q| as a part of all flows
	Error      float64   // relative error of MeanJobs, as described at Solve
	Bounds     *Bounds   // how far the measures can be from the truth; nil when that is not known, and when Unlimited
	Unlimited  bool      // the buffer stands for an unlimited one
	LastChange float64   // Unlimited: relative change of MeanJobs from the buffer solved before
	Short      float64   // Unlimited: what MeanJobs is estimated to lack, relative

	chain      *chain
	cumulative []float64
}

// solution computes the measures from the stationary law.
func (c *chain) solution(m model) *Solution {
	n, buffer := c.space.n, c.space.buffer
	s := &Solution{
		Servers: n, Buffer: buffer, ArrivalRate: m.lambda, Jobs: make([]float64, n), Shares: make([]float64, n),
		Tails: make([]float64, buffer+1), TailsOf: make([][]float64, n),
		States: len(c.p), Memories: len(c.memories), Form: Full, Residual: c.residual(), chain: c,
	}
	for i := range s.TailsOf {
		s.TailsOf[i] = make([]float64, buffer+1)
	}
	for x, p := range c.p {
		for i, k := range c.vector(x) {
			s.TailsOf[i][k] += p // P(N = k) so far
		}
		for e := c.into[x]; e < c.into[x+1]; e++ {
			if i := int(c.kind[e]) - 1; i >= 0 {
				flow := c.p[c.from[e]] * c.rate[e] / m.lambda
				s.Shares[i] += flow
				if c.vector(x)[i] == 1 {
					s.IdlePick += flow
				}
			}
		}
	}
	for _, t := range c.turned {
		lost := c.p[t.state] * t.rate / m.lambda
		s.Loss += lost
		if t.server != policies.None {
			s.Shares[t.server] += lost
			s.Boundary += lost * m.lambda
		}
	}
	for _, tail := range s.TailsOf {
		for k := buffer - 1; k >= 0; k-- {
			tail[k] += tail[k+1]
		}
	}
	if c.space.sorted {
		s.Form = Sorted
		average(s.Shares)
		for _, v := range c.checked {
			s.Commuting += c.p[v]
		}
	}
	for k := range s.Tails {
		for i := range n {
			s.Tails[k] += s.TailsOf[i][k] / float64(n)
		}
	}
	for i, tail := range s.TailsOf {
		if c.space.sorted {
			copy(tail, s.Tails)
		}
		for _, p := range tail[1:] {
			s.Jobs[i] += p // E[N] = sum of P(N >= k) over k >= 1
		}
		s.MeanJobs += s.Jobs[i] / float64(n)
	}
	if s.Loss < 1 {
		s.MeanTime = s.MeanJobs * float64(n) / (m.lambda * (1 - s.Loss))
	}
	return s
}

func average(list []float64) {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	for i := range list {
		list[i] = sum / float64(len(list))
	}
}

// Each calls yield with the states of positive probability until it returns
// false: how many requests each server holds, the policy with its memory, and
// the probability. In the sorted form a state stands for all orders of its
// servers. The slice is valid until yield returns, and the policy must not be
// changed.
func (s *Solution) Each(yield func(jobs []int, p policies.Policy, probability float64) bool) {
	jobs := make([]int, s.Servers)
	for x, p := range s.chain.p {
		if p == 0 {
			continue
		}
		for i, k := range s.chain.vector(x) {
			jobs[i] = int(k)
		}
		if !yield(jobs, s.chain.memories[x/s.chain.size], p) {
			return
		}
	}
}

// Draw returns a state drawn from the stationary law, with a policy of its own
// when it has a memory: the start of an exactly stationary simulation. It is not
// safe for concurrent use.
func (s *Solution) Draw(stream Stream) (jobs []int, p policies.Policy) {
	if s.cumulative == nil {
		sum := 0.0
		s.cumulative = make([]float64, len(s.chain.p))
		for x, p := range s.chain.p {
			sum += p
			s.cumulative[x] = sum
		}
	}
	last := len(s.cumulative) - 1
	u := stream.Float64() * s.cumulative[last]
	x := sort.Search(last, func(x int) bool { return s.cumulative[x] > u })
	jobs = make([]int, s.Servers)
	for i, k := range s.chain.vector(x) {
		jobs[i] = int(k)
	}
	if s.Form == Sorted { // every order of the servers is as likely as the next
		for i := len(jobs) - 1; i > 0; i-- {
			j := stream.IntN(i + 1)
			jobs[i], jobs[j] = jobs[j], jobs[i]
		}
	}
	p = s.chain.memories[x/s.chain.size]
	if stateful, ok := p.(policies.Stateful); ok {
		p = stateful.Clone()
	}
	return jobs, p
}
