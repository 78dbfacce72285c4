//go:build !mutants

package policies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// PeakEWMA picks the server with the smallest estimated wait,
//
//	score = estimate · (load + 1),
//
// where the estimate follows the latency of the server: it jumps up to every
// peak at once and comes down as an exponentially weighted moving average over
// time (Finagle's peak EWMA, Twitter 2014). With D = 0 it scans the whole fleet;
// otherwise it compares D distinct servers drawn at random.
//
// No news is the prior: a server never heard from has the estimate Prior, and
// silence decays an estimate towards Prior. So a newcomer is not flooded, a
// server that was once slow is tried again, and idleness never makes an
// estimate vanish. Only Observe stores; a pick just reads. A latency below the
// resolution of the clock counts as one nanosecond, so that the load always
// tells.
type PeakEWMA struct {
	D     int           // servers to compare, 0 for all
	Tau   time.Duration // time constant of the decay, positive
	Prior time.Duration // latency of a server that nothing is known of, positive

	estimates map[ServerID]estimate
}

type estimate struct {
	latency float64 // seconds
	at      time.Duration
}

// Pick compares the scores of D servers, or of all of them.
func (p *PeakEWMA) Pick(_ Request, v View, c Coins) int {
	return best(p.D, v, c, p.Score)
}

// Score is the estimated wait at server i, in seconds.
func (p *PeakEWMA) Score(v View, i int) float64 {
	return p.Estimate(v.Server(i).ID, v.Now()) * (heaviness(v, i) + 1)
}

// Estimate is the latency expected of a server at a time, in seconds.
func (p *PeakEWMA) Estimate(id ServerID, now time.Duration) float64 {
	prior := p.Prior.Seconds()
	e, heard := p.estimates[id]
	if !heard {
		return prior
	}
	return prior + (e.latency-prior)*p.remaining(now-e.at)
}

// remaining is the part of an old estimate that is left after a silence. A
// clock that ran backwards counts as no time at all.
func (p *PeakEWMA) remaining(silence time.Duration) float64 {
	return math.Exp(-max(silence, 0).Seconds() / p.Tau.Seconds())
}

// Observe takes the latency of a request into the estimate of its server. The
// verdict is not read.
func (p *PeakEWMA) Observe(id ServerID, o Outcome) {
	if p.estimates == nil {
		p.estimates = make(map[ServerID]estimate)
	}
	latency, at := max(o.Latency, 1).Seconds(), o.At
	if e, heard := p.estimates[id]; heard {
		if latency < e.latency {
			w := p.remaining(at - e.at)
			latency = e.latency*w + latency*(1-w)
		}
		at = max(at, e.at) // late news does not turn back the clock
	}
	p.estimates[id] = estimate{latency, at}
}

// Update forgets the servers that are gone; survivors keep their estimates.
func (p *PeakEWMA) Update(all []Server) { forget(p.estimates, all) }

// Clone returns an independent copy.
func (p *PeakEWMA) Clone() Policy {
	twin := *p
	twin.estimates = maps.Clone(p.estimates)
	return &twin
}

// State lists the estimates, to the last bit.
func (p *PeakEWMA) State() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(p.estimates)) {
		e := p.estimates[id]
		fmt.Fprintf(&b, "%d:%x@%d ", id, math.Float64bits(e.latency), e.at)
	}
	return b.String()
}

// Check says what is wrong with the parameters.
func (p *PeakEWMA) Check() error {
	return firstError(checkD("PeakEWMA.D", p.D, 0), checkPositive("PeakEWMA.Tau", p.Tau), checkPositive("PeakEWMA.Prior", p.Prior))
}
