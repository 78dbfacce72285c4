package peers

import (
	"context"
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A Frozen law is judged like a pick law of package spec, with a new instance
// for every state. It is for peers that are fed by latency as well: a request
// that is held while time passes would count as a slow one, so every state is
// reached, and left again, in one instant.
type Frozen struct {
	Name    string // of the subject
	Version string // "module version"
	Claim   oracle.Law
	Servers int
	Build   spec.Factory
	// Settle is called when a state is reached and before its picks are taken; nil
	// for nothing to do.
	Settle func(spec.Picker)
	// Out are the servers, by index, that an update takes away before anything is
	// picked: they stay in the fleet with a weight of 0. The claim is about the
	// others.
	Out      []int
	TiesOpen bool
	Pinned   string // what a deviation that is known does to a user
}

// A Judged is a law that was held against a claim.
type Judged struct {
	Frozen
	Convicted bool
	Fits      string // the known law that fits best
	State     []float64
	Picks     int
	Bound     float64
}

// judge takes as many picks as it needs to be within delta of the truth, except
// with probability beta.
func (f Frozen) judge(alpha float64) (Judged, error) {
	const delta, beta = 0.1, 1e-6
	audit := oracle.Audit{Claim: f.Claim, Alpha: alpha, AnyTie: f.TiesOpen}
	states := frozenStates(f.Servers - len(f.Out))
	picks, err := audit.PicksFor(states, delta, beta)
	if err != nil {
		return Judged{}, err
	}
	evidence, err := oracle.NewEvidence(audit)
	if err != nil {
		return Judged{}, err
	}
	judged := Judged{Frozen: f}
	for _, s := range states {
		p, last, err := f.reach(s)
		if err != nil {
			return Judged{}, err
		}
		for range picks {
			s.History = last
			id, done, err := p.Pick(context.Background(), spec.Request{})
			if err != nil {
				return Judged{}, err
			}
			if err := done(spec.Outcome{}); err != nil {
				return Judged{}, err
			}
			i, err := f.index(id)
			if err != nil {
				return Judged{}, err
			}
			if err := evidence.Observe(s, i); err != nil {
				return Judged{}, err
			}
			last = []int{i}
			if evidence.Convicted() && !judged.Convicted {
				judged.Convicted, judged.Picks, judged.State = true, evidence.Picks(), s.Loads
			}
		}
	}
	judged.Bound = evidence.Bound()
	if !judged.Convicted {
		judged.Picks = evidence.Picks()
		if judged.Bound > delta {
			return judged, fmt.Errorf("%s is undecided: within %.3f of %v, want %v", f.Name, judged.Bound, f.Claim, delta)
		}
	}
	judged.Fits = "no known law"
	if law, ok := evidence.BestFit(); ok {
		judged.Fits = law.String()
	}
	return judged, nil
}

// index is the position of a server among those that are in.
func (f Frozen) index(id spec.ServerID) (int, error) {
	i := 0
	for k := range f.Servers {
		in := !slices.Contains(f.Out, k)
		if id == spec.ServerID(firstID+k) {
			if !in {
				return 0, fmt.Errorf("%s picked server %d, whose weight is 0", f.Name, id)
			}
			return i, nil
		}
		if in {
			i++
		}
	}
	return 0, fmt.Errorf("%s picked server %d, which is not in the fleet", f.Name, id)
}

// open builds a new instance and takes away the servers that are out.
func (f Frozen) open() (spec.Picker, error) {
	fleet := Fleet(f.Servers)
	p, err := f.Build(spec.Fleet{Servers: fleet})
	if err != nil || len(f.Out) == 0 {
		return p, err
	}
	u, ok := p.(spec.Updater)
	if !ok {
		return nil, fmt.Errorf("%s has no update, by which a server could be taken away", f.Name)
	}
	for _, k := range f.Out {
		fleet[k].Weight = 0
	}
	return p, u.Update(fleet)
}

// reach opens a new instance and brings it into the state: it fills every server
// up to the largest load, then releases down. It tells the last pick.
func (f Frozen) reach(s oracle.State) (p spec.Picker, last []int, err error) {
	if p, err = f.open(); err != nil {
		return nil, nil, err
	}
	top := int(slices.Max(s.Loads))
	leases := make([][]func(spec.Outcome) error, len(s.Loads))
	last = []int{}
	// A server that is never filled up ends this: a rule that gives some server
	// with room 1/n² or more needs no more, except with probability 1e-12.
	budget := (2*len(leases)*top + 8*28) * len(leases) * len(leases)
	for picks := 0; slices.ContainsFunc(leases, func(l []func(spec.Outcome) error) bool { return len(l) < top }); picks++ {
		if picks == budget {
			return nil, nil, fmt.Errorf("%s never fills: %d picks to have %d at each of %d servers", f.Name, picks, top, len(leases))
		}
		id, done, err := p.Pick(context.Background(), spec.Request{})
		if err != nil {
			return nil, nil, err
		}
		i, err := f.index(id)
		if err != nil {
			return nil, nil, err
		}
		leases[i], last = append(leases[i], done), []int{i}
	}
	for i, load := range s.Loads {
		for _, done := range leases[i][int(load):] {
			if err := done(spec.Outcome{}); err != nil {
				return nil, nil, err
			}
		}
	}
	if f.Settle != nil {
		f.Settle(p)
	}
	return p, last, nil
}

// WithOneOut holds the claims of subjects again with one server of five taken
// away: its share must go to all others as the law has it, and to no neighbour.
func WithOneOut(version string, claims map[string]oracle.Law, subjects []spec.Subject) []Frozen {
	var all []Frozen
	for _, s := range subjects {
		if law := claims[s.Name]; law != nil {
			all = append(all, Frozen{
				Name: s.Name + "/one-out", Version: version, Claim: law,
				Servers: 5, Build: s.New, Out: []int{1},
			})
		}
	}
	return all
}

// frozenStates are states in which laws differ: all equal, a staircase, a pair
// of ties, one busy server.
func frozenStates(n int) []oracle.State {
	equal, staircase, ties, busy := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		staircase[i], ties[i] = float64(i), float64(i/2)
	}
	busy[0] = 5
	return []oracle.State{{Loads: staircase}, {Loads: equal}, {Loads: ties}, {Loads: busy}}
}
