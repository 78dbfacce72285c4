package mutants

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// A Distance says how far a mutated rule is from the reference, whatever the
// properties make of it.
type Distance struct {
	Subject string `json:"subject"`
	// Law is the largest difference between the probabilities that a server is
	// picked, over the enumerated views; State is the first view with it. For a
	// rule that routes by key it is the largest part of the keys with another
	// owner, and Reference and Mutant are empty.
	Law       float64   `json:"law"`
	State     string    `json:"state,omitempty"`
	Reference []float64 `json:"reference,omitempty"`
	Mutant    []float64 `json:"mutant,omitempty"`
	// MeanTime and ReferenceMeanTime are the mean times in system by the Markov
	// chain of the code, of three servers under load 0.8 that hold six requests at
	// most, in units of the mean service time; 0 where there is no such chain.
	MeanTime          float64 `json:"mean_time,omitempty"`
	ReferenceMeanTime float64 `json:"reference_mean_time,omitempty"`
}

// A profile is what a rule does, in numbers, as the suite reports it.
type profile struct {
	Subject string               `json:"subject"`
	Laws    map[string][]float64 `json:"laws"`
	Owners  map[string][]int     `json:"owners"`
	Mean    float64              `json:"mean"`
}

// readProfiles reads what a suite reported. One that reports none is no fault.
func readProfiles(file string) (map[string]profile, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make(map[string]profile)
	for lines := json.NewDecoder(bufio.NewReader(f)); ; {
		var p profile
		switch err := lines.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("profile %d of the suite cannot be read: %w", len(all)+1, err)
		}
		all[p.Subject] = p
	}
}

// distances compares the profiles of a mutant with those of the reference: the
// rules that differ, the furthest first.
func distances(reference, mutant map[string]profile) []Distance {
	var all []Distance
	for _, name := range slices.Sorted(maps.Keys(mutant)) {
		if d := distance(reference[name], mutant[name]); d.Law > 0 || d.MeanTime != d.ReferenceMeanTime {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b Distance) int { return cmp.Compare(b.Law, a.Law) })
	return all
}

func distance(reference, mutant profile) Distance {
	d := Distance{Subject: mutant.Subject}
	for _, state := range byLength(mutant.Laws) {
		a, b := reference.Laws[state], mutant.Laws[state]
		if len(a) != len(b) {
			continue // the mutant led to a history that the reference never has
		}
		for i := range a {
			if off := math.Abs(a[i] - b[i]); off > d.Law {
				d.Law, d.State, d.Reference, d.Mutant = off, state, a, b
			}
		}
	}
	for _, fleet := range byLength(mutant.Owners) {
		moved := 0
		for k, owner := range mutant.Owners[fleet] {
			if owner != reference.Owners[fleet][k] {
				moved++
			}
		}
		if part := float64(moved) / float64(len(mutant.Owners[fleet])); part > d.Law {
			d.Law, d.State = part, fleet
		}
	}
	// Each of them is right to within 1e-6.
	const rounding = 1e-5
	if a, b := reference.Mean, mutant.Mean; a > 0 && b > 0 && math.Abs(a-b) > rounding*a {
		d.MeanTime, d.ReferenceMeanTime = b, a
	}
	return d
}

// byLength lists the keys of a map, the simplest first.
func byLength[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// far words the distances of a mutant for a table: of the law, and of the mean
// time in system.
func far(m MutantResult) (law, mean string) {
	switch {
	case !m.profiled():
		return "", ""
	case len(m.Distances) == 0:
		return "0", ""
	}
	law = fmt.Sprintf("%.2g", m.Distances[0].Law)
	for _, d := range m.Distances {
		if d.MeanTime > 0 {
			return law, fmt.Sprintf("%.4g to %.4g", d.ReferenceMeanTime, d.MeanTime)
		}
	}
	return law, ""
}

// profiled tells whether a mutant is of the code that profiles are about.
func (m MutantResult) profiled() bool {
	return strings.HasPrefix(m.File, "policies/") && m.Status != Broken
}
