//go:build !mutants

package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// OverSuccess divides the score of a latency policy by the share of requests
// that a server answers well,
//
//	score = latency score / ((ok+1) / (ok+failed+2)),
//
// the share smoothed by Laplace's rule of succession (1774), so that a server
// never heard from counts as one half. A server that fails fast has a short
// latency but no success, so speed alone cannot draw the traffic.
type OverSuccess struct {
	D       int     // servers to compare, 0 for all
	Latency Latency // whose Score is divided

	counts map[ServerID]verdicts
}

type verdicts struct{ ok, failed int }

// success is the smoothed share of good answers.
func (n verdicts) success() float64 { return float64(n.ok+1) / float64(n.ok+n.failed+2) }

// Pick compares the scores of D servers, or of all of them.
func (p *OverSuccess) Pick(_ Request, v View, c Coins) int { return best(p.D, v, c, p.Score) }

// Score is the latency score of server i over its success.
func (p *OverSuccess) Score(v View, i int) float64 {
	return p.Latency.Score(v, i) / p.counts[v.Server(i).ID].success()
}

// Observe counts the verdict and passes the outcome on.
func (p *OverSuccess) Observe(id ServerID, o Outcome) {
	p.Latency.Observe(id, o)
	if p.counts == nil {
		p.counts = make(map[ServerID]verdicts)
	}
	n := p.counts[id]
	if o.Failed {
		n.failed++
	} else {
		n.ok++
	}
	p.counts[id] = n
}

// Update forgets the servers that are gone; survivors keep their counts.
func (p *OverSuccess) Update(all []Server) {
	p.Latency.Update(all)
	forget(p.counts, all)
}

// Clone returns an independent copy.
func (p *OverSuccess) Clone() Policy {
	return &OverSuccess{D: p.D, Latency: p.Latency.Clone().(Latency), counts: maps.Clone(p.counts)}
}

// State is that of the latency policy, with the counts.
func (p *OverSuccess) State() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(p.counts)) {
		fmt.Fprintf(&b, "%d:%d/%d ", id, p.counts[id].ok, p.counts[id].failed)
	}
	return b.String() + "| " + p.Latency.State()
}

// Check says what is wrong with the parameters.
func (p *OverSuccess) Check() error {
	if p.Latency == nil {
		return errNil("OverSuccess.Latency", "Latency, such as *EWMA or *PeakEWMA")
	}
	return firstError(checkD("OverSuccess.D", p.D, 0), Check(p.Latency))
}
