package opinion

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// A Kind says what a mutation that survives is.
type Kind string

// The kinds of survivors.
const (
	Equivalent Kind = "equivalent" // nothing can tell it from the reference
	Cost       Kind = "cost"       // only time or memory tells it from the reference
	Explained  Kind = "explained"  // it can be told from the reference, and why nothing does
)

// A Reason is why some mutations survive.
type Reason struct {
	Kind Kind
	Why  string
	Keys []string // of mutations
}

//go:embed reasons.txt
var reasonsText string

// Reasons are those that are known. They are in reasons.txt, each as a line with
// its kind and a sentence, and below it, indented, the keys that it holds for.
func Reasons() ([]Reason, error) { return parseReasons(reasonsText) }

func parseReasons(text string) ([]Reason, error) {
	var all []Reason
	seen := make(map[string]bool)
	for i, line := range strings.Split(text, "\n") {
		wrong := func(what string) ([]Reason, error) {
			return nil, fmt.Errorf("opinion: line %d of the reasons: %s", i+1, what)
		}
		key, indented := strings.CutPrefix(line, "\t")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case indented && len(all) == 0:
			return wrong("a key without a reason")
		case indented && seen[key]:
			return wrong("the key is there twice: " + key)
		case indented:
			seen[key] = true
			all[len(all)-1].Keys = append(all[len(all)-1].Keys, key)
		default:
			kind, why, _ := strings.Cut(line, ": ")
			if !slices.Contains([]Kind{Equivalent, Cost, Explained}, Kind(kind)) || why == "" {
				return wrong(fmt.Sprintf("%q, want a kind, a colon and a sentence", line))
			}
			all = append(all, Reason{Kind: Kind(kind), Why: why})
		}
	}
	for _, r := range all {
		if len(r.Keys) == 0 {
			return nil, fmt.Errorf("opinion: the reason %q holds for nothing", r.Why)
		}
	}
	return all, nil
}

// byKey finds the reason of a mutation.
func byKey(all []Reason) map[string]Reason {
	found := make(map[string]Reason)
	for _, r := range all {
		for _, key := range r.Keys {
			found[key] = r
		}
	}
	return found
}
