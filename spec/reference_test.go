package spec

import (
	"encoding/json"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReference holds everything that comes with the specification against it.
// It is the executable specification as go test sees it.
//
// For the kill matrix, PICKLAW_EVENTS names a file to which every result is
// appended as a line of JSON, PICKLAW_SAMPLED the sampled properties to check
// besides the exact tier: names with commas, or * for all, which is the default,
// and PICKLAW_CHECKS the only checks to make: lines of a subject and a property.
func TestReference(t *testing.T) {
	normal := debug.SetGCPercent(400) // rational numbers are short-lived
	t.Cleanup(func() { debug.SetGCPercent(normal) })
	record := recorder(t)
	sampled, restricted := os.LookupEnv("PICKLAW_SAMPLED")
	checks, selected := os.LookupEnv("PICKLAW_CHECKS")
	wanted := func(s Subject, p *Property, tier Tier) bool {
		if selected && !strings.Contains("\n"+checks, "\n"+s.Name+" "+p.Name+"\n") {
			return false
		}
		if tier != Sampled || !restricted || sampled == "*" {
			return true
		}
		return strings.Contains(","+sampled+",", ","+p.Name+",")
	}
	for _, s := range Reference() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			n := newSession(s, resolution(s, record))
			for _, p := range n.selected() {
				tier := n.tierOf(p)
				if !p.Applies(&n.config.claims) || !wanted(s, p, tier) {
					continue
				}
				if tier == Sampled && testing.Short() && p.Statistical {
					continue // the exact tier and the cheap sampled properties remain
				}
				t.Run(p.Name, func(t *testing.T) {
					Bubbled(t)(&n.config)
					record.outside()
					result := n.check(p)
					record.result(s.Name, result)
					if result.Verdict != Holds && result.Verdict != NotClaimed {
						t.Errorf("%v", result)
					}
				})
			}
		})
	}
}

// TestProfile appends the profile of every bare rule to the file that
// PICKLAW_PROFILE names, as lines of JSON. It decides nothing: what a mutant
// makes impossible to compute is left out.
//
// It stands behind TestReference, since what is called before that bears upon
// every check: then no mutant of a rule could be run through a part of them.
func TestProfile(t *testing.T) {
	path := os.Getenv("PICKLAW_PROFILE")
	if path == "" {
		for _, r := range rules() {
			if p := profileOf(r); len(p.Laws) == 0 && len(p.Owners) == 0 {
				t.Errorf("%s has no profile", r.Name)
			}
		}
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range rules() {
		computed := make(chan profile, 1)
		go func() { computed <- profileOf(r) }()
		select {
		case p := <-computed:
			if err := json.NewEncoder(f).Encode(p); err != nil {
				t.Fatal(err)
			}
		case <-time.After(20 * time.Second): // a mutant that hangs
		}
	}
}

// resolution lets go test look for wrongness from 0.1 on where a Balancer leases
// out a policy. The law of the policy itself is compared exactly next to it, and a
// Balancer that loses a server, or takes the answer for another one, is wrong by
// the share of a server: in the smaller of the two fleets 1/4 where all are alike,
// and 1/8 where they weigh 1, 2 and 5. That takes a quarter of the picks of 0.05,
// at which picklaw verify and the kill matrix judge the same subjects.
func resolution(s Subject, r *recording) []Option {
	if s.Policy != nil || r.kept {
		return nil
	}
	return []Option{Resolution(0.1)}
}

// reached names the mutants whose functions have been called since it was last
// asked, when it records them. Only a build with mutants knows.
var reached = func() (ids []string, recording bool) { return nil, false }

// recording appends results to the file of PICKLAW_EVENTS, and says when all is
// done.
type recording struct {
	kept    bool // the results go to a file
	write   func(line map[string]any)
	mu      sync.Mutex
	strayed map[string]bool // mutants whose functions were called outside of any check
}

func recorder(t *testing.T) *recording {
	r := &recording{write: func(map[string]any) {}, strayed: make(map[string]bool)}
	path := os.Getenv("PICKLAW_EVENTS")
	if path == "" {
		return r
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	r.kept = true
	r.write = func(line map[string]any) {
		text, err := json.Marshal(line)
		if err == nil {
			_, err = f.Write(append(text, '\n')) // one write, so that lines never mix
		}
		if err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		end := map[string]any{"end": true}
		if r.outside() {
			end["reached"] = slices.AppendSeq([]string{}, maps.Keys(r.strayed))
		}
		r.write(end)
		f.Close()
	})
	return r
}

// outside notes what was called since the last check.
func (r *recording) outside() (recording bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids, recording := reached()
	for _, id := range ids {
		r.strayed[id] = true
	}
	return recording
}

// result writes a result with what was called for it.
func (r *recording) result(subject string, result PropertyResult) {
	line := map[string]any{"subject": subject, "result": result}
	if ids, recording := reached(); recording {
		line["reached"] = ids
	}
	r.write(line)
}
