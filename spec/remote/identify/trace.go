package identify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A Trace is what an identification saw, for pictures.
type Trace struct {
	Needed float64 // nats that refute a law
	Laws   []Curve // while laws were told apart
	// States are those in which Law, the last one left, was held to fresh picks, and
	// Growth is the evidence of those picks against it.
	Law    string
	States []spec.StateView
	Growth []spec.Point
}

// A Curve is the evidence against one law, until it is refuted.
type Curve struct {
	Law    string
	Points []spec.Point
}

// thinned tells whether a point is kept: all of the first, then fewer and fewer.
func thinned(picks int) bool { return picks < 64 || picks%(picks/64) == 0 }

// note draws the curves on after a pick.
func (t *Trace) note(e *oracle.Evidence) {
	if t == nil {
		return
	}
	for _, s := range e.Standings() {
		name := s.Law.String()
		i := slices.IndexFunc(t.Laws, func(c Curve) bool { return c.Law == name })
		if i < 0 {
			i = len(t.Laws)
			t.Laws = append(t.Laws, Curve{Law: name, Points: []spec.Point{{}}})
		}
		c := &t.Laws[i]
		refuted := s.RefutedAt > 0
		if last := c.Points[len(c.Points)-1]; refuted && last.Nats >= t.Needed || !refuted && !thinned(e.Picks()) {
			continue
		}
		nats := min(s.Nats, t.Needed)
		if refuted {
			nats = t.Needed
		}
		c.Points = append(c.Points, spec.Point{Picks: e.Picks(), Nats: nats})
	}
}

// confirms begins the picture of a confirmation.
func (t *Trace) confirms(law oracle.Law) {
	if t != nil {
		t.Law, t.States, t.Growth = law.String(), nil, []spec.Point{{}}
	}
}

// state begins a state.
func (t *Trace) state(fleet []spec.Server, law oracle.Law, s oracle.State) {
	if t == nil {
		return
	}
	v := spec.StateView{Expected: make([]float64, len(fleet)), Observed: make([]int, len(fleet))}
	var loads []string
	for i, server := range fleet {
		v.Servers = append(v.Servers, server.Name)
		loads = append(loads, fmt.Sprint(s.Loads[i]))
	}
	v.State = strings.Join(loads, " ")
	if p, err := law.Probabilities(s); err == nil {
		for i, x := range p {
			v.Expected[i], _ = x.Float64()
		}
	}
	t.States = append(t.States, v)
}

// pick notes a pick of the last state.
func (t *Trace) pick(i int, e *oracle.Evidence) {
	if t == nil {
		return
	}
	t.States[len(t.States)-1].Observed[i]++
	if thinned(e.Picks()) {
		t.Growth = append(t.Growth, spec.Point{Picks: e.Picks(), Nats: min(e.Nats(), t.Needed)})
	}
}
