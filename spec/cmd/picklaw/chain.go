package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/queue"
	"github.com/picklaw/picklaw/spec"
)

// questions are what picklaw oracle can be asked: the entries of package oracle,
// and the Markov chain of package queue, which is no formula but the exact
// performance of the code of a policy.
func questions() []oracle.Entry {
	return append(oracle.Catalog(), chainEntry.Answering(askChain))
}

var chainEntry = oracle.Entry{
	Name:    "chain",
	Doc:     "The exact performance of a policy's code on a small fleet: the Markov chain that its picks generate, solved.",
	Example: "policy=power-of-d:2 n=3 rho=0.9 buffer=20",
	Source:  "the code of the policy, enumerated; stationary law by Gauss-Seidel with aggregation (Koury, McAllister and Stewart 1984)",
	Params: []oracle.Param{
		{Name: "policy", Doc: "the law of the policy, as picklaw list spells it"},
		{Name: "n", Doc: fmt.Sprintf("number of servers, 1 to %d", queue.MaxChainServers)},
		{Name: "rho", Doc: "utilization, positive, below 1 without a buffer"},
		{Name: "speeds", Doc: "work done per unit of time by each server, with commas, or equal", Default: "equal"},
		{Name: "buffer", Doc: "most requests at a server, the one in service included, 1 to 65535; 0 for no limit, as an estimate", Default: "0"},
		{Name: "form", Doc: "auto, full or sorted", Default: "auto"},
		{Name: "tolerance", Doc: "relative error of the mean number of jobs to aim for", Default: "1e-8"},
		{Name: "memory", Doc: "megabytes to use at most; a chain that fills 100 takes up to a minute", Default: "100"},
	},
}

func askChain(a oracle.Arguments) (oracle.Answer, error) {
	spelling := a.Text("policy")
	chain := queue.Chain{
		Servers: a.Integer("n"), Rho: a.Float("rho"), Speeds: a.Floats("speeds", "equal"), Buffer: a.Integer("buffer"),
		Form: queue.Form(a.Text("form")), Tolerance: a.Float("tolerance"),
	}
	memory := a.Integer("memory")
	if a.Err() != nil {
		return oracle.Answer{}, a.Err()
	}
	if memory < 1 || memory > mostMemory {
		return oracle.Answer{}, fmt.Errorf("memory is %d megabytes, want 1 to %d", memory, mostMemory)
	}
	chain.Memory = int64(memory) * 1e6
	newPolicy, err := spec.ParsePolicy(spelling)
	if err != nil {
		return oracle.Answer{}, err
	}
	if err := fits(spelling, chain.Servers); err != nil {
		return oracle.Answer{}, bare(err)
	}
	chain.Policy = newPolicy()
	s, err := queue.Solve(chain)
	if err != nil {
		return oracle.Answer{}, bare(err)
	}
	return chainAnswer(s), nil
}

// mostMemory is the largest bound that can be asked for, in megabytes.
const mostMemory = 1_000_000

// bare takes the name of its package off an error, since Eval puts on that of
// the question.
func bare(err error) error {
	text := strings.TrimPrefix(err.Error(), "queue: ")
	return errors.New(strings.TrimPrefix(text, "oracle: "))
}

// fits refuses a law that compares more distinct servers than there are.
func fits(spelling string, servers int) error {
	if law, err := oracle.ParseLaw(spelling); err == nil && servers > 0 {
		return oracle.Fits(law, servers)
	}
	return nil
}

// chainAnswer puts the bounds that were derived beside the measures, or the word
// estimate where there are none: without a buffer, and for a sorted chain whose
// policy was shown to commute with relabelling on a sample of its states only.
func chainAnswer(s *queue.Solution) oracle.Answer {
	a := oracle.Answer{Error: make(map[string]any)}
	put := func(name string, value any, bound any) {
		a.Values = append(a.Values, oracle.Value{Name: name, Value: value})
		a.Error[name] = bound
	}
	measure := func(name string, value any, bound func(*queue.Bounds) float64) {
		if s.Bounds == nil {
			put(name, value, oracle.Estimate)
		} else {
			put(name, value, bound(s.Bounds))
		}
	}
	measure("mean_time_in_system", s.MeanTime, func(b *queue.Bounds) float64 { return b.MeanTime })
	measure("mean_jobs_per_server", s.MeanJobs, func(b *queue.Bounds) float64 { return b.MeanJobs })
	measure("idle_pick_probability", s.IdlePick, func(b *queue.Bounds) float64 { return b.IdlePick })
	measure("shares", s.Shares, func(b *queue.Bounds) float64 { return slices.Max(b.Shares) })
	measure("tails", s.Tails[1:], func(b *queue.Bounds) float64 { return slices.Max(b.Tails[1:]) })
	measure("loss_probability", s.Loss, func(b *queue.Bounds) float64 { return b.Loss })
	measure("boundary_flow", s.Boundary, func(b *queue.Bounds) float64 { return b.Boundary })
	if s.Bounds == nil {
		// What the word estimate stands for here, of the mean number of jobs.
		put("relative_error_estimate", s.Error, oracle.Estimate)
	}
	// What the solver measured of itself, in floating point.
	put("residual", s.Residual, oracle.Estimate)
	if s.Unlimited {
		put("last_change", s.LastChange, oracle.Estimate)
	}
	put("buffer", s.Buffer, 0.0)
	put("states", s.States, 0.0)
	put("form", string(s.Form), 0.0)
	return a
}
