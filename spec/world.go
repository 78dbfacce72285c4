package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// engines are the suite's own parts as subjects: the simulator, and the judge.
func engines() []Subject {
	return []Subject{
		{Name: "simulator", Doc: "the worlds of package queue, path by path",
			Claims: []Option{func(c *config) { c.claims.world = true }}},
		{Name: "judge", Doc: "the evidence of package oracle",
			Claims: []Option{func(c *config) { c.claims.judge = true }}},
	}
}

// worldProperties bind the simulator. They hold on every path, so no tolerance
// is involved: times are dyadic and add up without rounding.
var worldProperties = []*Property{
	{
		Name: "queueing/first-come-first-served", Level: Must,
		Sentence: "A job starts when it arrives or when the one before it at that server finishes, whichever is later.",
		Source:   "Lindley 1952",
		Applies:  isWorld, Exact: exactLindley,
	},
	{
		Name: "queueing/in-system", Level: Must,
		Sentence: "A job is in the system from its arrival until just before its finish; that is what a fresh view shows.",
		Source:   "definition",
		Applies:  isWorld, Exact: exactInSystem,
	},
	{
		Name: "queueing/littles-law", Level: Must,
		Sentence: "From empty to empty, the times in system add up to the integral of the number in system.",
		Source:   "Little 1961, on a sample path: Stidham 1974",
		Applies:  isWorld, Exact: exactLittle,
	},
}

func isWorld(c *Claims) bool { return c.world }

// A path is one trajectory of a world with dyadic times: what every request met
// and what every view showed.
type path struct {
	world queue.World
	jobs  []queue.Job
	seen  [][]float64 // the loads that the policy saw, before each pick
}

// dyadicPaths runs policies over drawn arrivals and work that are multiples of
// 1/16, on speeds that are powers of two: every sum is exact in float64.
func dyadicPaths(r *Run) []path {
	random := rand.New(rand.NewPCG(r.Seed, 1))
	var paths []path
	for k := range 40 {
		n := 1 + k%7
		w := queue.World{Servers: n, Jobs: 400}
		var times queue.RecordedArrivals
		var work queue.RecordedWork
		now := 0.0
		for range w.Jobs {
			if random.IntN(3) > 0 { // otherwise at the same instant
				now += float64(random.IntN(1+24/n)) / 16
			}
			times = append(times, now)
			work = append(work, float64(random.IntN(40))/16)
		}
		work[0] = 1 // a mean must be positive
		w.Arrivals, w.Work = times, work
		for range n {
			w.Speeds = append(w.Speeds, math.Ldexp(1, random.IntN(3)-1))
		}
		p := path{world: w}
		p.world.Observe = func(j queue.Job) { p.jobs = append(p.jobs, j) }
		watch := &watcher{seen: &p.seen, rest: []policies.Policy{
			policies.Random{}, policies.LeastRequest{}, policies.PowerOfD{D: 2}}[k%3]}
		r.try("Simulate", func() {
			if _, err := queue.Simulate(p.world, func() policies.Policy { return watch }, r.Seed+uint64(k)); err != nil {
				panic(fmt.Sprintf("spec: a world was refused: %v", err))
			}
		})
		paths = append(paths, p)
	}
	return paths
}

// A watcher writes down what it sees and lets another policy pick.
type watcher struct {
	seen *[][]float64
	rest policies.Policy
}

func (w *watcher) Pick(q Request, v policies.View, c policies.Coins) int {
	loads := make([]float64, v.Len())
	for i := range loads {
		loads[i], _ = v.Load(i)
	}
	*w.seen = append(*w.seen, loads)
	return w.rest.Pick(q, v, c)
}

func exactLindley(r *Run) Result {
	jobs := 0
	for _, p := range dyadicPaths(r) {
		free := make([]float64, p.world.Servers)
		for _, j := range p.jobs {
			start := max(j.Arrival, free[j.Server])
			finish := start + j.Work/p.world.Speeds[j.Server]
			if j.Start != start || j.Finish != finish {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("job %d from %v to %v", j.Number, start, finish),
					Observed: fmt.Sprintf("from %v to %v", j.Start, j.Finish),
					Diagnosis: &Diagnosis{State: fmt.Sprintf("arrival at %v with work %v at a server of speed %v that is free at %v",
						j.Arrival, j.Work, p.world.Speeds[j.Server], free[j.Server])}}
			}
			free[j.Server] = finish
			jobs++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d jobs on 40 dyadic paths", jobs)}
}

func exactInSystem(r *Run) Result {
	views := 0
	for _, p := range dyadicPaths(r) {
		for k, j := range p.jobs {
			held := make([]float64, p.world.Servers)
			for _, earlier := range p.jobs[:k] {
				if earlier.Finish > j.Arrival {
					held[earlier.Server]++
				}
			}
			if !slices.Equal(held, p.seen[k]) || float64(j.InSystemBefore) != held[j.Server] {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("%v in the system before job %d", held, j.Number),
					Observed: fmt.Sprintf("the view showed %v, and its server held %d", p.seen[k], j.InSystemBefore)}
			}
			views++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d views on 40 dyadic paths", views)}
}

func exactLittle(r *Run) Result {
	for _, p := range dyadicPaths(r) {
		sum := 0.0
		type change struct {
			at float64
			by int
		}
		var changes []change
		for _, j := range p.jobs {
			sum += j.Finish - j.Arrival
			changes = append(changes, change{j.Arrival, 1}, change{j.Finish, -1})
		}
		slices.SortStableFunc(changes, func(a, b change) int {
			if a.at < b.at {
				return -1
			}
			if a.at > b.at {
				return 1
			}
			return 0
		})
		area, held, last := 0.0, 0, 0.0
		for _, c := range changes {
			area += float64(held) * (c.at - last)
			held, last = held+c.by, c.at
		}
		if area != sum || held != 0 {
			return Result{Verdict: Violated, Finding: WrongLaw,
				Expected: fmt.Sprintf("an integral of %v, and nobody left", sum),
				Observed: fmt.Sprintf("an integral of %v, and %d left", area, held)}
		}
	}
	return Result{Verdict: Holds, Observed: "to the last bit, on 40 dyadic paths"}
}
