package policies

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCheckNamesTheParameter(t *testing.T) {
	good := &EWMA{Alpha: 1, Prior: 1}
	for _, c := range []struct {
		policy Policy
		want   string
	}{
		{PowerOfD{}, "PowerOfD.D is 0, want at least 1"},
		{&PeakEWMA{D: -1, Tau: 1, Prior: 1}, "PeakEWMA.D is -1, want at least 0"},
		{&PeakEWMA{Prior: 1}, "PeakEWMA.Tau is 0s, want a positive duration"},
		{&PeakEWMA{Tau: 1, Prior: -s}, "PeakEWMA.Prior is -1s"},
		{&EWMA{Alpha: 1.5, Prior: 1}, "EWMA.Alpha is 1.5, want more than 0 and at most 1"},
		{&EWMA{Prior: 1}, "EWMA.Alpha is 0"},
		{&EWMA{D: -1, Alpha: 1, Prior: 1}, "EWMA.D is -1"},
		{&EWMA{Alpha: 1}, "EWMA.Prior is 0s"},
		{&EWMA{Alpha: 1, Prior: 1, Priors: map[ServerID]time.Duration{4: 0}}, "EWMA.Priors[4] is 0s"},
		{&LeastTime{}, "LeastTime.Latency is nil"},
		{&LeastTime{Latency: &EWMA{}}, "EWMA.Alpha is 0"},
		{&LeastTime{D: -1, Latency: good}, "LeastTime.D is -1"},
		{&OverSuccess{}, "OverSuccess.Latency is nil"},
		{&OverSuccess{D: -1, Latency: good}, "OverSuccess.D is -1"},
		{&Sticky{}, "Sticky.Fallback is nil"},
		{&Sticky{Fallback: PowerOfD{}}, "PowerOfD.D is 0"},
		{&Ring{}, "Ring.Points is 0, want at least 1"},
		{Least{}, "Least.Of is nil"},
		{Least{D: -1, Of: WeightedLeastRequest{}}, "Least.D is -1"},
		{WeightedLeastRequest{D: -1}, "WeightedLeastRequest.D is -1"},
		{&EnvoyWeighted{Bias: -0.5}, "EnvoyWeighted.Bias is -0.5"},
		{&EnvoyWeighted{Bias: math.Inf(1)}, "EnvoyWeighted.Bias is +Inf"},
		{&EnvoyWeighted{Bias: math.NaN()}, "EnvoyWeighted.Bias is NaN"},
		{&LingeringErrors{}, "LingeringErrors.Linger is 0s"},
		{&LingeringErrors{D: -1, Linger: 1}, "LingeringErrors.D is -1"},
		{&Maglev{Size: 65536}, "Maglev.Size is 65536, want a prime"},
		{&Maglev{Size: -7}, "Maglev.Size is -7, want a prime"},
		{&Maglev{Size: 1}, "Maglev.Size is 1, want a prime"},
	} {
		_, err := NewBalancer(c.policy, Endpoints("a"))
		assert.ErrorContains(t, err, c.want)
	}
}

// The extremes of what is allowed are allowed.
func TestCheckAllowsTheExtremes(t *testing.T) {
	good := &EWMA{Alpha: 1, Prior: 1}
	for _, p := range []Policy{
		PowerOfD{D: 1}, &PeakEWMA{Tau: 1, Prior: 1}, &PeakEWMA{D: 1, Tau: 1, Prior: 1},
		&EWMA{Alpha: math.SmallestNonzeroFloat64, Prior: 1, Priors: map[ServerID]time.Duration{4: 1}},
		&LeastTime{Latency: good}, &OverSuccess{Latency: good}, &Ring{Points: 1}, Least{Of: WeightedLeastRequest{}},
		Least{D: 1, Of: WeightedLeastRequest{}}, &EnvoyWeighted{}, &LingeringErrors{Linger: 1}, &Maglev{}, &Maglev{Size: 2},
	} {
		assert.NoError(t, Check(p), "%#v", p)
	}
}
