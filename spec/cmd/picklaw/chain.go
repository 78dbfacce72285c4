package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/queue"
	"github.com/picklaw/picklaw/spec"
)

// A question is something that picklaw oracle can be asked: the entries of
// package oracle, and the Markov chain of package queue, which is no formula but
// the exact performance of the code of a policy.
type question struct {
	oracle.Entry
	eval func(map[string]string) (oracle.Answer, error)
}

func questions() []question {
	var all []question
	for _, e := range oracle.Catalog() {
		all = append(all, question{e, e.Eval})
	}
	return append(all, question{chainEntry, askChain})
}

func lookup(name string) (question, error) {
	for _, q := range questions() {
		if q.Name == name {
			return q, nil
		}
	}
	var names []string
	for _, q := range questions() {
		names = append(names, q.Name)
	}
	return question{}, fmt.Errorf("there is no oracle %q, want one of %s", name, strings.Join(names, ", "))
}

var chainEntry = oracle.Entry{
	Name:    "chain",
	Doc:     "The exact performance of a policy's code on a small fleet: the Markov chain that its picks generate, solved.",
	Example: "policy=power-of-d:2 n=3 rho=0.9 buffer=20",
	Source:  "the code of the policy, enumerated; stationary law by Gauss-Seidel with aggregation (Koury, McAllister and Stewart 1984)",
	Params: []oracle.Param{
		{Name: "policy", Doc: "the law of the policy, as picklaw list spells it"},
		{Name: "n", Doc: "number of servers, at least 1"},
		{Name: "rho", Doc: "utilization, positive, below 1 without a buffer"},
		{Name: "speeds", Doc: "work done per unit of time by each server, with commas", Default: "1 each"},
		{Name: "buffer", Doc: "most requests at a server, the one in service included; 0 for no limit, as an estimate", Default: "0"},
		{Name: "form", Doc: "auto, full or sorted", Default: "auto"},
		{Name: "tolerance", Doc: "relative error of the mean number of jobs to aim for", Default: "1e-8"},
	},
}

func askChain(params map[string]string) (oracle.Answer, error) {
	none := oracle.Answer{}
	known := make(map[string]bool)
	for _, p := range chainEntry.Params {
		known[p.Name] = true
	}
	for name := range params {
		if !known[name] {
			return none, fmt.Errorf("chain has no parameter %q, want %s", name, chainEntry.Example)
		}
	}
	r := chainReader{params: params, understood: make(map[string]any)}
	chain := queue.Chain{
		Servers: int(r.number("n", "a whole number", func(s string) (float64, error) {
			n, err := strconv.Atoi(s)
			return float64(n), err
		})),
		Rho: r.float("rho"),
	}
	if _, given := params["buffer"]; given {
		chain.Buffer = int(r.number("buffer", "a whole number, 0 or more", func(s string) (float64, error) {
			n, err := strconv.ParseUint(s, 10, 16)
			return float64(n), err
		}))
	}
	if _, given := params["tolerance"]; given {
		chain.Tolerance = r.float("tolerance")
	}
	if text, given := params["speeds"]; given {
		for _, word := range strings.Split(text, ",") {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return none, fmt.Errorf("chain: speeds has %q, want numbers with commas, such as 1,1,0.5", word)
			}
			chain.Speeds = append(chain.Speeds, v)
		}
		r.understood["speeds"] = chain.Speeds
	}
	if form, given := params["form"]; given {
		chain.Form = queue.Form(form)
		r.understood["form"] = form
	}
	spelling, given := params["policy"]
	if !given {
		return none, fmt.Errorf("chain needs policy=..., such as policy=power-of-d:2")
	}
	newPolicy, err := spec.ParsePolicy(spelling)
	if err == nil {
		err = r.err
	}
	if err == nil {
		err = fits(spelling, chain.Servers)
	}
	if err != nil {
		return none, err
	}
	r.understood["policy"] = spelling
	chain.Policy = newPolicy()
	s, err := queue.Solve(chain)
	if err != nil {
		return none, err
	}
	return chainAnswer(s, r.understood), nil
}

// fits refuses a law that compares more distinct servers than there are.
func fits(spelling string, servers int) error {
	if law, err := oracle.ParseLaw(spelling); err == nil && servers > 0 {
		return oracle.Fits(law, servers)
	}
	return nil
}

func chainAnswer(s *queue.Solution, params map[string]any) oracle.Answer {
	a := oracle.Answer{Oracle: "chain", Params: params, Source: chainEntry.Source, Error: make(map[string]any)}
	put := func(name string, value any, bound any) {
		a.Values = append(a.Values, oracle.Value{Name: name, Value: value})
		a.Error[name] = bound
	}
	put("mean_time_in_system", s.MeanTime, oracle.Estimate)
	put("mean_jobs_per_server", s.MeanJobs, oracle.Estimate)
	put("idle_pick_probability", s.IdlePick, oracle.Estimate)
	put("shares", s.Shares, oracle.Estimate)
	put("tails", s.Tails[1:], oracle.Estimate)
	put("loss_probability", s.Loss, oracle.Estimate)
	// What the word estimate stands for here.
	put("relative_error_estimate", s.Error, oracle.Estimate)
	put("residual", s.Residual, 0.0)
	put("boundary_flow", s.Boundary, oracle.Estimate)
	if s.Unlimited {
		put("last_change", s.LastChange, 0.0)
	}
	put("buffer", s.Buffer, 0.0)
	put("states", s.States, 0.0)
	put("form", string(s.Form), 0.0)
	return a
}

// chainReader reads parameters and remembers the first that is wrong.
type chainReader struct {
	params     map[string]string
	understood map[string]any
	err        error
}

func (r *chainReader) float(name string) float64 {
	return r.number(name, "a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

func (r *chainReader) number(name, want string, parse func(string) (float64, error)) float64 {
	text, given := r.params[name]
	x, err := parse(text)
	switch {
	case r.err != nil:
	case !given:
		r.err = fmt.Errorf("chain needs %s=..., %s", name, want)
	case err != nil:
		r.err = fmt.Errorf("chain: %s is %q, want %s", name, text, want)
	}
	r.understood[name] = x
	return x
}
