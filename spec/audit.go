//go:build !mutants

package spec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// An auditor drives one instance of a black box through its public calls, and
// knows what is in flight because it never does anything else.
type auditor struct {
	run    *Run
	picker Picker
	fleet  []Server
	out    []Server  // not eligible, and not in fleet: see narrow
	leases [][]lease // open, of each server

	// history holds the picks so far, as indices; only sequential picks keep it.
	history []int
}

type lease func(Outcome) error

// open builds the subject over a fleet.
func (r *Run) open(f Fleet) *auditor {
	a := &auditor{run: r, fleet: f.Servers, leases: make([][]lease, len(f.Servers))}
	r.try("building the subject", func() {
		p, err := r.build(f)
		if err != nil {
			panic(&fault{Refused, fmt.Sprintf("it could not be built over %d servers: %v", len(f.Servers), err)})
		}
		a.picker = p
		r.keep(p)
	})
	if a.picker == nil {
		panic(&fault{Refused, "its factory returned neither a balancer nor an error"})
	}
	return a
}

// acquire takes one pick and keeps its lease.
func (a *auditor) acquire(q Request) int {
	i, l := a.pick(context.Background(), q)
	a.history = append(a.history, i)
	a.leases[i] = append(a.leases[i], l)
	return i
}

// probe takes one pick and releases it at once.
func (a *auditor) probe(q Request) int {
	i, l := a.pick(context.Background(), q)
	a.history = append(a.history, i)
	a.end(l, Outcome{})
	return i
}

// pick is one pick of the subject, by the index of the server in the fleet.
func (a *auditor) pick(ctx context.Context, q Request) (int, lease) {
	i, l, err := a.tryPick(ctx, q)
	if err != nil {
		panic(&fault{Refused, fmt.Sprintf("with %s it refused a request: %v", a.state(), err)})
	}
	return i, l
}

func (a *auditor) tryPick(ctx context.Context, q Request) (i int, l lease, err error) {
	var id ServerID
	a.run.try("Pick", func() { id, l, err = a.picker.Pick(ctx, q) })
	if err != nil {
		return -1, nil, err
	}
	i = slices.IndexFunc(a.fleet, func(s Server) bool { return s.ID == id })
	switch {
	case i < 0 && containsID(a.out, id):
		panic(&fault{Ineligible, fmt.Sprintf("with %s it picked server %d, whose weight is 0", a.state(), id)})
	case i < 0:
		panic(&fault{UnknownServer, fmt.Sprintf("with %s it picked server %d, which is not in the fleet", a.state(), id)})
	case a.fleet[i].Weight == 0:
		panic(&fault{Ineligible, fmt.Sprintf("with %s it picked %s, whose weight is 0", a.state(), a.fleet[i].Name)})
	case l == nil:
		panic(&fault{Refused, "it returned no way to end the request"})
	}
	return i, l, nil
}

func (a *auditor) end(l lease, o Outcome) {
	var err error
	a.run.try("done", func() { err = l(o) })
	if err != nil {
		panic(&fault{Refused, fmt.Sprintf("with %s it refused to end a request: %v", a.state(), err)})
	}
}

// release ends the oldest request at server i.
func (a *auditor) release(i int, o Outcome) {
	l := a.leases[i][0]
	a.leases[i] = a.leases[i][1:]
	a.end(l, o)
}

// drain ends every request.
func (a *auditor) drain() {
	for i := range a.leases {
		for len(a.leases[i]) > 0 {
			a.release(i, Outcome{})
		}
	}
}

// inFlight is what is open at each server.
func (a *auditor) inFlight() []float64 {
	loads := make([]float64, len(a.leases))
	for i, l := range a.leases {
		loads[i] = float64(len(l))
	}
	return loads
}

// reach brings the subject into a state with the given requests in flight: it
// fills every server up to the largest of them, and then releases down.
func (a *auditor) reach(loads []float64) {
	top := int(slices.Max(loads))
	budget := fillBudget(len(loads), top, smallestShare(a.fleet), a.run.Beta)
	for picks := 0; a.lowest() < top; picks++ {
		if picks == budget {
			panic(&fault{NeverFills, fmt.Sprintf(
				"while it was being filled up to %d requests at every server, %d picks led to %s", top, picks, a.state())})
		}
		a.acquire(Request{})
	}
	for i, load := range loads {
		for len(a.leases[i]) > int(load) {
			a.release(i, Outcome{})
		}
	}
}

// lowest is the number of requests at the server that has the fewest.
func (a *auditor) lowest() int {
	least := math.MaxInt
	for i, l := range a.leases {
		if a.fleet[i].Weight > 0 {
			least = min(least, len(l))
		}
	}
	return least
}

// fillBudget is the number of picks within which n servers hold top requests
// each, except with probability beta, under any law that in every state gives
// at least one of the servers that have fewer a probability of share or more.
//
// Every pick of such a server brings the goal nearer, and n·top of them reach
// it. They are at least Binomial(B, share), whose mean is mu = B·share; by
// Chernoff P(Binomial < n·top) <= exp(-mu/2·(1 - n·top/mu)²), which is at most
// beta for mu = 2·n·top + 8·ln(1/beta).
func fillBudget(n, top int, share, beta float64) int {
	return int(math.Ceil((2*float64(n*top) + 8*math.Log(1/beta)) / share))
}

// smallestShare is the smallest part of the total weight that an eligible
// server has.
func smallestShare(fleet []Server) float64 {
	least, sum := math.Inf(1), 0.0
	for _, s := range fleet {
		if s.Weight > 0 {
			least = min(least, float64(s.Weight))
			sum += float64(s.Weight)
		}
	}
	return least / sum
}

// remembered is as much of the history as a law is shown: a rotation needs its
// last pick, a weighted one its last cycle.
const (
	remembered   = 128
	longestCycle = 1024
)

func (a *auditor) lately() []int {
	memory := 1
	if l := a.run.Claims.Law; l != nil && strings.Contains(family(l), "weighted") {
		memory = remembered
		if cycle := total(a.fleet); cycle.IsInt64() && cycle.Int64() < longestCycle {
			memory = max(memory, int(cycle.Int64()))
		}
	}
	return a.history[max(0, len(a.history)-memory):]
}

// state describes what is in flight.
func (a *auditor) state() string { return describe(a.fleet, a.inFlight()) }

func describe(fleet []Server, loads []float64) string {
	text := fmt.Sprintf("%d servers, in flight", len(loads))
	for _, l := range loads {
		text += fmt.Sprintf(" %v", l)
	}
	if !equalWeights(fleet) {
		text += ", weights"
		for _, s := range fleet {
			text += fmt.Sprintf(" %d", s.Weight)
		}
	}
	return text
}

func equalWeights(fleet []Server) bool {
	return !slices.ContainsFunc(fleet, func(s Server) bool { return s.Weight != fleet[0].Weight })
}
