package mutants

import (
	"fmt"
	"maps"
	"slices"
)

// Reasons lists the properties that are there for another reason than what they
// catch, with that reason.
func Reasons() map[string]string { return maps.Clone(reasons) }

// reasons say why a property is there that catches nothing but what another one
// of its family catches, too. A whole run holds this table against the matrix:
// a property in another's shadow needs a reason, and a reason needs a shadow.
var reasons = map[string]string{
	"conservation/second-release": "It asks a black box what conservation/every-ending decides for the Balancer, whose mutants both catch.",
	"keys/join":                   "It follows from keys/leave, read backwards, and keys/update-equals-fresh; it is how an adopter knows the rule, and a black box may be asked it alone.",
	"keys/one-heavy":              "It is keys/weights beside many light servers, where a score that is linear in the weight is furthest off; bugs of the weights are mostly seen by both.",
	"keys/shares":                 "It bounds what a user sees in one fleet, keys/weights the mean over many; a scheme that breaks the one without the other would have to be wrong for some names only.",
	"keys/weights":                "It holds servers of many weights to their shares, keys/one-heavy a heavy one among many light ones; no bug planted so far tells the two apart.",
	"queueing/in-system":          "It is queueing/views for one kind of view on other paths, so that the number in system is computed in two independent ways.",
	"queueing/littles-law":        "It ties the simulator's own mean to what its views show, which queueing/accounts and queueing/views hold against a list of events: a second way to both.",
	"round-robin/eligible":        "It says of parts of a fleet what round-robin/window says of the whole, and only a rotation over ids that are no indices could tell them apart.",
	"round-robin/window":          "It says of n picks what round-robin/pick-law says of one, in words that a user can check on a log.",
	"weighted/window":             "It says of a whole cycle what the pick laws of the two rotations say of one pick, in words that a user can check on a log.",
}

// shade tells which properties are in the shadow of the others of their family,
// and where that and the reasons differ.
func (s *Summary) shade(mutants []MutantResult) {
	catchers := make(map[string]map[string]bool) // of a family, by mutant and property
	for _, m := range mutants {
		for _, p := range m.CaughtBy {
			key := family(p) + " " + m.ID
			if catchers[key] == nil {
				catchers[key] = make(map[string]bool)
			}
			catchers[key][p] = true
		}
	}
	alone := make(map[string]bool)
	for _, properties := range catchers {
		if len(properties) == 1 {
			for p := range properties {
				alone[p] = true
			}
		}
	}
	s.Shadowed, s.WrongReasons = nil, nil
	for _, p := range s.Properties {
		if alone[p] {
			continue
		}
		if s.Shadowed == nil {
			s.Shadowed = make(map[string]string)
		}
		s.Shadowed[p] = s.Reasons[p]
		if s.Reasons[p] == "" {
			s.WrongReasons = append(s.WrongReasons, fmt.Sprintf("%s catches nothing that another of its family does not: plant a bug for it, or give a reason", p))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.Reasons)) {
		switch {
		case !slices.Contains(s.Properties, p):
			s.WrongReasons = append(s.WrongReasons, fmt.Sprintf("%s has a reason, and no result", p))
		case alone[p]:
			s.WrongReasons = append(s.WrongReasons, fmt.Sprintf("%s catches something that no other of its family does, so its reason is out of date", p))
		}
	}
}
