package spec

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// accountProperties hold the simulator against a list of events that is kept by
// the plainest possible code. Times are dyadic, so both must agree to the last
// bit.
var accountProperties = []*Property{
	{
		Name: "queueing/slots", Level: Must,
		Sentence: "A job starts at the slot that is free first; one that finds its server full is lost and leaves no trace.",
		Source:   "Kiefer and Wolfowitz 1955",
		Applies:  isWorld, Exact: exactSlots,
	},
	{
		Name: "queueing/views", Level: Must,
		Sentence: "A fresh view shows what is; a board what was at its last refresh; a local view what its own dispatcher has sent and not got back.",
		Source:   "Mitzenmacher 2000; Vargaftik, Keslassy and Orda 2020",
		Applies:  isWorld, Exact: exactViews,
	},
	{
		Name: "queueing/outcomes", Level: Must,
		Sentence: "A learner has heard, at every pick, of the requests of its dispatcher that have ended, in that order, and of no others.",
		Source:   "definition",
		Applies:  isWorld, Exact: exactOutcomes,
	},
	{
		Name: "queueing/accounts", Level: Must,
		Sentence: "Mean, quantiles, shares, peak and tails are those of the requests after the warm-up, and probes look before the pick.",
		Source:   "definition",
		Applies:  isWorld, Exact: exactAccounts,
	},
	{
		Name: "queueing/ticks", Level: Must,
		Sentence: "In the world of ticks a call is over when its last tick is, and not a tick later.",
		Source:   "definition",
		Applies:  isWorld, Exact: exactTicks,
	},
}

// A logbook is one trajectory with all that was seen and told on it.
type logbook struct {
	world  queue.World
	jobs   []queue.Job
	seen   [][]float64 // the view at each pick
	heard  [][]told    // what the dispatcher of the pick had been told by then, in all
	result queue.Result
}

// clerk is the policy of one dispatcher: it picks by a generator of its own.
type clerk struct {
	book *logbook
	mine []told
	draw *rand.Rand
}

func (c *clerk) Pick(_ policies.Request, v policies.View, _ policies.Coins) int {
	loads := make([]float64, v.Len())
	for i := range loads {
		loads[i], _ = v.Load(i)
	}
	c.book.seen = append(c.book.seen, loads)
	c.book.heard = append(c.book.heard, slices.Clone(c.mine))
	return c.draw.IntN(v.Len())
}

func (c *clerk) Observe(id ServerID, o Outcome) { c.mine = append(c.mine, told{id, o}) }

// logbooks runs worlds of every kind over dyadic times.
func logbooks(r *Run) []*logbook {
	var all []*logbook
	random := rand.New(rand.NewPCG(r.Seed, 2))
	for k := range 48 {
		w := queue.World{
			Servers: 1 + k%5, Slots: 1 << (k % 3), Dispatchers: 1 + k%3, Jobs: 300,
			Capacity: []int{0, 0, 3, 5}[k%4], Quantiles: true, ProbeEvery: 1 + k%4, KeepSeries: true,
			Warmup: []float64{0, 4, 10}[k%3], Skip: []int{0, 20}[k/2%2],
			View:   []queue.ViewKind{queue.Fresh, queue.Stale, queue.SharedStale, queue.Local}[k/3%4],
			Metric: []queue.Metric{queue.Count, queue.WorkLeft}[k/12%2],
		}
		if w.View == queue.Local {
			w.Metric = queue.Count
		}
		if w.View == queue.Stale || w.View == queue.SharedStale {
			w.Refresh = float64(w.Dispatchers) * []float64{0.5, 1, 4}[k/4%3] // so that phases are dyadic
		}
		var times queue.RecordedArrivals
		var work queue.RecordedWork
		now := 0.0
		for range w.Jobs {
			if random.IntN(3) > 0 { // otherwise at the same instant
				now += float64(random.IntN(2+16/(w.Servers*w.Slots))) / 8
			}
			times, work = append(times, now), append(work, float64(random.IntN(30))/8)
		}
		work[0] = 1 // a mean must be positive
		w.Arrivals, w.Work = times, work
		for range w.Servers {
			w.Speeds = append(w.Speeds, math.Ldexp(1, random.IntN(3)-1))
		}
		book := &logbook{world: w}
		w.Observe = func(j queue.Job) { book.jobs = append(book.jobs, j) }
		r.try("Simulate", func() {
			var err error
			if book.result, err = queue.Simulate(w, func() policies.Policy {
				return &clerk{book: book, draw: rand.New(rand.NewPCG(random.Uint64(), 3))}
			}, r.Seed+uint64(k)); err != nil {
				panic(fmt.Sprintf("a world was refused: %v", err))
			}
		})
		if len(book.jobs) != w.Jobs || len(book.seen) != w.Jobs {
			panic(&fault{Leak, fmt.Sprintf("%d jobs and %d picks, want %d", len(book.jobs), len(book.seen), w.Jobs)})
		}
		all = append(all, book)
	}
	return all
}

// held is what a server holds at a time, of the jobs before the k-th that some
// dispatcher sent (-1 for any) and that arrived before a limit.
func (b *logbook) held(server, k, dispatcher int, at, arrivedBefore float64) (count int) {
	for _, j := range b.jobs[:k] {
		if j.Server == server && !j.Lost && j.Finish > at && j.Arrival < arrivedBefore && (dispatcher < 0 || j.Dispatcher == dispatcher) {
			count++
		}
	}
	return count
}

// free tells when each slot of a server is free, after the jobs before the k-th
// that arrived before a limit.
func (b *logbook) free(server, k int, arrivedBefore float64) []float64 {
	slots := make([]float64, b.world.Slots)
	for _, j := range b.jobs[:k] {
		if j.Server != server || j.Lost || j.Arrival >= arrivedBefore {
			continue
		}
		slices.Sort(slots)
		slots[0] = max(slots[0], j.Arrival) + j.Work/b.world.Speeds[server]
	}
	return slots
}

func exactSlots(r *Run) Result {
	jobs := 0
	for _, b := range logbooks(r) {
		for k, j := range b.jobs {
			held := b.held(j.Server, k, -1, j.Arrival, math.Inf(1))
			lost := b.world.Capacity > 0 && held >= b.world.Capacity
			start := max(j.Arrival, slices.Min(b.free(j.Server, k, math.Inf(1))))
			finish := start + j.Work/b.world.Speeds[j.Server]
			if lost {
				start, finish = 0, 0
			}
			if j.Lost != lost || j.Start != start || j.Finish != finish || j.InSystemBefore != held {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("job %d meets %d, lost %v, from %v to %v", j.Number, held, lost, start, finish),
					Observed: fmt.Sprintf("meets %d, lost %v, from %v to %v, on a server of %d slots", j.InSystemBefore, j.Lost, j.Start, j.Finish, b.world.Slots)}
			}
			jobs++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d jobs", jobs)}
}

func exactViews(r *Run) Result {
	views := 0
	for _, b := range logbooks(r) {
		w := b.world
		for k, j := range b.jobs {
			at, before, dispatcher := j.Arrival, math.Inf(1), -1
			switch w.View {
			case queue.Stale, queue.SharedStale:
				phase := 0.0
				if w.View == queue.Stale {
					phase = float64(j.Dispatcher) * w.Refresh / float64(w.Dispatchers)
				}
				at = phase + w.Refresh*math.Floor((j.Arrival-phase)/w.Refresh)
				before = at // who comes at the very instant of a refresh comes after it
			case queue.Local:
				dispatcher = j.Dispatcher
			}
			for i, shown := range b.seen[k] {
				want := float64(b.held(i, k, dispatcher, at, before))
				if w.Metric == queue.WorkLeft {
					want = 0
					for _, free := range b.free(i, k, before) {
						want += max(0, free-at)
					}
					want /= float64(w.Slots)
				}
				if shown != want {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%v at server %d", want, i),
						Observed: fmt.Sprintf("%v, at pick %d by dispatcher %d at time %v, view %s of %s, refresh %v", shown, k+1, j.Dispatcher, j.Arrival, w.View, w.Metric, w.Refresh)}
				}
			}
			views++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d views", views)}
}

func exactOutcomes(r *Run) Result {
	picks := 0
	end := func(j queue.Job) float64 {
		if j.Lost {
			return j.Arrival
		}
		return j.Finish
	}
	for _, b := range logbooks(r) {
		for k, j := range b.jobs {
			var want []queue.Job
			for _, earlier := range b.jobs[:k] {
				if earlier.Dispatcher == j.Dispatcher && end(earlier) <= j.Arrival {
					want = append(want, earlier)
				}
			}
			slices.SortStableFunc(want, func(x, y queue.Job) int { return cmp.Compare(end(x), end(y)) })
			heard := b.heard[k]
			same := len(heard) == len(want)
			// What was heard earlier stands before what ended since, so compare as sets of one order.
			for i := 0; same && i < len(want); i++ {
				x, o := want[i], heard[i]
				same = int(o.id) == x.Server && o.Failed == x.Lost && o.At == dyadic(end(x)) && o.Latency == dyadic(end(x)-x.Arrival)
			}
			if !same {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%d requests of dispatcher %d ended by %v", len(want), j.Dispatcher, j.Arrival),
					Observed: fmt.Sprintf("it has heard of %d, or of others", len(heard))}
			}
			picks++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d picks", picks)}
}

// dyadic is a time of a world on the clock of policies; multiples of 1/16 of a
// second are whole nanoseconds.
func dyadic(t float64) time.Duration { return time.Duration(t * 1e9) }

func exactAccounts(r *Run) Result {
	books := logbooks(r)
	for _, b := range books {
		w, got := b.world, b.result
		want := queue.Result{Sent: make([]int, w.Servers)}
		counted := make([]int, w.Servers)
		var times []float64
		sum := 0.0
		for k, j := range b.jobs {
			want.Sent[j.Server]++
			if j.Arrival <= w.Warmup || j.Number <= w.Skip {
				continue
			}
			if j.Number%w.ProbeEvery == 0 {
				probe := make([]int, w.Servers)
				for i := range probe {
					probe[i] = b.held(i, k, -1, j.Arrival, math.Inf(1))
				}
				want.Series = append(want.Series, probe)
			}
			counted[j.Server]++
			if j.Lost {
				want.Lost++
				continue
			}
			want.Jobs++
			want.Peak = max(want.Peak, j.InSystemBefore+1)
			times = append(times, j.Finish-j.Arrival)
			sum += j.Finish - j.Arrival
		}
		slices.Sort(times)
		for _, q := range []struct{ p, got float64 }{{0.5, got.P50}, {0.99, got.P99}, {0.999, got.P999}} {
			if at := int(q.p * float64(len(times))); q.got != times[at] {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%v, element %d in order, as quantile %v", times[at], at, q.p), Observed: fmt.Sprint(q.got)}
			}
		}
		for i, c := range counted {
			if share := float64(c) / float64(want.Jobs+want.Lost); got.Shares[i] != share {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("a share of %v", share), Observed: fmt.Sprint(got.Shares[i])}
			}
		}
		for k := range got.Tails {
			holding, looked := 0, 0
			for _, probe := range want.Series {
				for _, n := range probe {
					looked++
					if n >= k {
						holding++
					}
				}
			}
			if tail := float64(holding) / float64(looked); got.Tails[k] != tail {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%v of the servers with %d jobs or more", tail, k), Observed: fmt.Sprint(got.Tails[k])}
			}
		}
		expected := fmt.Sprint(want.Jobs, want.Lost, sum/float64(want.Jobs), want.Peak, want.Sent, want.Series)
		observed := fmt.Sprint(got.Jobs, got.Lost, got.Mean, got.Peak, got.Sent, got.Series)
		if expected != observed {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "jobs, lost, mean, peak, sent, probes " + expected, Observed: observed}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("of %d worlds", len(books))}
}

// tickClerk writes down what it sees and is told in a world of ticks.
type tickClerk struct {
	at   []int
	pick []int
	seen [][]float64
	told []told
}

func (c *tickClerk) Pick(_ policies.Request, v policies.View, coins policies.Coins) int {
	loads := make([]float64, v.Len())
	for i := range loads {
		loads[i], _ = v.Load(i)
	}
	i := coins.IntN(v.Len())
	c.at, c.pick, c.seen = append(c.at, int(v.Now()/time.Second)), append(c.pick, i), append(c.seen, loads)
	return i
}

func (c *tickClerk) Observe(id ServerID, o Outcome) { c.told = append(c.told, told{id, o}) }

func exactTicks(r *Run) Result {
	calls := 0
	for n := 1; n <= 4; n++ {
		w := queue.TickWorld{Ticks: 200, Rate: 0.4 * float64(n)}
		for i := range n {
			w.Backends = append(w.Backends, queue.Backend{Ticks: 1 + i})
		}
		c := &tickClerk{}
		var got queue.TickResult
		r.try("Simulate", func() {
			var err error
			if got, err = w.Simulate(c, r.Seed); err != nil {
				panic(fmt.Sprintf("a world was refused: %v", err))
			}
		})
		free, peak, sum := make([]int, n), 0, 0
		var finishes [][]int = make([][]int, n)
		for k, i := range c.pick {
			for server := range n {
				held := 0
				for _, finish := range finishes[server] {
					if finish > c.at[k] {
						held++
					}
				}
				if c.seen[k][server] != float64(held) {
					return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%d calls at backend %d in tick %d", held, server, c.at[k]), Observed: fmt.Sprint(c.seen[k][server])}
				}
				if server == i {
					peak = max(peak, held+1)
				}
			}
			free[i] = max(free[i], c.at[k]) + 1 + i
			finishes[i] = append(finishes[i], free[i])
			latency := free[i] - c.at[k]
			sum += latency
			if t := c.told[k]; int(t.id) != i || t.Latency != time.Duration(latency)*time.Second || t.At != time.Duration(free[i])*time.Second {
				return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("a latency of %d ticks at backend %d", latency, i), Observed: fmt.Sprintf("%v at %d", t.Latency, t.id)}
			}
			calls++
		}
		if got.Peak != peak || got.Mean != float64(sum)/float64(len(c.pick)) || got.Requests != len(c.pick) || got.Goodput != len(c.pick) {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("peak %d, %d ticks for %d calls", peak, sum, len(c.pick)),
				Observed: fmt.Sprintf("peak %d, mean %v of %d calls, %d good", got.Peak, got.Mean, got.Requests, got.Goodput)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d calls", calls)}
}
