package proxy

import (
	"fmt"
	"slices"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// Undeclared is the contamination that is taken for granted where it cannot be
// measured, because the claimed law forbids no server in any state. Of proxies
// that were tried, none strayed in more than 1 of 1000 picks once it had settled.
const Undeclared = 0.01

// A Calibration says how picks were kept apart from each other.
type Calibration struct {
	SettleMS float64 `json:"settle_ms"`
	// Contamination bounds the probability of a stray pick.
	Contamination float64 `json:"contamination"`
	// Probes and Forbidden count the picks in a state in which the claimed law
	// forbids some servers, and those that went to one of them; 0 when no state is
	// like that.
	Probes    int    `json:"probes"`
	Forbidden int    `json:"forbidden"`
	Text      string `json:"text"` // the same in a sentence
}

// Calibrate finds out how long the proxy must be left alone after a response
// until its next pick knows of it, and how many strays there still are. It takes
// picks in a state in which the claimed law forbids some server, and waits longer
// and longer until there is none there.
//
// Picks that do not become fewer, however long it waits, are the law of the proxy
// and no strays; to take them for strays would be to excuse what is judged.
func (t *Target) Calibrate(law oracle.Law) (*Calibration, error) {
	loads, forbidden, err := t.forbidding(law)
	if err != nil || loads == nil {
		return &Calibration{
			SettleMS: ms(t.Settle), Contamination: Undeclared,
			Text: fmt.Sprintf("%v forbids no server in any state, so strays cannot be seen; %v is taken for their rate", law, Undeclared),
		}, err
	}
	d, err := spec.Drive(t.Factory(), spec.Fleet{Servers: t.fleet}, 1e-9)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Reach(loads); err != nil {
		return nil, err
	}
	probes := t.probes
	var waits []time.Duration
	var strays []int
	for wait := t.Settle; ; wait *= 4 {
		t.Settle = wait
		n := 0
		for range probes {
			i, err := d.Probe(spec.Request{})
			if err != nil {
				return nil, err
			}
			if forbidden[i] {
				n++
			}
		}
		waits, strays = append(waits, wait), append(strays, n)
		if n == 0 || len(waits) == 3 {
			break
		}
	}
	// The shortest wait after which there are no more of them than after the
	// longest, as far as these probes can tell.
	last := strays[len(strays)-1]
	best := slices.IndexFunc(strays, func(n int) bool { return !more(n, last) })
	t.Settle = waits[best]
	c := &Calibration{SettleMS: ms(t.Settle), Probes: probes, Forbidden: strays[best]}
	own := last > 0 && !more(strays[0], last)
	seen := strays[best]
	if own {
		seen = 0
	}
	_, c.Contamination, err = oracle.BinomialInterval(seen, probes, 0.02)
	if err != nil {
		return nil, err
	}
	if !own {
		c.Text = fmt.Sprintf("%d of %d picks were strays, %v after each response; their rate is at most %.3f with confidence 0.99",
			seen, probes, t.Settle, c.Contamination)
	} else {
		c.Text = fmt.Sprintf("%d of %d picks were forbidden %v after each response, and %d were after %v: they are picks, not strays, whose rate is taken for %.3f",
			strays[best], probes, t.Settle, last, waits[len(waits)-1], c.Contamination)
	}
	return c, nil
}

// more tells whether a count is larger than another one out of as many: whether
// of all that were counted, too many to be half of them by chance are in it.
func more(a, b int) bool {
	if a <= b {
		return false
	}
	p, err := oracle.BinomialTest(a, a+b, 0.5)
	return err == nil && p < 1e-3
}

// forbidding is a state with few requests in flight in which the law never picks
// some servers; nil when there is none.
func (t *Target) forbidding(law oracle.Law) (loads []float64, forbidden []bool, err error) {
	n := len(t.fleet)
	staircase, one := make([]float64, n), make([]float64, n)
	for i := range n {
		staircase[i], one[i] = float64(i), 1
	}
	one[n-1] = 0
	for _, loads := range [][]float64{one, staircase} {
		p, err := law.Probabilities(oracle.State{Loads: loads, Weights: t.weights()})
		if err != nil {
			return nil, nil, err
		}
		forbidden := make([]bool, n)
		for i, x := range p {
			forbidden[i] = x.Sign() == 0
		}
		if slices.Contains(forbidden, true) {
			return loads, forbidden, nil
		}
	}
	return nil, nil, nil
}

// weights of the fleet, nil when they are equal.
func (t *Target) weights() []uint64 {
	var weights []uint64
	equal := true
	for _, s := range t.fleet {
		weights = append(weights, s.Weight)
		equal = equal && s.Weight == t.fleet[0].Weight
	}
	if equal {
		return nil
	}
	return weights
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
