package fuzz

import (
	"bytes"
	"math"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/queue"
)

// FuzzParse reads anything with every parser: what is accepted is valid and,
// where it has a spelling, is spelled as it was read.
//
//	byte 0     the parser: laws, work, arrivals, keys, traces, works
//	the rest   the text
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		parser := in.below(6)
		text := string(in.rest)
		switch parser {
		case 0:
			law, err := oracle.ParseLaw(text)
			if err != nil {
				return
			}
			again, err := oracle.ParseLaw(law.String())
			if err != nil || again != law {
				t.Fatalf("%q is the law %v, which is read as %v, %v", text, law, again, err)
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
			arrivals, work, err := queue.ReadTrace(bytes.NewReader(in.rest), "trace")
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
			if len(arrivals) == 0 || work != nil && len(work) != len(arrivals) {
				t.Fatalf("%d arrivals and %d works", len(arrivals), len(work))
			}
		case 5:
			if work, err := queue.ReadWork(bytes.NewReader(in.rest), "work"); err == nil {
				if mean := work.Mean(); !(mean > 0) || math.IsInf(mean, 1) {
					t.Fatalf("mean %v", mean)
				}
			}
		}
	})
}
