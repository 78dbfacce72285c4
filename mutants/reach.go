package mutants

import (
	"cmp"
	"maps"
	"slices"
)

// reach is a map from each mutant to the checks that call its function, made by
// the unmutated suite. A check that never gets to the mutated function runs the
// same code with the mutant as without it, so it need not be run again: with the
// same seed it would come to the verdict that it came to when the suite had to
// be green.
//
// What is called outside of any check, before the first or between two, may bear
// upon all of them.
type reach struct {
	checks     map[string]map[check]bool // by the id of the mutant
	everywhere map[string]bool           // mutants that the whole suite is run for
}

// note takes in a run of the unmutated suite. It is false, and nothing is known,
// when that run did not record.
func (r *reach) note(o outcome) bool {
	if o.end.Reached == nil {
		return false
	}
	if r.checks == nil {
		r.checks, r.everywhere = make(map[string]map[check]bool), make(map[string]bool)
	}
	for _, id := range o.end.Reached {
		r.everywhere[id] = true
	}
	for _, e := range o.events {
		for _, id := range e.Reached {
			if r.checks[id] == nil {
				r.checks[id] = make(map[check]bool)
			}
			r.checks[id][e.check()] = true
		}
	}
	return true
}

// of lists the checks that a mutant has to be run through; nil stands for all of
// them.
func (r *reach) of(h hunk) []check {
	if r.checks == nil || h.overlaid() || r.everywhere[h.ID] {
		return nil
	}
	inOrder := func(a, b check) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Property, b.Property))
	}
	return append([]check{}, slices.SortedFunc(maps.Keys(r.checks[h.ID]), inOrder)...)
}
