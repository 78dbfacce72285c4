package identify

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// quick confirms a law less closely than Default, in half as many picks.
var quick = func() Options { o := Default; o.Within = 0.15; return o }()

// fewer are the policies of a short run.
var fewer = []string{"least-request", "round-robin", "peak-ewma", "rendezvous"}

// TestReferencePoliciesAreNamed holds the search to its promise: the truth is
// never refuted, and it is the only law left. The run is one of a fixed seed; the
// truth would be refuted with probability 1e-9.
func TestReferencePoliciesAreNamed(t *testing.T) {
	t.Parallel()
	named := 0
	for _, s := range spec.Reference() {
		if s.Policy == nil || testing.Short() && !slices.Contains(fewer, s.Name) {
			continue
		}
		r, err := Identify(OfPolicy(s.Policy), quick)
		require.NoError(t, err, s.Name)
		claims, observed := spec.ClaimsOf(s.Claims...), strings.Join(r.Observations, "\n")
		truth := ""
		switch {
		case claims.Learns: // its law is what it does while it knows nothing
			require.Regexp(t, "latencies matter|failures matter", observed, s.Name)
			require.Empty(t, r.Deviations, s.Name)
			if !claims.ReadsVerdicts {
				require.NotRegexp(t, `(^|\n)failures matter`, observed, s.Name)
			}
			continue
		case claims.Law != nil:
			truth = claims.Law.String()
			require.Less(t, r.Within, 0.15, s.Name)
		case claims.MapsKeys || claims.HashesKeys:
			truth = Hash
		default:
			continue
		}
		for _, l := range r.Refuted {
			require.NotEqual(t, truth, l.Law, "%s: the truth was refuted", s.Name)
		}
		require.Equal(t, []string{truth}, r.Remaining, s.Name)
		require.Empty(t, r.Deviations, s.Name)
		require.True(t, r.Clean(), s.Name)
		require.NotRegexp(t, "(latencies|failures) matter", observed, s.Name)
		named++
	}
	if testing.Short() {
		require.Equal(t, len(fewer)-1, named, "all but the learner")
	} else {
		require.GreaterOrEqual(t, named, 10)
	}
}

func TestWeightedLawsAreNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a second; reference policies are named in short runs too")
	}
	for truth, choose := range map[string]func(view *policies.Snapshot, c policies.Coins) int{
		"weighted-random": func(v *policies.Snapshot, c policies.Coins) int {
			w := make([]uint64, v.Len())
			for i, s := range v.Servers {
				w[i] = s.Weight
			}
			return c.Weighted(w)
		},
		"weighted-least-request": func(v *policies.Snapshot, c policies.Coins) int {
			var best []int
			least := 0.0
			for i, s := range v.Servers {
				cost := (v.Loads[i] + 1) / float64(s.Weight)
				if best == nil || cost < least {
					best, least = nil, cost
				}
				if cost == least {
					best = append(best, i)
				}
			}
			return best[c.IntN(len(best))]
		},
	} {
		r, err := Identify(OfPolicy(func() policies.Policy { return chooser(choose) }), quick)
		require.NoError(t, err)
		require.Equal(t, []string{truth}, r.Remaining)
		require.Len(t, r.EqualWeights, 1)
		require.Empty(t, r.Observations, truth)
	}
}

type chooser func(*policies.Snapshot, policies.Coins) int

func (f chooser) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	return f(v.(*policies.Snapshot), c)
}

// TestAServerThatIsNeverPicked hides the last server.
func TestAServerThatIsNeverPicked(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy {
		return chooser(func(v *policies.Snapshot, c policies.Coins) int { return c.IntN(max(1, v.Len()-1)) })
	}), quick)
	require.NoError(t, err)
	require.Empty(t, r.Remaining)
	require.Contains(t, strings.Join(r.Observations, "\n"), "s6 never picked in 280 picks")
}

// TestWhatIsNoKnownLawIsNotNamed mixes two of them.
func TestWhatIsNoKnownLawIsNotNamed(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy {
		return chooser(func(v *policies.Snapshot, c policies.Coins) int {
			if c.IntN(2) == 0 {
				return c.IntN(v.Len())
			}
			return policies.LeastRequest{}.Pick(policies.Request{}, v, c)
		})
	}), quick)
	require.NoError(t, err)
	require.Empty(t, r.Remaining)
}

// TestTiesInTurn takes minima in turn, as nginx does.
func TestTiesInTurn(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy {
		last := -1
		return chooser(func(v *policies.Snapshot, c policies.Coins) int {
			for k := range v.Len() {
				if i := (last + 1 + k) % v.Len(); v.Loads[i] == slices.Min(v.Loads) {
					last = i
					return i
				}
			}
			return policies.None
		})
	}), quick)
	require.NoError(t, err)
	require.Equal(t, []string{AnyTie}, r.Remaining)
	require.Less(t, r.Within, 0.15)
}

func TestTheHeavierIsNamedAlthoughItNeverFills(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy {
		return chooser(func(v *policies.Snapshot, c policies.Coins) int {
			i := c.IntN(v.Len())
			j := c.IntN(v.Len() - 1)
			if j >= i {
				j++
			}
			if v.Loads[j] > v.Loads[i] {
				return j
			}
			return i
		})
	}), quick)
	require.NoError(t, err)
	require.Equal(t, []string{"heavier-of-d:2"}, r.Remaining)
}

func TestFailuresThatMatter(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy { return &avoider{bad: make(map[spec.ServerID]bool)} }), quick)
	require.NoError(t, err)
	require.Contains(t, strings.Join(r.Observations, "\n"), "failures matter, failing servers are avoided: idle servers got 0.0%")
	require.NotContains(t, strings.Join(r.Observations, "\n"), "latencies matter")
}

func TestWhatAJoinMoves(t *testing.T) {
	t.Parallel()
	r, err := Identify(OfPolicy(func() policies.Policy { return &policies.Ring{Points: 50} }), quick)
	require.NoError(t, err)
	require.Contains(t, strings.Join(r.Observations, "\n"), "; 0.0% moved between the others")
}

// An avoider picks at random among the servers whose last request did not fail.
type avoider struct{ bad map[spec.ServerID]bool }

func (a *avoider) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	var good []int
	for i := range v.Len() {
		if !a.bad[v.Server(i).ID] {
			good = append(good, i)
		}
	}
	if len(good) == 0 {
		return c.IntN(v.Len())
	}
	return good[c.IntN(len(good))]
}

func (a *avoider) Observe(id spec.ServerID, o policies.Outcome) { a.bad[id] = o.Failed }

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Options){
		func(o *Options) { o.Alpha = 0 },
		func(o *Options) { o.Picks = 0 },
		func(o *Options) { o.Contamination = 0.5 },
		func(o *Options) { o.Contamination = 0.08 }, // twice that is not below 0.15
		func(o *Options) { o.Within = 2 },
		func(o *Options) { o.Fleet = policies.Fleet(1) },
	} {
		o := quick
		change(&o)
		_, err := Identify(OfPolicy(func() policies.Policy { return policies.Random{} }), o)
		require.ErrorContains(t, err, "identify: ")
	}
	_, err := Identify(func(spec.Fleet) (spec.Picker, error) { return nil, errors.New("no luck") }, quick)
	var subject *spec.Misbehaviour
	require.ErrorAs(t, err, &subject)
}
