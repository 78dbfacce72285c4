package verify

import (
	"fmt"
	"os"

	"github.com/picklaw/picklaw/spec"
)

// order is what a parent tells a child to do.
type order struct {
	Journal    string   `json:"journal"`
	Subject    string   `json:"subject"`
	Seed       uint64   `json:"seed"`
	Alpha      float64  `json:"alpha"`
	Properties []string `json:"properties"` // nil: all
	Reproduce  string   `json:"reproduce"`
	Traced     bool     `json:"traced"`
}

// serve is the life of a child.
func serve(subjects []spec.Subject, o order) int {
	s, err := find(subjects, o.Subject)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUsage
	}
	j, err := openJournal(o.Journal)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		return exitHarness
	}
	options := []spec.Option{
		spec.Seed(o.Seed), spec.Alpha(o.Alpha), spec.Reproduce(o.Reproduce),
		spec.Progress(
			func(p *spec.Property) { j.write(entry{Start: p.Name}) },
			func(r spec.PropertyResult) { j.write(entry{Result: &r}) }),
	}
	if o.Traced {
		options = append(options, spec.Traced())
	}
	if o.Properties != nil {
		options = append(options, spec.Only(o.Properties...))
	}
	j.write(entry{Applies: s.Claimed(options...)})
	report := s.Check(options...)
	j.write(entry{End: &ending{report.CouldClaim}})
	return exitHolds
}
