package identify

import (
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
	// Alpha bounds the probability that the law of the balancer is refuted, or that
	// anything is observed that is not so.
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
	// Traced keeps a Trace.
	Traced bool
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
	// Observations are what the law leaves open: that weights are ignored, that
	// latencies matter.
	Observations []string `json:"observations"`
	// Deviations are what contradicts the remaining law, although its picks in a
	// steady fleet do not: after requests that ended in some way, after updates, in
	// fleets of other sizes, from fresh balancers.
	Deviations []string `json:"deviations"`
	Picks      int      `json:"picks"` // that told laws apart
	// Within bounds the distance between the balancer and the remaining law at the
	// states tried, 1 when it was not confirmed.
	Within float64 `json:"within"`
	Trace  *Trace  `json:"-"` // for pictures, if it was wanted
}

// Clean tells that one law is left and that nothing contradicts it.
func (r *Result) Clean() bool { return len(r.Remaining) == 1 && len(r.Deviations) == 0 }

// Refuted is a law that the balancer does not follow, and after how many picks
// that was certain.
type Refuted struct {
	Law   string `json:"law"`
	Picks int    `json:"picks"`
}

// Spellings of what is no law of the requests in flight.
const (
	Hash          = "hash"                                  // the key decides alone
	AnyTie        = "least-request, its ties not at random" // a rotation among the minima, say
	LatencyDriven = "latency-driven"                        // no law of the requests in flight, since latencies matter
)

// shares is how many judgements of a run may err: each gets an equal part of
// alpha, and asking for more is a mistake of this package.
const shares = 256

// fills is how many states of one balancer are reached at most, in each of which
// an honest one might be taken for one that never fills up: the menu is asked
// after 20 picks at least.
func (o Options) fills() float64 { return float64(o.Picks)/20 + 100 }

// A search is one identification under way.
type search struct {
	factory spec.Factory
	Options
	result Result
	// tracing is the trace while laws are told apart on the main fleet.
	tracing *Trace
	spent   int        // shares of alpha
	best    oracle.Law // what the picks fit, once that is clear
	loaded  oracle.Law // the law of weights that they fit
	// What its looks found out: latencies matter, failures matter.
	learns, failing bool
	// mute lets every pick end as a cancelled request, which teaches nothing.
	mute bool
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
	s.result.Refuted, s.result.Remaining = []Refuted{}, []string{}
	s.result.Observations, s.result.Deviations = []string{}, []string{}
	s.result.Within = 1
	if o.Traced {
		s.result.Trace = &Trace{Needed: math.Log(shares / o.Alpha)}
	}
	keyed, err := s.keys()
	if err != nil {
		return nil, err
	}
	if keyed {
		return &s.result, s.look(s.keyed()...)
	}
	if err := s.laws(); err != nil {
		return nil, err
	}
	return &s.result, s.look(s.unkeyed()...)
}

// fleet is the fleet to look at: seven servers, an odd number, unless the
// balancer has one of its own.
func (s *search) fleet() []spec.Server {
	if s.Fleet != nil {
		return s.Fleet
	}
	return policies.Fleet(7)
}

// share takes one part of alpha.
func (s *search) share() float64 {
	if s.spent++; s.spent > shares {
		panic(fmt.Sprintf("identify: more than %d judgements", shares))
	}
	return s.Alpha / shares
}

// drive builds a balancer, with chance of its own for each purpose.
func (s *search) drive(fleet []spec.Server, purpose string) (*spec.Driver, error) {
	return spec.Drive(s.factory, spec.Fleet{Servers: fleet, Seed: oracle.Stream(s.Seed, "identify "+purpose) >> 11}, s.share()/s.fills())
}

// observe notes what the law leaves open, and deviate what contradicts it.
func (s *search) observe(format string, args ...any) {
	s.result.Observations = noted(s.result.Observations, fmt.Sprintf(format, args...))
}

func (s *search) deviate(format string, args ...any) {
	s.result.Deviations = noted(s.result.Deviations, fmt.Sprintf(format, args...))
}

// noted adds a text once: numbers alone make no other one.
func noted(all []string, text string) []string {
	plain := func(t string) string { return numbers.ReplaceAllString(t, "") }
	if slices.ContainsFunc(all, func(o string) bool { return plain(o) == plain(text) }) {
		return all
	}
	return append(all, text)
}

var numbers = regexp.MustCompile(`[0-9., ]+`)

// evidence starts an audit of a claim with a share of alpha.
func (s *search) evidence(claim oracle.Law, rivals []oracle.Law) *oracle.Evidence {
	e, err := oracle.NewEvidence(oracle.Audit{
		Claim: claim, Rivals: rivals, Alpha: s.share(), Contamination: s.Contamination,
	})
	if err != nil {
		panic("identify: " + err.Error()) // the options were checked
	}
	return e
}
