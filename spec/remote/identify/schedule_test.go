package identify

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// TestSchedules looks at a schedule that is none of the known laws, and at the same
// one when each update builds it anew.
func TestSchedules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second; reference policies are named in short runs too")
	}
	t.Parallel()
	envoy := func() policies.Policy { return &policies.EnvoyWeighted{Bias: 1} }
	r, err := Identify(OfPolicy(envoy), quick)
	require.NoError(t, err)
	require.Empty(t, r.Remaining)
	said := fmt.Sprint(r.Observations)
	require.Contains(t, said, "an idle fleet takes turns")
	require.Contains(t, said, "a request in flight counts")
	require.NotContains(t, said, "break the turns")

	r, err = Identify(altered(OfPolicy(envoy), func(p *flawed) {
		p.update = func(fleet []spec.Server) error {
			fresh, err := OfPolicy(envoy)(spec.Fleet{Servers: fleet, Seed: 1})
			p.Picker = fresh
			return err
		}
	}), quick)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(r.Observations), "updates to the same fleet break the turns")
}

// TestGrudges lets failures linger, and lets an update or half of the time forgive
// them.
func TestGrudges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("three whole searches take seconds")
	}
	linger := func(d time.Duration) spec.Factory {
		return OfPolicy(func() policies.Policy { return &policies.LingeringErrors{Linger: d} })
	}
	for name, c := range map[string]struct {
		factory       spec.Factory
		eight, update string // seconds later; after a visitor
	}{
		"ten seconds":  {linger(10 * time.Second), "not picked", "not picked"},
		"five seconds": {linger(5 * time.Second), "picked", "not picked"},
		"an update forgives": {OfPolicy(func() policies.Policy {
			return &forgiving{LingeringErrors: policies.LingeringErrors{Linger: 10 * time.Second}}
		}), "not picked", "picked"},
	} {
		r, err := Identify(c.factory, quick)
		require.NoError(t, err)
		require.Equal(t, []string{"least-request"}, r.Remaining, name)
		said := fmt.Sprint(r.Observations)
		require.Contains(t, said, "eight seconds after a failure, the server that failed is "+c.eight, name)
		require.Contains(t, said, "after a failure, and a visitor that joined and left, the server that failed is "+c.update, name)
		require.Contains(t, said, "half a minute after a failure, the server that failed is picked", name)
	}
}

type forgiving struct{ policies.LingeringErrors }

func (f *forgiving) Update([]policies.Server) {
	f.LingeringErrors = policies.LingeringErrors{Linger: f.Linger}
}
