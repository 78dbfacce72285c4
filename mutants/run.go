package mutants

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say which mutants to run and how. The zero value runs the whole
// catalog of the module that the working directory is in.
type Options struct {
	Dir      string   // in the source tree of this module; empty: the working directory
	IDs      []string // only these mutants
	Families []string // only mutants that predict a property of these families
	Shard    Shard    // only a part of them
	Out      string   // directory for a diff and a log of each mutant, the report and the matrix; empty: none
	Parallel int      // starts of the suite at a time; 0: one for each core
	Thorough bool     // run every check for every mutant, also those that never get to its function
	Progress func(Progress)

	tree *Tree         // instead of Dir
	wait time.Duration // what a start of the suite may take beyond what is usual; 0: patience
}

// A Shard is part I of N, from 1; the zero value is everything.
type Shard struct{ I, N int }

// ParseShard reads "2/4".
func ParseShard(text string) (Shard, error) {
	var s Shard
	var rest string
	if n, _ := fmt.Sscanf(text, "%d/%d%s", &s.I, &s.N, &rest); n != 2 || s.I < 1 || s.I > s.N {
		return Shard{}, fmt.Errorf("shard %q, want I/N with I from 1 to N, such as 2/4", text)
	}
	return s, nil
}

// String is "2/4", empty for everything.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// Progress tells how far a run is.
type Progress struct {
	Doing string        // "build", "baseline" or "mutants"
	Done  int           // mutants
	Total int           // mutants
	Last  *MutantResult // the one that has just been done, if any
}

// A UsageError says what is wrong with the options.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// patience is how long a start of the suite may take, beyond ten times what it
// takes without a mutant. A mutant that makes the suite slower than that is
// taken to hang.
const patience = time.Minute

// Run compiles the suite once, requires it to be green, starts it once for each
// mutant, with the checks that get to the mutated function, and reports. It is an error when there is nothing to report: bad
// options (a *UsageError), stale generated files, a suite that does not build.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	tree, err := o.source()
	if err != nil {
		return nil, err
	}
	chosen, err := o.choose(tree.Catalog)
	if err != nil {
		return nil, err
	}
	o.report("build", 0, len(chosen), nil)
	p, err := tree.plan()
	if err != nil {
		return nil, err
	}
	stale, err := tree.stale(p)
	if err != nil {
		return nil, err
	}
	if len(stale) > 0 {
		return nil, fmt.Errorf("mutants: stale generated files: %s; run go generate ./mutants", strings.Join(stale, ", "))
	}
	work, err := os.MkdirTemp("", "picklaw-mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)

	r := &run{Options: o, tree: tree, plan: p, dir: work}
	report := &Report{Mutants: []MutantResult{}, Summary: Summary{Catalog: len(tree.Catalog), Reasons: tree.Reasons, Shard: o.Shard.String()}}
	building := time.Now()
	if r.suite, err = tree.build(ctx, filepath.Join(work, "suite.test"), "-tags", "mutants"); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("mutants: %w", err)
	}
	report.Summary.BuildSeconds = time.Since(building).Seconds()
	if err := r.baseline(ctx, chosen, report); err != nil {
		return nil, err
	}
	if len(report.Summary.Red) == 0 {
		report.Mutants = r.all(ctx, chosen)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	report.Summary.Seconds = time.Since(start).Seconds()
	report.summarize()
	if o.Out != "" {
		if err := report.Write(o.Out); err != nil {
			return nil, err
		}
	}
	return report, nil
}

func (o Options) source() (Tree, error) {
	if o.tree != nil {
		return *o.tree, nil
	}
	if o.Dir == "" {
		o.Dir = "."
	}
	return Here(o.Dir)
}

// choose selects from the catalog.
func (o Options) choose(catalog []Mutant) ([]Mutant, error) {
	for _, id := range o.IDs {
		if !slices.ContainsFunc(catalog, func(m Mutant) bool { return m.ID == id }) {
			return nil, &UsageError{fmt.Sprintf("no mutant is named %q%s", id, near(id, catalog))}
		}
	}
	families := make(map[string]bool)
	var chosen []Mutant
	for _, m := range catalog {
		wanted := len(o.Families) == 0
		for _, f := range m.Families() {
			families[f] = true
			wanted = wanted || slices.Contains(o.Families, f)
		}
		if wanted && (len(o.IDs) == 0 || slices.Contains(o.IDs, m.ID)) {
			chosen = append(chosen, m)
		}
	}
	for _, f := range o.Families {
		if !families[f] {
			return nil, &UsageError{fmt.Sprintf("no mutant predicts a property of family %q, want one of %s",
				f, strings.Join(slices.Sorted(maps.Keys(families)), ", "))}
		}
	}
	if s := o.Shard; s.N > 0 {
		var part []Mutant
		for k, m := range chosen {
			if k%s.N == s.I-1 {
				part = append(part, m)
			}
		}
		return part, nil
	}
	return chosen, nil
}

// near suggests ids that share a word.
func near(id string, catalog []Mutant) string {
	var similar []string
	for _, m := range catalog {
		if strings.Contains(m.ID, id) || strings.HasPrefix(m.ID, strings.SplitN(id, "_", 2)[0]+"_") {
			similar = append(similar, m.ID)
		}
	}
	if len(similar) == 0 {
		return ""
	}
	return "; near it: " + strings.Join(similar, ", ")
}

func (o Options) report(doing string, done, total int, last *MutantResult) {
	if o.Progress != nil {
		o.Progress(Progress{doing, done, total, last})
	}
}

// run is a run under way.
type run struct {
	Options
	tree     Tree
	plan     *plan
	suite    *suite
	dir      string
	profiles map[string]profile // of the unmutated rules
	exact    map[string]bool    // properties that the exact tier decides on some subject
	reach    reach              // empty: unknown
	limit    time.Duration      // for one start of the suite
}

// baseline requires the unmutated suite to be green: first the exact tier, then
// also every sampled property that a chosen mutant needs.
func (r *run) baseline(ctx context.Context, chosen []Mutant, report *Report) error {
	r.Options.report("baseline", 0, len(chosen), nil)
	if err := r.suite.refusesStrangers(ctx, filepath.Join(r.dir, "stranger.json")); err != nil {
		return err
	}
	if r.wait == 0 {
		r.wait = patience
	}
	const enough = 15 * time.Minute
	s := &report.Summary
	green := func(do order, events string) outcome {
		do.record = !r.Thorough
		o := r.suite.run(ctx, do, enough, filepath.Join(r.dir, events))
		s.Red, s.Properties = green(o)
		if do.record {
			r.reach.note(o)
		}
		return o
	}
	o := green(order{profile: true}, "baseline.json")
	r.exact, r.profiles = make(map[string]bool), o.profiles
	for _, e := range o.events {
		r.exact[e.Result.Name] = r.exact[e.Result.Name] || e.Result.Tier == exact
	}
	var sampled []string
	for _, m := range chosen {
		sampled = append(sampled, r.sampled(m)...)
	}
	if len(sampled) > 0 && len(s.Red) == 0 {
		slices.Sort(sampled)
		o = green(order{sampled: slices.Compact(sampled)}, "sampled.json")
	}
	s.BaselineSeconds = o.seconds
	r.limit = r.wait + time.Duration(10*o.seconds*float64(time.Second))
	return nil
}

// sampled names the properties that a mutant needs besides the exact tier.
func (r *run) sampled(m Mutant) []string {
	if m.Leased {
		return m.Predicts
	}
	return slices.DeleteFunc(slices.Clone(m.Predicts), func(p string) bool { return r.exact[p] })
}

// green tells what is wrong with a run that should be green, and which
// properties it decided.
func green(o outcome) (red, decided []string) {
	if o.fault != nil {
		red = append(red, o.fault.Error())
	}
	properties := make(map[string]bool)
	for _, e := range o.events {
		switch v := e.Result.Verdict; {
		case v == notClaimed:
			continue
		case v == holds, v == violated && e.Result.Pinned != "":
		default:
			red = append(red, fmt.Sprintf("%s on %s: %s: %s", e.Result.Name, e.Subject, v, e.Result.Observed))
		}
		if e.Result.Tier != golden {
			properties[e.Result.Name] = true
		}
	}
	return red, slices.Sorted(maps.Keys(properties))
}

// all runs the mutants, several at a time.
func (r *run) all(ctx context.Context, chosen []Mutant) []MutantResult {
	results := make([]MutantResult, len(chosen))
	workers := r.Parallel
	if workers < 1 {
		workers = runtime.NumCPU()
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, done := 0, 0
	for range min(workers, len(chosen)) {
		wg.Go(func() {
			for {
				mu.Lock()
				k := next
				next++
				mu.Unlock()
				if k >= len(chosen) || ctx.Err() != nil {
					return
				}
				result := r.one(ctx, chosen[k])
				mu.Lock()
				results[k] = result
				done++
				r.Options.report("mutants", done, len(chosen), &result)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return results
}

// one runs one mutant.
func (r *run) one(ctx context.Context, m Mutant) MutantResult {
	h := r.plan.hunks[m.ID]
	s := r.plan.sources[m.File]
	o := outcome{fault: r.plan.failures[m.ID]}
	if o.fault == nil {
		o = r.start(ctx, s, h)
	}
	result := judge(m, o)
	if result.profiled() {
		result.Distances = distances(r.profiles, o.profiles)
	}
	if r.Out != "" {
		if err := keep(r.Out, s.diff(h), result, o); err != nil && result.Status != Broken {
			result.Status, result.Reason = Broken, err.Error()
		}
	}
	return result
}

// start runs the suite for a hunk, in the common build or in one of its own.
func (r *run) start(ctx context.Context, s *source, h hunk) outcome {
	dir := filepath.Join(r.dir, h.ID)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return outcome{fault: err}
	}
	suite, mutant := r.suite, h.ID
	if h.overlaid() {
		var err error
		if suite, err = r.tree.buildOverlaid(ctx, s, h, dir); err != nil {
			return outcome{fault: err}
		}
		mutant = ""
	}
	do := order{mutant: mutant, sampled: r.sampled(h.Mutant), checks: r.reach.of(h), profile: strings.HasPrefix(h.File, "policies/")}
	if do.checks != nil && len(do.checks) == 0 {
		return outcome{output: []byte("no check of the suite calls the function\n")}
	}
	return suite.run(ctx, do, r.limit, filepath.Join(dir, "events.json"))
}
