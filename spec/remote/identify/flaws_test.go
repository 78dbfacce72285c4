package identify

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

func two() policies.Policy { return policies.PowerOfD{D: 2} }

// A flaw is a balancer that follows its law but for one thing.
type flaw struct {
	name    string
	factory spec.Factory
	law     string
	says    string // a deviation, as a pattern
}

var flaws = []flaw{
	{"never falls after a failure", altered(OfPolicy(two), func(p *flawed) {
		p.done = func(done func(spec.Outcome) error, o spec.Outcome) error {
			if o.Failed {
				return nil
			}
			return done(o)
		}
	}), "power-of-d:2", "that failed it no longer follows power-of-d:2, so counts do not fall .* s0 got 0 of"},
	{"never falls after a cancelled request", altered(OfPolicy(two), func(p *flawed) {
		p.done = func(done func(spec.Outcome) error, o spec.Outcome) error {
			if o.Canceled {
				return nil
			}
			return done(o)
		}
	}), "power-of-d:2", "that were cancelled it no longer follows power-of-d:2"},
	{"forgets at an update", altered(OfPolicy(two), func(p *flawed) {
		p.update = func(fleet []spec.Server) error {
			fresh, err := OfPolicy(two)(spec.Fleet{Servers: fleet, Seed: 9})
			p.Picker = fresh
			return err
		}
	}), "power-of-d:2", "an update to the same fleet, .*state is lost"},
	{"keeps who has left", altered(OfPolicy(two), func(p *flawed) {
		p.update = func(fleet []spec.Server) error {
			if len(fleet) == 6 {
				return nil
			}
			return p.Picker.(spec.Updater).Update(fleet)
		}
	}), "power-of-d:2", "s0, which had left with requests in flight, was picked|server 0, which is not in the fleet"},
	{"has room for 64", OfPolicy(ofView(func(v *policies.Snapshot, c policies.Coins) int {
		return (policies.LeastRequest{}).Pick(policies.Request{}, first64(v), c)
	})), "least-request", "with 70 servers it does not follow least-request: the first [0-9]+ got"},
	{"counts in 8 bits", OfPolicy(ofView(func(v *policies.Snapshot, c policies.Coins) int {
		narrow := *v
		narrow.Loads = slices.Clone(v.Loads)
		for i, l := range v.Loads {
			narrow.Loads[i] = float64(uint8(l))
		}
		return policies.LeastRequest{}.Pick(policies.Request{}, &narrow, c)
	})), "least-request", "with 256 requests at one of seven servers it does not follow least-request"},
	{"draws one of two at random", OfPolicy(ofView(func(v *policies.Snapshot, c policies.Coins) int {
		if v.Len() == 2 {
			return c.IntN(2)
		}
		return two().Pick(policies.Request{}, v, c)
	})), "power-of-d:2", "with two servers it does not follow power-of-d:2"},
	{"starts at the first", OfPolicy(func() policies.Policy { return &turning{from: 0} }), "round-robin",
		"the first picks of 100 fresh balancers do not follow round-robin: s0 got 100, where 14.3 are due"},
	{"turns in 16 bits", OfPolicy(func() policies.Policy { return &turning{from: -1, wraps: 1 << 16} }), "round-robin",
		"within 65543 picks the rotation is uneven"},
	{"shares its cursor", OfPolicy(func() policies.Policy { return shared }), "round-robin",
		"while another balancer picks, too, the rotation is uneven"},
	{"sends for who has gone", altered(OfPolicy(two), func(p *flawed) { p.heedless = true }), "power-of-d:2",
		"a request for a caller that has gone is sent to s"},
	{"panics without servers", OfPolicy(ofView(func(v *policies.Snapshot, c policies.Coins) int {
		return c.IntN(v.Len())
	})), "random", "a request without servers: panic"},
	{"does not rebuild its ring", altered(OfPolicy(func() policies.Policy { return &policies.Ring{Points: 50} }), func(p *flawed) {
		p.update = func(fleet []spec.Server) error {
			for i := range fleet {
				fleet[i].Weight = min(fleet[i].Weight, 1)
			}
			return p.Picker.(spec.Updater).Update(fleet)
		}
	}), Hash, "after a weight had been raised, [0-9]+ of 1000 keys are not where"},
}

// TestFlawsAreDeviations plants each flaw and looks for what is said of it: the
// law is named all the same, and not as if nothing contradicted it.
func TestFlawsAreDeviations(t *testing.T) {
	t.Parallel()
	chosen := flaws
	if testing.Short() {
		chosen = flaws[6:9] // a second; the others take many
	}
	for _, f := range chosen {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			o := quick
			o.Within = 0.3 // what contradicts the law is found by other picks
			r, err := Identify(f.factory, o)
			require.NoError(t, err)
			require.Equal(t, []string{f.law}, r.Remaining)
			require.False(t, r.Clean())
			require.Condition(t, func() bool {
				return slices.ContainsFunc(r.Deviations, func(d string) bool { return matches(f.says, d) })
			}, "%q is not among %q", f.says, r.Deviations)
		})
	}
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// ofView makes a policy of a choice.
func ofView(choose func(*policies.Snapshot, policies.Coins) int) func() policies.Policy {
	return func() policies.Policy { return chooser(choose) }
}

// first64 is what a policy sees that has no room for more.
func first64(v *policies.Snapshot) *policies.Snapshot {
	short := *v
	short.Servers, short.Loads = v.Servers[:min(64, v.Len())], v.Loads[:min(64, v.Len())]
	return &short
}

// shared is one rotation for all balancers.
var shared = &turning{from: -1}

// turning takes servers in turn; its cursor wraps, if it does.
type turning struct{ from, wraps int }

func (r *turning) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	if v.Len() == 0 {
		return policies.None
	}
	if r.from < 0 {
		r.from = c.IntN(v.Len())
	}
	i := r.from % v.Len()
	r.from++
	if r.wraps > 0 {
		r.from %= r.wraps
	}
	return i
}

// flawed lets a test change what a balancer does at its ends.
type flawed struct {
	spec.Picker
	done   func(done func(spec.Outcome) error, o spec.Outcome) error
	update func([]spec.Server) error
	// heedless says that nobody looks whether the caller is still there.
	heedless bool
}

func altered(f spec.Factory, change func(*flawed)) spec.Factory {
	return func(fleet spec.Fleet) (spec.Picker, error) {
		p, err := f(fleet)
		w := &flawed{Picker: p}
		change(w)
		return w, err
	}
}

func (p *flawed) Pick(ctx context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if p.heedless {
		ctx = context.WithoutCancel(ctx)
	}
	id, done, err := p.Picker.Pick(ctx, q)
	if p.done == nil {
		return id, done, err
	}
	return id, func(o spec.Outcome) error { return p.done(done, o) }, err
}

func (p *flawed) Update(fleet []spec.Server) error {
	if p.update != nil {
		return p.update(fleet)
	}
	return p.Picker.(spec.Updater).Update(fleet)
}
