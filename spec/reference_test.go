package spec

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// TestReference holds everything that comes with the specification against it.
// It is the executable specification as go test sees it.
//
// For the kill matrix, PICKLAW_EVENTS names a file to which every result is
// appended as a line of JSON, and PICKLAW_SAMPLED the sampled properties to
// check besides the exact tier: names with commas, or * for all, which is the
// default.
func TestReference(t *testing.T) {
	normal := debug.SetGCPercent(400) // rational numbers are short-lived
	t.Cleanup(func() { debug.SetGCPercent(normal) })
	record := recorder(t)
	sampled, restricted := os.LookupEnv("PICKLAW_SAMPLED")
	wanted := func(p *Property, tier Tier) bool {
		if tier != Sampled || !restricted || sampled == "*" {
			return true
		}
		return strings.Contains(","+sampled+",", ","+p.Name+",")
	}
	for _, s := range Reference() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			n := newSession(s, nil)
			for _, p := range n.selected() {
				tier := n.tierOf(p)
				if !p.Applies(&n.config.claims) || !wanted(p, tier) {
					continue
				}
				if tier == Sampled && testing.Short() && p.Statistical {
					continue // the exact tier and the cheap sampled properties remain
				}
				t.Run(p.Name, func(t *testing.T) {
					Bubbled(t)(&n.config)
					result := n.check(p)
					record(s.Name, result)
					if result.Verdict != Holds && result.Verdict != NotClaimed {
						t.Errorf("%v", result)
					}
				})
			}
		})
	}
}

// recorder appends results to the file of PICKLAW_EVENTS, and says when all is
// done.
func recorder(t *testing.T) func(subject string, r PropertyResult) {
	path := os.Getenv("PICKLAW_EVENTS")
	if path == "" {
		return func(string, PropertyResult) {}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	write := func(line any) {
		text, err := json.Marshal(line)
		if err == nil {
			_, err = f.Write(append(text, '\n')) // one write, so that lines never mix
		}
		if err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		write(map[string]any{"end": true})
		f.Close()
	})
	return func(subject string, r PropertyResult) {
		write(map[string]any{"subject": subject, "result": r})
	}
}
