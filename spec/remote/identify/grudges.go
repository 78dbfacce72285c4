package identify

import (
	"context"
	"slices"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// grudges looks how failures are remembered: for how long, of whom, across an
// update, and against how many requests. Picks are cancelled, so that they teach
// nothing.
func (s *search) grudges() error {
	if !s.failing || s.learns {
		return nil
	}
	s.mute = true
	last := len(s.fleet()) - 1
	after := func(name string, failures, others int, then func(*spec.Driver) error) error {
		d, err := s.drive(s.fleet(), "grudge "+name)
		if err != nil {
			return err
		}
		defer d.Close()
		if _, virtual := d.Picker().(spec.Sleeper); !virtual {
			return nil // it would take as long as it takes
		}
		ends, err := gather(d, last, failures)
		if err != nil {
			return err
		}
		for _, end := range ends {
			if err := end(spec.Outcome{Failed: true}); err != nil {
				return err
			}
		}
		if err := then(d); err != nil {
			return err
		}
		loads := slices.Repeat([]float64{float64(others)}, last+1)
		loads[last] = 0
		for picks := 0; slices.Min(d.InFlight()[:last]) < float64(others); picks++ { // whoever is picked meanwhile
			if picks == gatherBudget {
				return errHardly
			}
			if _, err := d.Acquire(spec.Request{}); err != nil {
				return err
			}
		}
		if err := release(d, loads); err != nil {
			return err
		}
		got := 0
		for range 200 {
			i, err := d.Acquire(spec.Request{})
			if err != nil {
				return err
			}
			if i == last {
				got++
			}
			if err := release(d, loads); err != nil {
				return err
			}
		}
		s.observe("%s, the server that failed is %s: it got %d of 200 picks", name, howOften(got), got)
		return nil
	}
	for _, c := range []struct {
		name string
		wait time.Duration
	}{
		{"at once after a failure", 0}, {"a second after a failure", time.Second}, {"four seconds after a failure", 4 * time.Second},
		{"eight seconds after a failure", 8 * time.Second}, {"half a minute after a failure", 30 * time.Second}, {"a day after a failure", 24 * time.Hour},
	} {
		if err := after(c.name, 1, 0, func(d *spec.Driver) error { pass(d, c.wait); return nil }); err != nil {
			return err
		}
	}
	if err := after("after four hundred failures, and with a few requests less at every other server", 400, 350, func(*spec.Driver) error { return nil }); err != nil {
		return err
	}
	return after("after a failure, and a visitor that joined and left", 1, 0, func(d *spec.Driver) error {
		if _, updates := d.Picker().(spec.Updater); !updates {
			return nil
		}
		if err := d.Update(append(slices.Clone(s.fleet()), visitor)); err != nil {
			return err
		}
		return d.Update(s.fleet())
	})
}

// gatherBudget is far more than balancers take that pick every server at times.
const gatherBudget = 100_000

var errHardly = &spec.Misbehaviour{Finding: spec.NeverFills, Text: "some server was hardly ever picked"}

// gather takes requests until a server has so many, and cancels the others.
func gather(d *spec.Driver, who, wanted int) (ends []func(spec.Outcome) error, err error) {
	var others []func(spec.Outcome) error
	for picks := 0; len(ends) < wanted; picks++ {
		if picks == gatherBudget {
			return nil, errHardly
		}
		i, end, err := d.Lease(context.Background(), spec.Request{})
		if err != nil {
			return nil, err
		}
		if i == who {
			ends = append(ends, end)
		} else {
			others = append(others, end)
		}
	}
	for _, end := range others {
		if err := end(spec.Outcome{Canceled: true}); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// release cancels requests down to these loads.
func release(d *spec.Driver, loads []float64) error {
	for i, load := range loads {
		for d.InFlight()[i] > load {
			if err := d.Release(i, spec.Outcome{Canceled: true}); err != nil {
				return err
			}
		}
	}
	return nil
}
