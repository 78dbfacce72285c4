package opinion

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say what to mutate and how much of it.
type Options struct {
	Dir      string   // of the module
	Packages []string // directories in it; empty: Packages
	// Samples are the parts of the mutations of each file that are run, from 0 to 1,
	// by package; "" stands for those that are not named, and all are run without.
	// Which ones is decided by the seed alone, and a larger part holds the smaller.
	Samples map[string]float64
	Seed    string
	Only    string   // only mutations whose key contains this
	Again   []Status // statuses that are not taken from Results but found anew
	// TestsOnly leaves the suite out, and records kills alone: a quick look at what
	// new tests of a package kill.
	TestsOnly bool
	// ReportOnly runs nothing, and reports on what there is in Results.
	ReportOnly bool
	// Results is a file that has, and gets, a line of JSON for each mutation. One
	// whose function has not changed since is not run again.
	Results  string
	Progress func(doing string, done, total int)

	grace float64 // instead of the usual one
}

// grace is how many seconds of the processor a run may take beyond ten times what
// is usual.
const grace = 2

// Packages are what the second opinion is asked of.
var Packages = []string{"policies", "queue", "oracle"}

// A campaign is a run under way.
type campaign struct {
	Options
	module string // directory of go.mod
	work   string
	rooms  map[string]*room
	all    []Mutation // that there are
	chosen []Mutation // that are to be run
	checks []check
	// leftOut are tests that fail on clones alone: they measure the code, such as
	// what it allocates, and not what it does.
	leftOut []string
	suite   *program
	tests   map[string]*program // of each package
	refused map[int]string
	log     *log
}

func (c *campaign) progress(doing string, done, total int) {
	if c.Progress != nil {
		c.Progress(doing, done, total)
	}
}

// Run mutates, runs what has no result yet, and reports on everything.
func Run(ctx context.Context, o Options) (*Report, error) {
	if len(o.Packages) == 0 {
		o.Packages = Packages
	}
	for dir, part := range o.Samples {
		if !(part > 0 && part <= 1) {
			return nil, fmt.Errorf("opinion: a sample of %v, want a part of the mutations, more than 0 and at most 1", part)
		}
		if dir != "" && !slices.Contains(o.Packages, dir) {
			return nil, fmt.Errorf("opinion: a sample of %q, which is none of %v", dir, o.Packages)
		}
	}
	c := &campaign{Options: o, rooms: make(map[string]*room), tests: make(map[string]*program), refused: make(map[int]string)}
	var err error
	if c.module, err = moduleAround(o.Dir); err != nil {
		return nil, err
	}
	rooms, err := load(c.module, o.Packages)
	if err != nil {
		return nil, err
	}
	for _, r := range rooms {
		c.rooms[r.dir] = r
		c.all = append(c.all, r.mutations()...)
	}
	c.chosen = c.sample()
	if c.log, err = openLog(o.Results); err != nil {
		return nil, err
	}
	defer c.log.close()
	if !o.ReportOnly {
		if err := c.run(ctx); err != nil {
			return nil, err
		}
	}
	return c.report()
}

// moduleAround finds the directory of go.mod, symbolic links resolved as the go
// command has them.
func moduleAround(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("opinion: no go.mod around the working directory; run this in the source tree of picklaw")
		}
		dir = up
	}
}

// rank is a number from 0 to 1 that depends on the seed and the key alone.
func (c *campaign) rank(m Mutation) float64 {
	sum := sha256.Sum256([]byte(c.Seed + "\x00" + m.Key()))
	return float64(binary.BigEndian.Uint64(sum[:])) / math.MaxUint64
}

// part is how much of a package is run.
func (o Options) part(dir string) float64 {
	for _, name := range []string{dir, ""} {
		if part, ok := o.Samples[name]; ok {
			return part
		}
	}
	return 1
}

// sample chooses the first of each file by rank, and puts all in such an order
// that what has been run when a run is stopped is a smaller sample.
func (c *campaign) sample() []Mutation {
	ranks := make(map[string]float64, len(c.all))
	byFile := make(map[string][]Mutation)
	for _, m := range c.all {
		ranks[m.Key()] = c.rank(m)
		byFile[m.File] = append(byFile[m.File], m)
	}
	var chosen []Mutation
	turn := make(map[string]float64) // from 0 to 1, in each file
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		all := byFile[file]
		slices.SortFunc(all, func(a, b Mutation) int { return cmp.Compare(ranks[a.Key()], ranks[b.Key()]) })
		n := int(math.Ceil(c.part(all[0].Package) * float64(len(all))))
		for k, m := range all[:n] {
			turn[m.Key()] = float64(k) / float64(n)
			if strings.Contains(m.Key(), c.Only) {
				chosen = append(chosen, m)
			}
		}
	}
	slices.SortStableFunc(chosen, func(a, b Mutation) int { return cmp.Compare(turn[a.Key()], turn[b.Key()]) })
	return chosen
}

// run runs the chosen mutations that have no result.
func (c *campaign) run(ctx context.Context) error {
	var open []numbered
	for _, m := range c.chosen {
		r, known := c.log.find(c.digest(m), m)
		if !known || slices.Contains(c.Again, r.Status) {
			open = append(open, numbered{m, len(open) + 1})
		}
	}
	if len(open) == 0 {
		return nil
	}
	var err error
	if c.work, err = os.MkdirTemp("", "picklaw-opinion-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.work)
	if err := c.cover(ctx); err != nil {
		return err
	}
	if err := c.build(ctx, open); err != nil {
		return err
	}
	if err := c.baseline(ctx); err != nil {
		return err
	}
	for i, m := range open {
		c.progress("mutations", i, len(open))
		r := c.one(ctx, m)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.TestsOnly && r.Status != Killed {
			continue
		}
		if err := c.log.add(r); err != nil {
			return err
		}
	}
	return nil
}

// digest tells whether a function is what it was.
func (c *campaign) digest(m Mutation) string {
	s := c.rooms[m.Package].source(m.File)
	from, to := span(s.offset, m.decl)
	sum := sha256.Sum256([]byte(s.text[from:to]))
	return fmt.Sprintf("%x", sum[:8])
}

func (r *room) source(file string) *source {
	i := slices.IndexFunc(r.sources, func(s *source) bool { return s.path == file })
	return r.sources[i]
}

// build compiles the suite and the tests of each package with all mutations in.
func (c *campaign) build(ctx context.Context, open []numbered) error {
	c.progress("build", 0, len(open))
	var builds []*build
	for _, dir := range c.Packages {
		r := c.rooms[dir]
		var ours []numbered
		for _, m := range open {
			if m.Package == r.dir {
				ours = append(ours, m)
			}
		}
		b, err := r.compile(ours, len(open))
		if err != nil {
			return err
		}
		for n, why := range b.refused {
			c.refused[n] = why
		}
		builds = append(builds, b)
	}
	overlay, err := writeOverlay(c.module, c.work, builds)
	if err != nil {
		return err
	}
	if !c.TestsOnly {
		if c.suite, err = compileTest(ctx, c.module, suiteRoom, filepath.Join(c.work, "suite.test"), "-overlay", overlay); err != nil {
			return err
		}
	}
	for _, dir := range c.Packages {
		path := filepath.Join(c.work, strings.ReplaceAll(dir, "/", "_")+".test")
		if c.tests[dir], err = compileTest(ctx, c.module, dir, path, "-overlay", overlay); err != nil {
			return err
		}
		v := c.tests[dir].test(ctx, len(open)+1, nil, baselineLimit)
		if !strings.Contains(v.fault+v.how, "no mutation of this build") {
			return fmt.Errorf("opinion: the tests of %s do not ask which mutation to run", dir)
		}
	}
	return nil
}

// baseline requires what runs with mutations to be green without one.
func (c *campaign) baseline(ctx context.Context) error {
	c.progress("baseline", 0, len(c.checks))
	for _, k := range c.checks {
		if k.isSubject() {
			v := c.suite.suite(ctx, 0, []string{k.name}, baselineLimit)
			if v.by != "" || v.fault != "" || v.events[k.name] != k.events {
				return fmt.Errorf("opinion: subject %s is not green with no mutation active: %s %s %s", k.name, v.by, v.how, v.fault)
			}
		}
	}
	for _, dir := range c.Packages {
		v := c.tests[dir].test(ctx, 0, c.tested(dir), baselineLimit)
		if v.timeout || v.how != "" { // how it crashed
			return fmt.Errorf("opinion: the tests of %s do not come to their end with no mutation active: %s %s %s", dir, v.by, v.how, v.fault)
		}
		c.checks = slices.DeleteFunc(c.checks, func(k check) bool {
			if k.room != dir || v.passed[k.name] {
				return false
			}
			c.leftOut = append(c.leftOut, dir+"."+k.name)
			return true
		})
	}
	return ctx.Err()
}

// tested lists the tests of a package.
func (c *campaign) tested(dir string) []string {
	var names []string
	for _, k := range c.checks {
		if k.room == dir {
			names = append(names, k.name)
		}
	}
	return names
}

// quick separates the checks that are tried first.
const quick = 0.1 // seconds of the processor

// one decides one mutation by the checks that run the code that changes: first
// the quick subjects of the suite and the quick tests of the package, then the
// slow ones.
func (c *campaign) one(ctx context.Context, m numbered) Result {
	r := Result{Mutation: m.Mutation, Digest: c.digest(m.Mutation)}
	if why := c.refused[m.number]; why != "" {
		r.Status, r.How = NotViable, why
		return r
	}
	reach := c.reach(m.Mutation)
	covered, fault := false, ""
	for _, slow := range []bool{false, true} {
		for _, room := range []string{suiteRoom, m.Package} {
			var names []string
			var seconds float64
			for _, k := range c.checks {
				if k.room == room && k.seconds > quick == slow && reach(k) {
					names = append(names, k.name)
					seconds += k.seconds
				}
			}
			if len(names) == 0 {
				continue
			}
			covered = true
			var v verdict
			stage := bySuite
			if room == suiteRoom {
				v = c.suite.suite(ctx, m.number, names, patient(seconds, cmp.Or(c.grace, grace)))
			} else {
				stage = byTests
				v = c.tests[room].short(ctx, m.number, names, patient(seconds, cmp.Or(c.grace, grace)))
			}
			r.Seconds += v.seconds
			switch {
			case v.by != "":
				r.Status, r.Stage, r.By, r.How = Killed, stage, v.by, v.how
				return r
			case v.timeout:
				r.Status, r.Stage, r.How = TimedOut, stage, v.fault
				return r
			}
			fault = cmp.Or(fault, v.fault)
		}
	}
	switch {
	case !covered:
		r.Status = NotCovered
	case fault != "":
		r.Status, r.How = Broken, fault
	default:
		r.Status = Survived
	}
	return r
}

// reach tells which checks run the code of a mutation.
func (c *campaign) reach(m Mutation) func(check) bool {
	r := c.rooms[m.Package]
	s := r.source(m.File)
	file := r.path + "/" + filepath.Base(m.File)
	at, from, to := s.position(m.from), s.position(s.offset(m.decl.Pos())), s.position(s.offset(m.decl.End()))
	function := block{from.line, from.column, to.line, to.column}
	return func(k check) bool { return k.covered.reach(file, at.line, at.column, function) }
}

type position struct{ line, column int }

func (s *source) position(offset int) position {
	before := s.text[:offset]
	return position{strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')}
}
