package mutants

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A Status is what became of a mutant.
type Status string

// The four statuses. Broken is a fault of the entry or of the suite, not a
// conviction.
const (
	Caught     Status = "caught"
	Survived   Status = "survived"
	Broken     Status = "broken"
	Equivalent Status = "equivalent"
)

// Exit codes of the command, from the worst to the best of what they tell.
const (
	ExitRed         = 5 // the suite is red without any mutant, or does not run
	ExitBroken      = 4 // some mutants are broken
	ExitSurvived    = 1 // some mutants survived
	ExitPredictions = 3 // all were caught, but a prediction was wrong, or the reason of a property
	ExitCaught      = 0 // all were caught, as predicted
)

// A Conviction is one property that convicted a mutant on one subject.
type Conviction struct {
	Property string `json:"property"`
	Subject  string `json:"subject"`
	Tier     string `json:"tier"`
	Finding  string `json:"finding,omitempty"`
	Expected string `json:"expected"`
	Observed string `json:"observed"`
}

// A MutantResult is the outcome of one mutant.
type MutantResult struct {
	ID          string       `json:"id"`
	File        string       `json:"file"`
	Status      Status       `json:"status"`
	CaughtBy    []string     `json:"caught_by"` // properties
	Predicted   []string     `json:"predicted"`
	Seconds     float64      `json:"seconds"`
	Wrong       []string     `json:"wrong_predictions,omitempty"`
	Reason      string       `json:"reason,omitempty"` // of broken and equivalent
	Story       string       `json:"story"`
	Source      string       `json:"source"`
	Convictions []Conviction `json:"convictions,omitempty"`
	Distances   []Distance   `json:"distances,omitempty"` // of the rules that it changes, the furthest first
}

// A Summary counts.
type Summary struct {
	Caught           int `json:"caught"`
	Survived         int `json:"survived"`
	Broken           int `json:"broken"`
	Equivalent       int `json:"equivalent"`
	WrongPredictions int `json:"wrong_predictions"`

	Catalog int    `json:"catalog"` // mutants there are
	Shard   string `json:"shard,omitempty"`
	// Red are the results that are not green without any mutant; nothing else
	// has been run then.
	Red []string `json:"red,omitempty"`

	BuildSeconds    float64 `json:"build_seconds"`
	BaselineSeconds float64 `json:"baseline_seconds"` // one start of the suite without a mutant
	Seconds         float64 `json:"seconds"`          // of everything

	// Properties are those that the unmutated suite decided. CatchNothing are
	// those of them that convicted no mutant, and OnlyOne tells of a property
	// which mutants it alone convicts. Both need the whole catalog.
	Properties   []string            `json:"properties"`
	CatchNothing []string            `json:"catch_nothing,omitempty"`
	OnlyOne      map[string][]string `json:"only_one,omitempty"`

	// Reasons are those of the catalog for properties in the shadow of others.
	Reasons map[string]string `json:"reasons,omitempty"`
	// Shadowed are the properties that catch nothing but what another one of
	// their family catches, too, each with the reason why it is there.
	// WrongReasons tell where the reasons do not fit this matrix.
	Shadowed     map[string]string `json:"shadowed,omitempty"`
	WrongReasons []string          `json:"wrong_reasons,omitempty"`
}

// A Report is the outcome of a run.
type Report struct {
	Mutants []MutantResult `json:"mutants"`
	Summary Summary        `json:"summary"`
}

// ExitCode is how the command ends.
func (r *Report) ExitCode() int {
	switch s := r.Summary; {
	case len(s.Red) > 0:
		return ExitRed
	case s.Broken > 0:
		return ExitBroken
	case s.Survived > 0:
		return ExitSurvived
	case s.WrongPredictions > 0, len(s.WrongReasons) > 0:
		return ExitPredictions
	}
	return ExitCaught
}

// summarize counts the mutants.
func (r *Report) summarize() {
	s := &r.Summary
	s.Caught, s.Survived, s.Broken, s.Equivalent, s.WrongPredictions = 0, 0, 0, 0, 0
	s.CatchNothing, s.OnlyOne, s.Shadowed, s.WrongReasons = nil, nil, nil, nil
	catches := make(map[string]bool)
	only := make(map[string][]string)
	for _, m := range r.Mutants {
		switch m.Status {
		case Caught:
			s.Caught++
		case Survived:
			s.Survived++
		case Broken:
			s.Broken++
		case Equivalent:
			s.Equivalent++
		}
		if len(m.Wrong) > 0 {
			s.WrongPredictions++
		}
		for _, p := range m.CaughtBy {
			catches[p] = true
		}
		if m.Status == Caught && len(m.CaughtBy) == 1 {
			only[m.CaughtBy[0]] = append(only[m.CaughtBy[0]], m.ID)
		}
	}
	if len(r.Mutants) < s.Catalog {
		return
	}
	if len(only) > 0 {
		s.OnlyOne = only
	}
	for _, p := range s.Properties {
		if !catches[p] {
			s.CatchNothing = append(s.CatchNothing, p)
		}
	}
	s.shade(r.Mutants)
}

// Merge joins the reports of all shards of one run.
func Merge(shards []*Report) (*Report, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("mutants: nothing to merge")
	}
	out := &Report{Summary: Summary{Catalog: shards[0].Summary.Catalog, Reasons: shards[0].Summary.Reasons}}
	seen, properties := make(map[string]bool), make(map[string]bool)
	for _, r := range shards {
		s := r.Summary
		if s.Catalog != out.Summary.Catalog {
			return nil, fmt.Errorf("mutants: one shard is of %d mutants, another of %d: they are not of one run", out.Summary.Catalog, s.Catalog)
		}
		for _, m := range r.Mutants {
			if seen[m.ID] {
				return nil, fmt.Errorf("mutants: %s is in two of the shards", m.ID)
			}
			seen[m.ID] = true
		}
		for _, p := range s.Properties {
			properties[p] = true
		}
		out.Mutants = append(out.Mutants, r.Mutants...)
		out.Summary.Red = append(out.Summary.Red, s.Red...)
		out.Summary.BuildSeconds += s.BuildSeconds
		out.Summary.Seconds += s.Seconds
		out.Summary.BaselineSeconds = max(out.Summary.BaselineSeconds, s.BaselineSeconds)
	}
	if n := len(out.Mutants); n != out.Summary.Catalog && len(out.Summary.Red) == 0 {
		return nil, fmt.Errorf("mutants: the shards hold %d of %d mutants, so some are missing", n, out.Summary.Catalog)
	}
	slices.SortFunc(out.Mutants, func(a, b MutantResult) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.ID, b.ID)) })
	out.Summary.Properties = slices.Sorted(maps.Keys(properties))
	out.summarize()
	return out, nil
}
