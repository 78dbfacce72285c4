package main

import (
	"strings"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

func TestAudit(t *testing.T) { module.Audit(t) }

// The law that gRPC follows is named when it is held against the wrong one.
func TestDiagnosis(t *testing.T) {
	for _, s := range module.Subjects {
		if s.Name != "grpc/least_request-as-distinct" {
			continue
		}
		report := s.Check(spec.Only("power-of-d/pick-law"))
		p := report.Properties[0]
		if p.Verdict != spec.Violated || p.Diagnosis == nil || !strings.HasPrefix(p.Diagnosis.Fits, "power-of-d:2:replacement") {
			t.Errorf("want a conviction that names power-of-d:2:replacement, got\n%v", p)
		}
		return
	}
	t.Fatal("no such subject")
}

// The picks that it takes to convict gRPC of not choosing two distinct servers,
// in the state where two distinct ones never pick the most loaded of three.
func TestPicksToConvict(t *testing.T) {
	claim := oracle.PowerOfD{D: 2}
	state := oracle.State{Loads: []float64{0, 1, 2}}
	audit := oracle.Audit{Claim: claim, Alpha: spec.DefaultAlpha}
	truth, err := oracle.PowerOfD{D: 2, Replacement: true}.Probabilities(state)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := audit.LimitPicks(oracle.PowerOfD{D: 2, Replacement: true}, []oracle.State{state})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 50
	total := 0
	for range runs {
		servers := fleet(3)
		c, err := channel.New("least_request_experimental", `{}`, servers)
		if err != nil {
			t.Fatal(err)
		}
		for i, load := range state.Loads {
			if err := holdAt(c, servers[i].ID, int(load)); err != nil {
				t.Fatal(err)
			}
		}
		evidence, err := oracle.NewEvidence(audit)
		if err != nil {
			t.Fatal(err)
		}
		for !evidence.Convicted() {
			if evidence.Picks() == tries {
				t.Fatalf("not convicted after %d picks, a chance of (8/9)^%d", tries, tries)
			}
			id, done, err := c.Pick(t.Context(), spec.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if err := evidence.Observe(state, int(id-servers[0].ID)); err != nil {
				t.Fatal(err)
			}
			if err := done(spec.Outcome{}); err != nil {
				t.Fatal(err)
			}
		}
		total += evidence.Picks()
	}
	t.Logf("power-of-d:2 refuted at alpha=%g after %.1f picks on average of %d runs; 1/P(forbidden pick) = %v; limit of any test %.1f",
		spec.DefaultAlpha, float64(total)/runs, runs, 1/float(truth[2]), limit)
}
