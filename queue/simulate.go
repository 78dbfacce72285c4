//go:build !mutants

package queue

import (
	"errors"
	"fmt"

	"github.com/picklaw/picklaw/policies"
)

// Simulate runs a policy in a world. Each dispatcher gets a policy of its own
// from newPolicy. The same world, policy and seed give the same result.
//
// A Learner is told the outcome of a request when the request ends, a lost one
// as a failure at once.
func Simulate(w World, newPolicy func() policies.Policy, seed uint64) (Result, error) {
	r, err := newSimulation(w, newPolicy, seed)
	if err != nil {
		return Result{}, err
	}
	for r.steps(watchEvery) {
		if w.Watch == nil {
			continue
		}
		if err := w.Watch(r.number, r.now); err != nil {
			return Result{}, err
		}
	}
	if r.err != nil {
		return Result{}, r.err
	}
	return r.result(), nil
}

// simulation is a run under way.
type simulation struct {
	World
	servers     []fifo
	dispatchers []dispatcher
	boards      []*board
	arrivals    Stream
	nextArrival func() (float64, bool)
	nextWork    func() float64
	coins       Stream
	keys        *liveKeys // nil without keys
	names       []string  // of the servers, with keys
	outcomes    outcomes
	tally
	now    float64
	number int
	picked int // server of the last request
	err    error
}

type dispatcher struct {
	policy  policies.Policy
	learner policies.Learner // the same, or nil
	view    dispatcherView
	local   *localView // the same, or nil
}

func newSimulation(w World, newPolicy func() policies.Policy, seed uint64) (*simulation, error) {
	w, err := w.normalize()
	if err != nil {
		return nil, err
	}
	if newPolicy == nil {
		return nil, errors.New("queue: no policy, want a function that makes one")
	}
	r, fleet := &simulation{World: w, servers: w.fifos(), tally: newTally(w)}, w.fleet()
	r.arrivals, r.coins = w.RNG.streams(seed)
	if w.oneStream {
		r.coins = r.arrivals
	}
	r.nextArrival = w.Arrivals.clock(w.arrivalRate(), r.arrivals)
	r.nextWork = w.Work.sampler(r.arrivals)
	if w.Keys != nil {
		r.keys = w.Keys.draw(r.arrivals)
		for _, s := range fleet {
			r.names = append(r.names, s.Name)
		}
	}
	for i, n := range w.Initial {
		for range n {
			r.servers[i].accept(0, r.nextWork())
		}
	}
	views := r.views(fleet)
	for d := range w.Dispatchers {
		p := newPolicy()
		if err := policies.Check(p); err != nil {
			return nil, err
		}
		policies.Join(p, fleet)
		v := views(d)
		learner, _ := p.(policies.Learner)
		local, _ := v.(*localView)
		r.dispatchers = append(r.dispatchers, dispatcher{p, learner, v, local})
	}
	return r, nil
}

// views returns a function that makes the view of a dispatcher.
func (r *simulation) views(fleet []policies.Server) func(d int) dispatcherView {
	base := fleetView{fleet: fleet}
	newBoard := func(phase float64) *board {
		b := &board{servers: r.servers, work: r.Metric == WorkLeft, period: r.Refresh, phase: phase, shown: make([]float64, r.Servers)}
		r.boards = append(r.boards, b)
		return b
	}
	switch {
	case r.View == SharedStale:
		b := newBoard(0)
		return func(int) dispatcherView { return &boardView{base, b} }
	case r.View == Stale:
		return func(d int) dispatcherView {
			return &boardView{base, newBoard(float64(d) * r.Refresh / float64(r.Dispatchers))}
		}
	case r.View == Local:
		return func(int) dispatcherView { return &localView{base, make([]departures, r.Servers)} }
	case r.Metric == WorkLeft:
		return func(int) dispatcherView { return &workView{freshView{base, r.servers}} }
	default:
		return func(int) dispatcherView { return &freshView{base, r.servers} }
	}
}

// watchEvery is how many requests pass between two looks of a watch: so many
// that looking costs nothing, and so few that even a slow policy is seen to move.
const watchEvery = 1024

// steps runs the next n requests; false when there are no more.
func (r *simulation) steps(n int) bool {
	for range n {
		if !r.step() {
			return false
		}
	}
	return true
}

// step runs the next request; false when there is none.
func (r *simulation) step() bool {
	if r.number == r.Jobs && r.Jobs > 0 {
		return false
	}
	t, ok := r.nextArrival()
	if !ok || t > r.Horizon {
		return false
	}
	r.now = t
	r.number++
	work := 0.0
	if !r.workAfterPick {
		work = r.nextWork()
	}
	d := 0
	if r.Dispatchers > 1 || r.RNG == Python && r.View == Local {
		d = r.arrivals.IntN(r.Dispatchers)
	}
	if r.keys == nil {
		return r.arrive(d, work, policies.Request{})
	}
	k := r.keys.next()
	if !r.arrive(d, work, policies.Request{Key: r.keys.names[k], Cookie: r.keys.cookies[k]}) {
		return false
	}
	r.keys.done(k, r.names[r.picked])
	return true
}

// arrive sends a request that comes now; false if the policy cannot.
func (r *simulation) arrive(d int, work float64, q policies.Request) bool {
	now, counted := r.now, r.now > r.Warmup && r.number > r.Skip
	for _, b := range r.boards {
		b.refresh(now)
	}
	if counted && r.ProbeEvery > 0 && r.number%r.ProbeEvery == 0 {
		r.probe(r.servers, now)
	}
	from := &r.dispatchers[d]
	if from.learner != nil {
		r.outcomes.deliver(now, r.dispatchers)
	}
	from.view.advance(now)
	i := from.policy.Pick(q, from.view, r.coins)
	if i < 0 || i >= len(r.servers) {
		r.err = fmt.Errorf("queue: the policy picked server %d for request %d, want 0 to %d", i, r.number, len(r.servers)-1)
		return false
	}
	r.picked = i
	if r.workAfterPick {
		work = r.nextWork()
	}
	server := &r.servers[i]
	before, lost := server.inSystem(now), false
	var start, finish float64
	if r.Capacity > 0 && before >= r.Capacity {
		lost = true
	} else {
		start, finish = server.accept(now, work)
		if from.local != nil {
			from.local.sent(i, finish)
		}
	}
	r.sent[i]++
	if counted {
		r.record(i, before, lost, finish-now)
	}
	if from.learner == nil && r.Observe == nil {
		return true
	}
	job := Job{r.number, d, i, lost, now, work, start, finish, before, q.Key}
	if from.learner != nil {
		r.outcomes.add(job)
	}
	if r.Observe != nil {
		r.Observe(job)
	}
	return true
}
