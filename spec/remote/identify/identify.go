package identify

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// Options say how hard to look.
type Options struct {
	// Alpha bounds the probability that the law of the balancer is refuted, and
	// that of every single observation that is not so.
	Alpha float64
	Seed  uint64
	// Picks bounds the picks that tell laws apart.
	Picks int
	// Within is the distance, in total variation, to which a law is confirmed.
	Within float64
	// Contamination bounds the probability of a stray pick.
	Contamination float64
	// Fleet is the only one that the balancer has; nil when it takes any.
	Fleet []spec.Server
	// RealTime says that a pick takes milliseconds, as that of a proxy does.
	RealTime bool
}

// Default is for balancers that answer in microseconds.
var Default = Options{Alpha: spec.DefaultAlpha, Seed: 1, Picks: 20_000, Within: 0.1}

// A Result is what was found.
type Result struct {
	Refuted   []Refuted `json:"refuted"`
	Remaining []string  `json:"remaining"` // empty: no known law
	// EqualWeights is what a law of weights comes down to when all are equal; it is
	// empty for the other laws.
	EqualWeights []string `json:"equal_weights,omitempty"`
	Observations []string `json:"observations"`
	Picks        int      `json:"picks"` // that told laws apart
	// Within bounds the distance between the balancer and the remaining law at the
	// states tried, 1 when it was not confirmed.
	Within float64 `json:"within"`
}

// Refuted is a law that the balancer does not follow, and after how many picks
// that was certain.
type Refuted struct {
	Law   string `json:"law"`
	Picks int    `json:"picks"`
}

// Spellings of what is no law of the requests in flight.
const (
	Hash          = "hash"           // the key decides alone
	LatencyDriven = "latency-driven" // no known law, and latencies matter
)

// stages share the probability of a wrong refutation or observation.
const stages = 8

// A search is one identification under way.
type search struct {
	factory spec.Factory
	Options
	result Result
	best   oracle.Law // what the picks fit, once that is clear
	// What its looks found out: latencies matter, failures matter.
	learns, failing bool
}

// Identify drives balancers of the factory. It fails when the options are out
// of range, or when the balancer does something that keeps it from being driven
// at all; then the error is a *spec.Misbehaviour.
func Identify(f spec.Factory, o Options) (*Result, error) {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return nil, fmt.Errorf("identify: alpha is %v, want a probability in (0, 1)", o.Alpha)
	case o.Picks < 1:
		return nil, fmt.Errorf("identify: %d picks, want at least 1", o.Picks)
	case !(o.Contamination >= 0 && o.Contamination < 0.5):
		return nil, fmt.Errorf("identify: the contamination is %v, want a probability below 1/2", o.Contamination)
	case !(o.Within > 2*o.Contamination && o.Within <= 1):
		return nil, fmt.Errorf("identify: a law cannot be confirmed within %v, want more than twice the contamination and at most 1", o.Within)
	case o.Fleet != nil && len(o.Fleet) < 2:
		return nil, fmt.Errorf("identify: the fleet has %d servers, want at least 2", len(o.Fleet))
	}
	s := &search{factory: f, Options: o}
	s.result.Refuted, s.result.Remaining, s.result.Observations = []Refuted{}, []string{}, []string{}
	s.result.Within = 1
	keyed, err := s.keys()
	if err != nil {
		return nil, err
	}
	if !keyed {
		if err := s.laws(); err != nil {
			return nil, err
		}
		if err := s.look(); err != nil {
			return nil, err
		}
	}
	return &s.result, nil
}

// fleet is the fleet to look at: seven servers, an odd number, unless the
// balancer has one of its own.
func (s *search) fleet() []spec.Server {
	if s.Fleet != nil {
		return s.Fleet
	}
	return policies.Fleet(7)
}

func (s *search) drive(fleet []spec.Server, stage uint64) (*spec.Driver, error) {
	return spec.Drive(s.factory, spec.Fleet{Servers: fleet, Seed: s.Seed + stage}, s.Alpha/stages)
}

// observe notes something, once: numbers alone make no other observation.
func (s *search) observe(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(s.result.Observations, func(o string) bool { return numbers.ReplaceAllString(o, "") == numbers.ReplaceAllString(text, "") }) {
		s.result.Observations = append(s.result.Observations, text)
	}
}

var numbers = regexp.MustCompile(`[0-9., ]+`)

// evidence starts an audit of a claim with a share of alpha.
func (s *search) evidence(claim oracle.Law, rivals []oracle.Law) *oracle.Evidence {
	e, err := oracle.NewEvidence(oracle.Audit{
		Claim: claim, Rivals: rivals, Alpha: s.Alpha / stages, Contamination: s.Contamination,
	})
	if err != nil {
		panic("identify: " + err.Error()) // the options were checked
	}
	return e
}

// candidates are the laws that are told apart on a fleet.
func candidates(fleet []spec.Server) []oracle.Law {
	known := oracle.KnownLaws(len(fleet))
	if weightsOf(fleet) != nil {
		known = append(known, weightedLaws()...)
	}
	return known
}

// weightedLaws are those that read weights.
func weightedLaws() []oracle.Law { return append(oracle.WeightedLaws(), oracle.WeightedRoundRobin{}) }

// weightsOf is nil when all weights are equal.
func weightsOf(fleet []spec.Server) []uint64 {
	var weights []uint64
	equal := true
	for _, s := range fleet {
		weights = append(weights, s.Weight)
		equal = equal && s.Weight == fleet[0].Weight
	}
	if equal {
		return nil
	}
	return weights
}

// views are the states that are played on a fleet.
func views(fleet []spec.Server) []oracle.State {
	all := oracle.Views(len(fleet))
	for i := range all {
		all[i].Weights = weightsOf(fleet)
		all[i].History = []int{0} // so that rotations show in what a state can tell
	}
	return all
}

// laws tells laws apart on the fleet, and on one with unequal weights.
func (s *search) laws() error {
	fleet := s.fleet()
	d, err := s.drive(fleet, 1)
	if err != nil {
		return err
	}
	defer d.Close()
	e := s.evidence(oracle.Random{}, candidates(fleet))
	if err := s.tellApart(d, fleet, e, s.Picks); err != nil {
		return err
	}
	s.result.Picks = e.Picks()
	s.result.Remaining = append(s.result.Remaining, spellings(e.Remaining())...)
	left := e.Remaining()
	if best, ok := e.BestFit(); ok { // it goes first
		left = slices.DeleteFunc(left, func(l oracle.Law) bool { return l.String() == best.String() })
		left = append([]oracle.Law{best}, left...)
	}
	for _, law := range left {
		convicted, bound, picks, err := s.confirm(d, fleet, law, s.Within)
		if err != nil {
			return err
		}
		if !convicted {
			if bound < 1 {
				s.best, s.result.Within = law, bound
			}
			return nil
		}
		s.result.Refuted = append(s.result.Refuted, Refuted{law.String(), s.result.Picks + picks})
		s.result.Remaining = slices.DeleteFunc(s.result.Remaining, func(n string) bool { return n == law.String() })
	}
	return nil
}

// tellApart plays states until the law that fits best is the only one left, or
// none of those left can be told from it.
func (s *search) tellApart(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, picks int) error {
	menu := newMenu(fleet, s.Alpha/stages, s.Contamination)
	refuted := make(map[string]bool)
	note := func() {
		for _, l := range e.Refuted() {
			if name := l.String(); !refuted[name] {
				refuted[name] = true
				s.result.Refuted = append(s.result.Refuted, Refuted{name, e.Picks()})
			}
		}
	}
	first := true
	for e.Picks() < picks {
		state, round := menu.views[0], 20
		if !first {
			best, _ := e.BestFit()
			var ok bool
			if state, round, ok = menu.next(best, e.Remaining()); !ok {
				break
			}
		}
		first = false
		err := d.Reach(state.Loads)
		var subject *spec.Misbehaviour
		if errors.As(err, &subject) && subject.Finding == spec.NeverFills {
			s.observe("%s", subject.Text)
			return s.walk(d, fleet, e, note)
		}
		if err != nil {
			return err
		}
		for range min(round, picks-e.Picks()) {
			if err := s.take(d, fleet, e, false); err != nil {
				return err
			}
			note()
		}
	}
	return nil
}

// take takes one pick in the present state as evidence, and releases it unless
// it is kept.
func (s *search) take(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, keep bool) error {
	state := oracle.State{Loads: d.InFlight(), Weights: weightsOf(fleet), History: slices.Clone(d.Lately())}
	var i int
	var err error
	if keep {
		i, err = d.Acquire(spec.Request{})
	} else {
		i, err = d.Probe(spec.Request{})
	}
	if err != nil {
		return err
	}
	return e.Observe(state, i)
}

// walk is for balancers that cannot be brought into a state: it takes and keeps
// picks from idle, again and again.
func (s *search) walk(d *spec.Driver, fleet []spec.Server, e *oracle.Evidence, note func()) error {
	for range 20 {
		if err := d.Drain(); err != nil {
			return err
		}
		for range 3 * len(fleet) {
			if err := s.take(d, fleet, e, true); err != nil {
				return err
			}
			note()
		}
	}
	return d.Drain()
}

// confirm takes fresh picks, with a law as the claim that was chosen without
// them, and returns how far the balancer can be from it. It convicts as well when
// some server cannot be filled up, which happens with a share of alpha at most
// under every law that is known, but for the one that prefers the heavier.
func (s *search) confirm(d *spec.Driver, fleet []spec.Server, law oracle.Law, within float64) (convicted bool, bound float64, picks int, err error) {
	chosen := views(fleet)
	for i := range chosen {
		chosen[i].History = nil
	}
	e := s.evidence(law, candidates(fleet))
	audit := oracle.Audit{Claim: law, Alpha: s.Alpha / stages, Contamination: s.Contamination}
	each, err := audit.PicksFor(chosen, within, 1e-6)
	if err != nil {
		return false, 1, 0, err
	}
	for _, state := range chosen {
		if err := d.Reach(state.Loads); err != nil {
			var subject *spec.Misbehaviour
			if errors.As(err, &subject) && subject.Finding == spec.NeverFills {
				_, heavier := law.(oracle.HeavierOfD)
				return !heavier, 1, e.Picks(), d.Drain()
			}
			return false, 1, e.Picks(), err
		}
		for range each {
			if err := s.take(d, fleet, e, false); err != nil {
				return false, 1, e.Picks(), err
			}
			if e.Convicted() {
				return true, 1, e.Picks(), nil
			}
		}
	}
	return false, e.Bound(), e.Picks(), nil
}

func spellings(laws []oracle.Law) []string {
	names := make([]string, len(laws))
	for i, l := range laws {
		names[i] = l.String()
	}
	return names
}

// A menu knows which states tell which laws apart, and at what price.
type menu struct {
	views []oracle.State
	alpha float64
	c     float64
	price map[string]float64
}

func newMenu(fleet []spec.Server, alpha, contamination float64) *menu {
	return &menu{views: views(fleet), alpha: alpha, c: contamination, price: make(map[string]float64)}
}

// cost is the mean number of picks that no test can do without to refute a law
// in a state when another one is true.
func (m *menu) cost(claim, truth oracle.Law, k int) float64 {
	key := fmt.Sprint(claim, " ", truth, " ", k)
	c, known := m.price[key]
	if !known {
		var err error
		if c, err = (oracle.Audit{Claim: claim, Alpha: m.alpha, Contamination: m.c}).LimitPicks(truth, m.views[k:k+1]); err != nil {
			c = math.Inf(1)
		}
		m.price[key] = c
	}
	return c
}

// next is the state in which the law that fits best is told from one of the
// others most cheaply, and how many picks to take there. It is not ok when no
// state tells it from any of them.
func (m *menu) next(best oracle.Law, remaining []oracle.Law) (state oracle.State, picks int, ok bool) {
	cheapest := math.Inf(1)
	for _, l := range remaining {
		if l.String() == best.String() {
			continue
		}
		for k := range m.views {
			if c := m.cost(l, best, k); c < cheapest {
				cheapest, state, ok = c, m.views[k], true
			}
		}
	}
	return state, int(min(max(cheapest, 20), 400)), ok
}
