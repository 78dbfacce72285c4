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

// A surveyor sends requests to all servers but the last, and those without work
// there, where they wait for nobody. It adds up what it sees on the others at
// each of these.
type surveyor struct {
	queue.RecordedWork
	picks int
	seen  float64
	rest  policies.Policy
}

func (s *surveyor) Pick(q Request, v policies.View, c policies.Coins) int {
	s.picks++
	last := v.Len() - 1
	if s.RecordedWork[s.picks-1] > 0 {
		front := &policies.Snapshot{At: v.Now()}
		for i := range last {
			load, _ := v.Load(i)
			front.Servers, front.Loads = append(front.Servers, v.Server(i)), append(front.Loads, load)
		}
		return s.rest.Pick(q, front, c)
	}
	for i := range last {
		load, _ := v.Load(i)
		s.seen += load
	}
	return last
}

// exactLittle looks at worlds at every multiple of 1/32, after whatever arrives
// or finishes then, since all of that happens at such times. So what it sees is
// the number in system until the next look, and the sum of it the integral. The
// times in system are those of the simulator's own mean.
func exactLittle(r *Run) Result {
	const worlds, jobs, grid = 9, 60, 32
	random := rand.New(rand.NewPCG(r.Seed, 5))
	looks := 0
	for k := range worlds {
		n := 1 + k%4
		w := queue.World{Servers: n + 1}
		for range n {
			w.Speeds = append(w.Speeds, math.Ldexp(1, random.IntN(3)-1))
		}
		w.Speeds = append(w.Speeds, 1) // of the one that nobody waits at
		var times queue.RecordedArrivals
		var work queue.RecordedWork
		now, end, total := 1, 0.0, 0.0 // a request at the very start is not counted
		for range jobs {
			for next := now + 2*random.IntN(1+24/n); now < next; now++ {
				times, work = append(times, float64(now)/grid), append(work, 0)
			}
			times, work = append(times, float64(now)/grid), append(work, float64(1+random.IntN(40))/16)
			total += 2 * work[len(work)-1] // at the slowest
		}
		end = float64(now)/grid + total
		for ; float64(now)/grid <= end; now++ {
			times, work = append(times, float64(now)/grid), append(work, 0)
		}
		w.Arrivals, w.Work, w.Jobs = times, work, len(times)
		s := &surveyor{RecordedWork: work, rest: []policies.Policy{policies.Random{}, policies.LeastRequest{}, policies.PowerOfD{D: 2}}[k%3]}
		var got queue.Result
		r.try("Simulate", func() {
			var err error
			if got, err = queue.Simulate(w, func() policies.Policy { return s }, r.Seed+uint64(k)); err != nil {
				panic(fmt.Sprintf("spec: a world was refused: %v", err))
			}
		})
		looks += len(times) - jobs
		// The mean rounds a sum that is exact, and is multiplied out again: 2^-52 of it.
		if sum, area := got.Mean*float64(got.Jobs), s.seen/grid; got.Jobs != len(times) || math.Abs(sum-area) > 0x1p-52*area {
			return Result{Verdict: Violated, Finding: WrongLaw,
				Expected: fmt.Sprintf("times in system that add up to the integral, %v, over %d requests", area, len(times)),
				Observed: fmt.Sprintf("%v over %d, with %d servers", sum, got.Jobs, n)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("in %d worlds, at %d looks", worlds, looks)}
}
