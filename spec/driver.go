package spec

import (
	"context"
	"errors"
	"fmt"
)

// A Driver drives one balancer outside of any property: it reaches states,
// takes single picks from them, and knows what is in flight because nobody else
// drives it. Audits that look for something other than a claim are built on it.
type Driver struct{ a *auditor }

// A Misbehaviour is what a subject did and must not do, as an error.
type Misbehaviour struct {
	Finding Finding
	Text    string
}

func (m *Misbehaviour) Error() string { return fmt.Sprintf("%s: %s", m.Finding, m.Text) }

// ErrGaveUp is returned when an adapter gave up: see GiveUp.
var ErrGaveUp = errors.New("gave up")

// Drive builds a balancer over a fleet. An honest one is taken for one that
// never fills its servers up with probability beta in each state at most.
func Drive(f Factory, fleet Fleet, beta float64) (*Driver, error) {
	d := new(Driver)
	err := misbehaviour(func() {
		d.a = (&Run{Subject: Subject{New: f}, Beta: beta}).open(fleet)
	})
	return d, err
}

// Reach brings the balancer into a state with these requests in flight. It fails
// with a Misbehaviour of finding NeverFills when the balancer never sends that
// many to some server.
func (d *Driver) Reach(loads []float64) error {
	return misbehaviour(func() { d.a.reach(loads) })
}

// Probe takes one pick and releases it at once; it returns the index of the
// server in the fleet.
func (d *Driver) Probe(q Request) (i int, err error) {
	err = misbehaviour(func() { i = d.a.probe(q) })
	return i, err
}

// Acquire takes one pick and keeps it in flight.
func (d *Driver) Acquire(q Request) (i int, err error) {
	err = misbehaviour(func() { i = d.a.acquire(q) })
	return i, err
}

// Lease takes one pick that the driver does not count, and returns its end, which
// may be called more than once. What the balancer refuses is a Misbehaviour of
// finding Refused.
func (d *Driver) Lease(ctx context.Context, q Request) (i int, end func(Outcome) error, err error) {
	var l lease
	err = misbehaviour(func() {
		i, l = d.a.pick(ctx, q)
		d.a.history = append(d.a.history, i)
	})
	return i, func(o Outcome) error { return misbehaviour(func() { d.a.end(l, o) }) }, err
}

// Release ends the oldest request in flight at server i. It panics when there
// is none.
func (d *Driver) Release(i int, o Outcome) error {
	if len(d.a.leases[i]) == 0 {
		panic(fmt.Sprintf("spec: nothing is in flight at server %d", i))
	}
	return misbehaviour(func() { d.a.release(i, o) })
}

// Drain ends every request.
func (d *Driver) Drain() error { return misbehaviour(d.a.drain) }

// InFlight is what is open at each server.
func (d *Driver) InFlight() []float64 { return d.a.inFlight() }

// Lately is the last picks, as the History of an oracle.State.
func (d *Driver) Lately() []int { return d.a.lately() }

// Picker is the balancer itself, for its optional abilities.
func (d *Driver) Picker() Picker { return d.a.picker }

// Update replaces the fleet by one of the same size in which servers keep their
// places; it fails when the balancer is no Updater or refuses.
func (d *Driver) Update(fleet []Server) error {
	u, ok := d.a.picker.(Updater)
	if !ok {
		return errors.New("spec: the balancer has no Update")
	}
	return misbehaviour(func() {
		if err := d.a.run.refit(u, fleet); err != nil {
			panic(&fault{Refused, "it refused an update: " + err.Error()})
		}
	})
}

// Change ends every request and brings the balancer to another fleet: by an
// update where it has one, else by building it anew.
func (d *Driver) Change(fleet []Server) error {
	return misbehaviour(func() { d.a = d.a.change(fleet) })
}

// Close frees the balancer.
func (d *Driver) Close() { d.a.run.close() }

// misbehaviour runs f and returns the fault that ended it.
func misbehaviour(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *fault:
			err = &Misbehaviour{v.finding, v.text}
			if v.finding == gaveUp {
				err = fmt.Errorf("%w: %s", ErrGaveUp, v.text)
			}
		default:
			panic(v)
		}
	}()
	f()
	return nil
}
