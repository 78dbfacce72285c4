package fuzz

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
	"github.com/picklaw/picklaw/spec"
)

// Words that the parsers know, and some that they should not. The index in this
// list is part of the format of FuzzParse: append only.
var words = []string{
	"0", "1", "2", "-1", "0.5", "1e400", "NaN", "Inf", "0x1p-2", "\n", " ", ",", "#", ":",
	"random", "round-robin", "least-request", "lowest-index", "two-lightest", "power-of-d", "heavier-of-d", "replacement",
	"weighted-random", "smooth-weighted", "exponential", "constant", "lognormal", "erlang", "hyperexponential", "poisson", "even", "zipf",
	"weighted-round-robin", "envoy-weighted", "weighted-least-request", "peak-ewma", "ewma-over-success", "lingering-errors",
	"sticky:", "ring", "maglev", "hash-mod", "rendezvous", "least-time", "=",
	"mm1", "mmc", "mg1", "balls", "pick-law", "meanfield", "rho=0.5", "policy=", "loads=", "weights=", "history=", "1/3", "true",
}

// FuzzParse reads anything with every parser: what is accepted is valid and,
// where it has a spelling, is spelled as it was read.
//
//	byte 0     the parser: laws, work, arrivals, keys, traces, works, policies,
//	           parameters of an oracle (the lines of the text, its name first)
//	1 each     the text: a byte below 128 stands for itself, another for a word
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		parser := in.below(8)
		var b strings.Builder
		for _, c := range in.rest {
			if c < 128 {
				b.WriteByte(c)
			} else {
				b.WriteString(words[int(c-128)%len(words)])
			}
		}
		text := b.String()
		switch parser {
		case 0:
			law, err := oracle.ParseLaw(text)
			if err != nil {
				return
			}
			if law.String() != text {
				t.Fatalf("%q is read as the law %v, which has one spelling only", text, law)
			}
			p, err := law.Probabilities(oracle.State{Loads: []float64{2, 0, 1, 0}})
			if err == nil && len(p) != 4 {
				t.Fatalf("%v has %d probabilities, want 4", law, len(p))
			}
		case 1:
			if w, err := queue.ParseWork(text); err == nil {
				if mean := w.Mean(); !(mean > 0) || math.IsInf(mean, 1) {
					t.Fatalf("work %q has mean %v", text, mean)
				}
			}
		case 2:
			_, _ = queue.ParseArrivals(text)
		case 3:
			_, _ = queue.ParseKeys(text)
		case 4:
			arrivals, work, err := queue.ReadTrace(strings.NewReader(text), "trace")
			if err != nil {
				return
			}
			last := 0.0
			for i, at := range arrivals {
				if !(at >= last) || math.IsInf(at, 1) {
					t.Fatalf("arrival %d is at %v after %v", i+1, at, last)
				}
				last = at
			}
			for i, w := range work {
				if !(w >= 0) || math.IsInf(w, 1) {
					t.Fatalf("work %d is %v", i+1, w)
				}
			}
			if len(arrivals) == 0 || work != nil && len(work) != len(arrivals) {
				t.Fatalf("%d arrivals and %d works", len(arrivals), len(work))
			}
		case 6:
			spelledPolicy(t, text)
		case 7:
			answered(t, strings.Split(text, "\n"))
		case 5:
			if work, err := queue.ReadWork(strings.NewReader(text), "work"); err == nil {
				for i, w := range work {
					if !(w >= 0) || math.IsInf(w, 1) {
						t.Fatalf("work %d is %v", i+1, w)
					}
				}
			}
		}
	})
}

// spelledPolicy builds the policy of a spelling and lets it pick.
func spelledPolicy(t *testing.T, text string) {
	newPolicy, err := spec.ParsePolicy(text)
	if err != nil {
		return
	}
	fleet := policies.Fleet(5)
	p := policies.Join(newPolicy(), fleet)
	if err := policies.Check(p); err != nil {
		t.Fatalf("%q is read as a policy that is none: %v", text, err)
	}
	view := &policies.Snapshot{Servers: fleet, Loads: []float64{2, 0, 1, 0, 3}}
	if i := p.Pick(policies.Request{Key: "k"}, view, policies.NewCoins(1)); i < 0 || i >= len(fleet) {
		t.Fatalf("the policy %q picks server %d of %d", text, i, len(fleet))
	}
}

// answered asks an oracle that is cheap whatever it is asked; its answer can be
// printed and written as JSON.
func answered(t *testing.T, words []string) {
	if !slices.Contains([]string{"mm1", "mm1b", "mmc", "pick-law", "meanfield"}, words[0]) {
		return
	}
	entry, err := oracle.Find(oracle.Catalog(), words[0])
	if err != nil {
		t.Fatal(err)
	}
	params, err := oracle.ParseParams(words[1:])
	if err != nil {
		return
	}
	answer, err := entry.Eval(params)
	if err != nil {
		return
	}
	if _, err := json.Marshal(answer); err != nil || answer.String() == "" {
		t.Fatalf("the answer to %q cannot be shown: %v", words, err)
	}
}
