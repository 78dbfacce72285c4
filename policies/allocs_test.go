package policies

import (
	"strings"
	"testing"
)

// everyPolicy makes every policy anew, by its name.
func everyPolicy() map[string]Policy {
	ewma := func() Latency { return &EWMA{Alpha: 0.2, Prior: s} }
	return map[string]Policy{
		"random":                         Random{},
		"weighted random":                &WeightedRandom{},
		"least request":                  LeastRequest{},
		"power of 2":                     PowerOfD{D: 2},
		"power of 8 with replacement":    PowerOfD{D: 8, Replacement: true},
		"weighted least request":         WeightedLeastRequest{},
		"weighted least request of 2":    WeightedLeastRequest{D: 2},
		"least":                          Least{D: 3, Of: WeightedLeastRequest{}},
		"errors linger":                  &LingeringErrors{Linger: s},
		"Envoy's weighted least request": &EnvoyWeighted{Bias: 1},
		"round robin":                    &RoundRobin{},
		"smooth weighted":                &SmoothWeighted{},
		"weighted round robin":           &WeightedRoundRobin{},
		"peak EWMA":                      &PeakEWMA{Tau: s, Prior: s},
		"peak EWMA of 2":                 &PeakEWMA{D: 2, Tau: s, Prior: s},
		"EWMA":                           ewma(),
		"least time":                     &LeastTime{Latency: ewma()},
		"over success":                   &OverSuccess{Latency: ewma()},
		"ring":                           &Ring{Points: 10},
		"hash mod":                       &HashMod{},
		"rendezvous":                     &Rendezvous{},
		"maglev":                         &Maglev{Size: 1009},
		"sticky":                         &Sticky{Fallback: Random{}},
	}
}

// bigView is n servers with mixed loads, the smallest of them tied.
func bigView(n int) *Snapshot {
	v := &Snapshot{Servers: Fleet(n), Loads: make([]float64, n)}
	for i := range v.Loads {
		v.Loads[i] = float64((7*i + 3) % 11)
	}
	return v
}

func TestAPickAllocatesNothing(t *testing.T) {
	for name, p := range everyPolicy() {
		v, coins, q := bigView(100), NewCoins(1), Request{Key: strings.Repeat("key", 30), Cookie: "s7"}
		Join(p, v.Servers)
		p.Pick(q, v, coins)
		tell(p, 3, Outcome{Failed: true})
		if n := testing.AllocsPerRun(100, func() { p.Pick(q, v, coins) }); n != 0 {
			t.Errorf("%s: %v allocations for a pick, want none", name, n)
		}
	}
}
