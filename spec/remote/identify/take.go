package identify

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// lookPicks is how many picks a further look takes in a state at most. A law that
// was left behind by more than a tenth shows well within it; of a proxy, whose
// picks take milliseconds, a fifth of them show one that was left behind by half.
const lookPicks = 1000

// lookStates are the states in which a look judges a law: idle, and the
// staircase, in which laws that look at loads show it.
func lookStates(n int) [][]float64 { return [][]float64{make([]float64, n), staircase(n)} }

func staircase(n int) []float64 {
	loads := make([]float64, n)
	for i := range loads {
		loads[i] = float64(i)
	}
	return loads
}

// take takes one pick in the present state as evidence, and releases it unless
// it is kept. A law sees the servers that have a weight, as a policy does.
func (s *search) take(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, keep bool) error {
	_, _, err := s.takeOne(d, fleet, e, keep)
	return err
}

func (s *search) takeOne(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, keep bool) (state oracle.State, pick int, err error) {
	state, places := stateOf(d, fleet)
	var i int
	switch {
	case keep:
		i, err = d.Acquire(spec.Request{})
	case s.mute:
		if i, err = d.Acquire(spec.Request{}); err == nil {
			err = d.Release(i, spec.Outcome{Canceled: true})
		}
	default:
		i, err = d.Probe(spec.Request{})
	}
	if err != nil {
		return state, 0, err
	}
	pick = slices.Index(places, i) // a server without a weight would have been a misbehaviour
	return state, pick, e.Observe(state, pick)
}

// stateOf is the state of a balancer, of the servers that have a weight, with
// their places in the fleet.
func stateOf(d *spec.Driver, fleet []spec.Server) (state oracle.State, places []int) {
	loads, lately := d.InFlight(), d.Lately()
	var eligible []spec.Server
	for i, server := range fleet {
		if server.Weight > 0 {
			eligible, places = append(eligible, server), append(places, i)
			state.Loads = append(state.Loads, loads[i])
		}
	}
	state.Weights = weightsOf(eligible)
	for _, i := range lately {
		if at := slices.Index(places, i); at >= 0 {
			state.History = append(state.History, at)
		}
	}
	return state, places
}

// reach brings a balancer into a state; while it is mute, by requests that are
// cancelled.
func (s *search) reach(d *spec.Driver, loads []float64) error {
	if !s.mute {
		return d.Reach(loads)
	}
	const budget = 20_000 // far more than any law that is known takes
	top := slices.Max(loads)
	for picks := 0; slices.Min(d.InFlight()) < top; picks++ {
		if picks == budget {
			return &spec.Misbehaviour{Finding: spec.NeverFills, Text: fmt.Sprintf(
				"while every request was cancelled, %d picks did not lead to %v requests at every server", picks, top)}
		}
		if _, err := d.Acquire(spec.Request{}); err != nil {
			return err
		}
	}
	return release(d, loads)
}

// A gap is where a balancer left a law furthest behind.
type gap struct {
	server string
	loads  []float64
	got    int
	of     int
	due    float64 // expected picks
}

func (g *gap) String() string {
	text := "idle"
	if slices.Max(g.loads) > 0 {
		text = "with"
		for _, l := range g.loads {
			text += fmt.Sprintf(" %v", l)
		}
		text += " in flight"
	}
	return fmt.Sprintf("%s, %s got %d of %d picks, where %.1f are due", text, g.server, g.got, g.of, g.due)
}

// still tells whether a balancer follows a law in its present state: it does not
// when fresh picks convict it, and then the gap says where.
func (s *search) still(d *spec.Driver, fleet []spec.Server, law oracle.Law) (*gap, error) {
	if s.RealTime {
		return s.stillFor(d, fleet, law, lookPicks/5)
	}
	return s.stillFor(d, fleet, law, lookPicks)
}

func (s *search) stillFor(d *spec.Driver, fleet []spec.Server, law oracle.Law, picks int) (*gap, error) {
	e := s.evidence(law, []oracle.Law{oracle.Random{}, oracle.LeastRequest{}})
	got := make([]int, len(fleet))
	var states []oracle.State
	for range picks {
		state, pick, err := s.takeOne(d, fleet, e, false)
		if err != nil {
			return nil, err
		}
		got[pick]++
		states = append(states, state)
		if e.Convicted() {
			due, err := expected(law, states)
			return widest(fleet, state.Loads, got, due), err
		}
	}
	return nil, nil
}

// expected adds up what a law gives to each server.
func expected(law oracle.Law, states []oracle.State) ([]float64, error) {
	due := make([]float64, len(states[0].Loads))
	for _, s := range states {
		p, err := law.Probabilities(s)
		if err != nil {
			return nil, err
		}
		for i := range p {
			x, _ := p[i].Float64()
			due[i] += x
		}
	}
	return due, nil
}

// widest is the gap of the server that is furthest from what is due to it.
func widest(fleet []spec.Server, loads []float64, got []int, due []float64) *gap {
	g, most, at := &gap{loads: loads}, -1.0, 0
	for _, server := range fleet {
		if server.Weight == 0 {
			continue
		}
		g.of += got[at]
		distance := float64(got[at]) - due[at]
		if distance = max(distance, -distance); distance > most {
			most, g.server, g.got, g.due = distance, server.Name, got[at], due[at]
		}
		at++
	}
	return g
}

// stillIn is still in each of the states, which are reached one after another.
func (s *search) stillIn(d *spec.Driver, fleet []spec.Server, law oracle.Law, states [][]float64) (*gap, error) {
	for _, loads := range states {
		if err := s.reach(d, loads); err != nil {
			return nil, err
		}
		if g, err := s.still(d, fleet, law); g != nil || err != nil {
			return g, err
		}
	}
	return nil, nil
}
