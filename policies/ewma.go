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

// EWMA picks the server with the smallest estimated wait,
//
//	score = estimate · (load + 1),
//
// where the estimate is a plain exponentially weighted moving average over the
// requests of a server: each latency x moves it from e to (1-Alpha)·e + Alpha·x,
// however much time has passed (Roberts 1959, eq. 1). Silence changes nothing:
// PeakEWMA is the one that forgets.
type EWMA struct {
	D      int                        // servers to compare, 0 for all
	Alpha  float64                    // weight of the newest latency, in (0, 1]
	Prior  time.Duration              // latency of a server that nothing is known of, positive
	Priors map[ServerID]time.Duration // of servers that something is known of; may be nil

	estimates map[ServerID]float64 // seconds
}

// Pick compares the scores of D servers, or of all of them.
func (e *EWMA) Pick(_ Request, v View, c Coins) int { return best(e.D, v, c, e.Score) }

// Score is the estimated wait at server i, in seconds.
func (e *EWMA) Score(v View, i int) float64 {
	return e.Estimate(v.Server(i).ID, v.Now()) * (heaviness(v, i) + 1)
}

// Estimate is the latency expected of a server, in seconds, at any time.
func (e *EWMA) Estimate(id ServerID, _ time.Duration) float64 {
	if estimate, heard := e.estimates[id]; heard {
		return estimate
	}
	if prior, known := e.Priors[id]; known {
		return prior.Seconds()
	}
	return e.Prior.Seconds()
}

// Observe takes the latency of a request into the estimate of its server. The
// verdict is not read.
func (e *EWMA) Observe(id ServerID, o Outcome) {
	if e.estimates == nil {
		e.estimates = make(map[ServerID]float64)
	}
	old, latest := e.Estimate(id, o.At), max(o.Latency, 1).Seconds()
	// The conversions forbid a fused multiply-add: every machine gets the same bits.
	e.estimates[id] = float64((1-e.Alpha)*old) + float64(e.Alpha*latest)
}

// Update forgets the servers that are gone; survivors keep their estimates.
func (e *EWMA) Update(all []Server) { forget(e.estimates, all) }

// Clone returns an independent copy.
func (e *EWMA) Clone() Policy {
	twin := *e
	twin.estimates = maps.Clone(e.estimates)
	return &twin
}

// State lists the estimates, to the last bit.
func (e *EWMA) State() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(e.estimates)) {
		fmt.Fprintf(&b, "%d:%x ", id, math.Float64bits(e.estimates[id]))
	}
	return b.String()
}

// Check says what is wrong with the parameters.
func (e *EWMA) Check() error {
	if !(e.Alpha > 0 && e.Alpha <= 1) {
		return fmt.Errorf("policies: EWMA.Alpha is %v, want more than 0 and at most 1", e.Alpha)
	}
	for id, prior := range e.Priors {
		if err := checkPositive(fmt.Sprintf("EWMA.Priors[%d]", id), prior); err != nil {
			return err
		}
	}
	return firstError(checkD("EWMA.D", e.D, 0), checkPositive("EWMA.Prior", e.Prior))
}

// forget drops what is known of servers that are not in the fleet.
func forget[T any](known map[ServerID]T, fleet []Server) {
	maps.DeleteFunc(known, func(id ServerID, _ T) bool {
		return !slices.ContainsFunc(fleet, func(s Server) bool { return s.ID == id })
	})
}
