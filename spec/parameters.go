package spec

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// parameterProperties bind the parameters of policies.
var parameterProperties = []*Property{{
	Name: "totality/parameters", Level: Must,
	Sentence: "A policy whose parameters make no sense is refused, with the name of the parameter, before it picks; one whose parameters are accepted picks.",
	Source:   "a ring of size 0 that was accepted: envoyproxy/envoy#31724; a weight of 0 that panics: cloudflare/pingora#1006",
	Applies:  isPart("leases"), Exact: exactParameters,
}}

func exactParameters(r *Run) Result {
	bad := map[string]policies.Policy{ // by what the error must name, with a word or two on it
		"PowerOfD.D":                 policies.PowerOfD{},
		"Ring.Points":                &policies.Ring{},
		"Maglev.Size":                &policies.Maglev{Size: 1009 * 1013}, // odd, and no prime
		"Maglev.Size, below 0":       &policies.Maglev{Size: -7},
		"EWMA.Alpha":                 &policies.EWMA{Prior: time.Second},
		"EWMA.Alpha, above 1":        &policies.EWMA{Alpha: 1.01, Prior: time.Second},
		"EWMA.Alpha, not a number":   &policies.EWMA{Alpha: math.NaN(), Prior: time.Second},
		"EWMA.Prior":                 &policies.EWMA{Alpha: 0.5},
		"EWMA.D":                     &policies.EWMA{D: -1, Alpha: 0.5, Prior: time.Second},
		"PeakEWMA.Tau":               &policies.PeakEWMA{Prior: time.Second},
		"PeakEWMA.Prior":             &policies.PeakEWMA{Tau: time.Second},
		"LeastTime.Latency":          &policies.LeastTime{},
		"EWMA.Alpha, of LeastTime":   &policies.LeastTime{Latency: &policies.EWMA{Prior: time.Second}},
		"OverSuccess.Latency":        &policies.OverSuccess{},
		"EWMA.Alpha, of OverSuccess": &policies.OverSuccess{Latency: &policies.EWMA{Prior: time.Second}},
		"LingeringErrors.Linger":     &policies.LingeringErrors{},
		"EnvoyWeighted.Bias":         &policies.EnvoyWeighted{Bias: -1},
		"Sticky.Fallback":            &policies.Sticky{},
		"PowerOfD.D, of Sticky":      &policies.Sticky{Fallback: policies.PowerOfD{}},
		"the policy":                 nil,
	}
	servers := policies.Endpoints("a", "b", "c")
	for what, p := range bad {
		var err error
		r.try("NewBalancer", func() { _, err = policies.NewBalancer(p, servers) })
		if name, _, _ := strings.Cut(what, ","); err == nil || !strings.Contains(err.Error(), name+" is") {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an error over " + what, Observed: fmt.Sprint(err)}
		}
	}
	least := []policies.Policy{
		policies.PowerOfD{D: 1}, &policies.Ring{Points: 1}, &policies.Maglev{Size: 2}, &policies.Maglev{}, &policies.EWMA{Alpha: 1, Prior: 1},
		&policies.PeakEWMA{Tau: 1, Prior: 1}, &policies.LingeringErrors{Linger: 1}, &policies.EnvoyWeighted{}, policies.WeightedLeastRequest{},
	}
	for _, p := range least {
		var err error
		r.try("Acquire", func() {
			var b *policies.Balancer
			if b, err = policies.NewBalancer(p, servers); err == nil {
				_, err = b.Acquire(context.Background(), Request{Key: "key"})
			}
		})
		if err != nil {
			return Result{Verdict: Violated, Finding: Refused, Expected: fmt.Sprintf("a pick by %T with the least parameters", p), Observed: err.Error()}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d refused, %d accepted", len(bad), len(least))}
}
