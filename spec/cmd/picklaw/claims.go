package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// claimNames are the claims that a command line can make besides a law.
var claimNames = map[string]func() spec.Option{
	"concurrent":       spec.Concurrent,
	"hashes-keys":      spec.HashesKeys,
	"counts-in-flight": spec.CountsInFlight,
	"keeps-counts":     spec.KeepsCounts,
	"maps-keys":        spec.MapsKeys,
	"releases-once":    spec.ReleasesOnce,
	"ties-open":        spec.TiesOpen,
	"weighted":         spec.Weighted,
}

func listOfClaims() string {
	return strings.Join(slices.Sorted(maps.Keys(claimNames)), ", ")
}

// promises is what a command line claims of a subject.
type promises struct {
	law    string
	claims []string
}

// options reads the promises. A subject that promises nothing cannot be audited.
func (p promises) options() ([]spec.Option, error) {
	var options []spec.Option
	if p.law != "" {
		law, err := oracle.ParseLaw(p.law)
		if err != nil {
			return nil, fmt.Errorf("--law: %w", err)
		}
		options = append(options, spec.Law(law))
	}
	for _, name := range p.claims {
		claim, ok := claimNames[name]
		if !ok {
			return nil, fmt.Errorf("--claim %q: want one of %s", name, listOfClaims())
		}
		options = append(options, claim())
	}
	if len(options) == 0 {
		return nil, fmt.Errorf("nothing is claimed, so there is nothing to audit: want --law, such as --law power-of-d:2, or --claim; picklaw identify finds out which law is followed")
	}
	return options, nil
}

// words repeats the promises on a command line.
func (p promises) words() string {
	text := ""
	if p.law != "" {
		text += " --law " + p.law
	}
	for _, c := range p.claims {
		text += " --claim " + c
	}
	return text
}
