package spec

import (
	"math"
	"strings"

	"github.com/picklaw/picklaw/oracle"
)

// A Trace is what a sampled check of a law saw, for pictures.
type Trace struct {
	Needed float64     `json:"needed"` // nats to a conviction, in one fleet
	Fleets []FleetView `json:"fleets"`
}

// A FleetView is the part of a Trace that is about one fleet.
type FleetView struct {
	States []StateView `json:"states"`
	Growth []Point     `json:"growth"` // of the evidence against the claim
}

// A StateView is a frozen state with the picks that were taken there.
type StateView struct {
	State    string    `json:"state"`
	Servers  []string  `json:"servers"`
	Expected []float64 `json:"expected"` // probabilities; for a law with memory, without any
	Observed []int     `json:"observed"` // picks
}

// A Point is the evidence after some picks, in nats; a forbidden pick counts as
// what is needed.
type Point struct {
	Picks int     `json:"picks"`
	Nats  float64 `json:"nats"`
}

// Traced keeps a Trace of every sampled check of a law.
func Traced() Option { return func(c *config) { c.traced = true } }

// tracer draws up a Trace. The zero value keeps nothing.
type tracer struct {
	trace  *Trace
	stride int
}

func (r *Run) newTracer(alpha float64) *tracer {
	if !r.traced {
		return &tracer{}
	}
	return &tracer{trace: &Trace{Needed: -math.Log(alpha)}}
}

func (t *tracer) fleet() {
	if t.trace != nil {
		t.trace.Fleets = append(t.trace.Fleets, FleetView{Growth: []Point{{}}})
		t.stride = 1
	}
}

// state begins a state; the tally may still change.
func (t *tracer) state(a *auditor, claim oracle.Law, s oracle.State, tally []int) {
	if t.trace == nil {
		return
	}
	_, text, _ := strings.Cut(describe(a.fleet, s.Loads), "in flight ")
	v := StateView{State: text, Observed: tally, Expected: make([]float64, len(tally))}
	for _, server := range a.fleet {
		v.Servers = append(v.Servers, server.Name)
	}
	if p, err := claim.Probabilities(s); err == nil {
		for i, x := range p {
			v.Expected[i], _ = x.Float64()
		}
	}
	f := &t.trace.Fleets[len(t.trace.Fleets)-1]
	f.States = append(f.States, v)
}

// pick notes the evidence after a pick, less often the more there are.
func (t *tracer) pick(e *oracle.Evidence) {
	if t.trace == nil || e.Picks()%t.stride != 0 && !e.Convicted() {
		return
	}
	f := &t.trace.Fleets[len(t.trace.Fleets)-1]
	f.Growth = append(f.Growth, Point{e.Picks(), min(e.Nats(), t.trace.Needed)})
	const most = 240
	if len(f.Growth) > most {
		kept := f.Growth[:0]
		for i, p := range f.Growth {
			if i%2 == 0 {
				kept = append(kept, p)
			}
		}
		f.Growth, t.stride = kept, 2*t.stride
	}
}
