package proxy

import (
	"errors"

	"github.com/picklaw/picklaw/spec"
)

// A Report is that of the specification, with what is known of a live proxy.
type Report struct {
	*spec.Report
	Calibration *Calibration `json:"calibration,omitempty"`
	Requests    uint64       `json:"requests"`
	Moved       int          `json:"moved"` // arrivals at a second server
	Scenarios   []*Timing    `json:"scenarios,omitempty"`
}

// Audit holds the proxy against the properties of its claims.
func (t *Target) Audit(name string, options ...spec.Option) (*Report, error) {
	r := new(Report)
	own := []spec.Option{spec.FixedFleet(t.fleet)}
	if law := spec.ClaimsOf(options...).Law; law != nil {
		c, err := t.Calibrate(law)
		var subject *spec.Misbehaviour
		switch {
		case errors.As(err, &subject): // the properties will say so
			c = &Calibration{SettleMS: ms(t.Settle), Contamination: Undeclared, Text: subject.Error()}
		case err != nil:
			return nil, err
		}
		r.Calibration = c
		own = append(own, spec.Contamination(c.Contamination))
	}
	s := spec.Subject{Name: name, New: t.Factory()}
	r.Report = s.Check(append(own, options...)...)
	r.Requests, r.Moved = t.Requests(), t.Moved()
	return r, nil
}
