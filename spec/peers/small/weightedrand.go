package main

import (
	"context"

	"github.com/mroth/weightedrand/v2"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const weightedrandVersion = "github.com/mroth/weightedrand/v2 v2.1.0"

var weightedrandSubjects = []spec.Subject{{
	Name:   "weightedrand/Chooser",
	Doc:    weightedrandVersion + ", Chooser.Pick",
	New:    newChooser,
	Claims: []spec.Option{spec.Law(oracle.WeightedRandom{}), spec.Concurrent()},
}}

// A chooser drives a weightedrand.Chooser, which cannot be updated.
type chooser struct {
	*weightedrand.Chooser[spec.ServerID, uint64]
}

func newChooser(f spec.Fleet) (spec.Picker, error) {
	var choices []weightedrand.Choice[spec.ServerID, uint64]
	for _, s := range f.Servers {
		choices = append(choices, weightedrand.NewChoice(s.ID, s.Weight))
	}
	c, err := weightedrand.NewChooser(choices...)
	return chooser{c}, err
}

func (c chooser) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	return c.Chooser.Pick(), ended, nil
}

// ended is how a request ends at a balancer that wants to know nothing of it.
func ended(spec.Outcome) error { return nil }
