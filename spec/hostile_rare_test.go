package spec

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// boxOf leases servers out by a rule; the servers know their loads.
func boxOf(rule ruleFunc) Factory {
	return Leased(func() policies.Policy { return rule })
}

// seen is what a rule is shown, with other loads.
func seen(v policies.View, load func(float64) float64) *policies.Snapshot {
	s := new(policies.Snapshot)
	for i := range v.Len() {
		l, _ := v.Load(i)
		s.Servers, s.Loads = append(s.Servers, v.Server(i)), append(s.Loads, load(l))
	}
	return s
}

// An updated box counts its updates, and may do something at one of them.
type updated struct {
	*leased
	updates int
	at      func(u *updated, fleet []Server) error // instead of the update; nil: nothing
}

func (u *updated) Update(fleet []Server) error {
	u.updates++
	if u.at != nil {
		return u.at(u, fleet)
	}
	return u.leased.Update(fleet)
}

// A narrow box tells its counts in 8 bits.
type narrowCount struct{ *leased }

func (n narrowCount) InFlight(id ServerID) int { return int(uint8(n.leased.InFlight(id))) }

// failing counts failures, and from some number of them on favours one server.
type failing struct {
	*leased
	failures int
}

// Balancers that are wrong in some rare place only: the closest look, at a few
// states of two small fleets, acquits them, as do the properties that were there
// before; a property that looks further does not.
func TestRarelyWrong(t *testing.T) {
	two, one := policies.PowerOfD{D: 2}, policies.Random{}
	fair, counts := Law(oracle.PowerOfD{D: 2}), CountsInFlight()
	p2 := func(at func(v policies.View) bool, wrong ruleFunc) Factory {
		return boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
			if at(v) {
				return wrong(q, v, c)
			}
			return two.Pick(q, v, c)
		})
	}
	size := func(n int) func(policies.View) bool { return func(v policies.View) bool { return v.Len() == n } }
	rotation := func(next func(v policies.View, last ServerID) int) Factory {
		return Leased(func() policies.Policy {
			last := ServerID(-1)
			return ruleFunc(func(_ policies.Request, v policies.View, c policies.Coins) int {
				i := next(v, last)
				if last < 0 {
					i = c.IntN(v.Len())
				}
				last = v.Server(i).ID
				return i
			})
		})
	}
	for name, c := range map[string]struct {
		subject  Factory
		claims   []Option
		acquits  []string // properties
		convicts string
		findings []Finding
	}{
		"random among eight servers": {
			p2(size(8), one.Pick), []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn"}, "law/fleet-sizes", []Finding{WrongLaw},
		},
		"compares all of sixteen": {
			p2(size(16), policies.LeastRequest{}.Pick), []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn"}, "law/fleet-sizes", []Finding{WrongLaw},
		},
		"five bits for a server": {
			boxOf(func(_ policies.Request, v policies.View, c policies.Coins) int { return c.IntN(min(v.Len(), 32)) }),
			[]Option{Law(oracle.Random{}), counts},
			[]string{"random/pick-law", "conservation/after-churn"}, "law/fleet-sizes", []Finding{WrongLaw, NeverFills},
		},
		"the last of seventeen left out": {
			boxOf(func(_ policies.Request, v policies.View, c policies.Coins) int {
				if v.Len() == 17 {
					return c.IntN(16)
				}
				return c.IntN(v.Len())
			}),
			[]Option{Law(oracle.Random{}), counts},
			[]string{"random/pick-law", "conservation/after-churn"}, "law/fleet-sizes", []Finding{WrongLaw, NeverFills},
		},
		"eight requests are as good as more": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				return two.Pick(q, seen(v, func(l float64) float64 { return min(l, 8) }), c)
			}), []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn", "law/fleet-sizes"}, "law/deep-loads", []Finding{WrongLaw},
		},
		"eight bits for a load": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				return two.Pick(q, seen(v, func(l float64) float64 { return float64(uint8(l)) }), c)
			}), []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn", "law/fleet-sizes"}, "law/deep-loads", []Finding{WrongLaw, NeverFills},
		},
		"the square root of a load, in halves": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				return policies.LeastRequest{}.Pick(q, seen(v, func(l float64) float64 { return math.Round(8 * math.Sqrt(l)) }), c)
			}), []Option{Law(oracle.LeastRequest{}), counts},
			[]string{"least-request/pick-law", "conservation/after-churn", "law/fleet-sizes"}, "law/deep-loads", []Finding{WrongLaw},
		},
		"the first after a thousand failures": {
			func(f Fleet) (Picker, error) {
				failed := new(failing)
				p, err := boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
					if failed.failures >= 1000 && c.IntN(4) == 0 {
						return 0
					}
					return two.Pick(q, v, c)
				})(f)
				if err != nil {
					return nil, err
				}
				failed.leased = p.(*leased)
				return &tamperer{Picker: failed, tamper: func(_ *tamperer, id ServerID, done func(Outcome) error) (ServerID, func(Outcome) error) {
					return id, func(o Outcome) error {
						if o.Failed {
							failed.failures++
						}
						return done(o)
					}
				}}, nil
			}, []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn"}, "law/long-use", []Finding{WrongLaw},
		},
		"loads by place, servers by name": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				s := seen(v, func(l float64) float64 { return l })
				names := make([]string, v.Len())
				for i, server := range s.Servers {
					names[i] = server.Name
				}
				slices.Sort(names)
				chosen := names[two.Pick(q, s, c)]
				return slices.IndexFunc(s.Servers, func(s Server) bool { return s.Name == chosen })
			}), []Option{fair, counts},
			[]string{"power-of-d/pick-law", "conservation/after-churn"}, "order/relabelling", []Finding{WrongLaw, NeverFills},
		},
		"forgets at the third update": {
			func(f Fleet) (Picker, error) {
				p, err := boxOf(two.Pick)(f)
				if err != nil {
					return nil, err
				}
				return &updated{leased: p.(*leased), at: func(u *updated, fleet []Server) error {
					if u.updates != 3 {
						return u.leased.Update(fleet)
					}
					b, err := policies.NewBalancer(two, u.endpoints(fleet), policies.WithCoins(policies.NewCoins(f.Seed)))
					u.balancer = b
					return err
				}}, nil
			}, []Option{fair, counts, KeepsCounts()},
			[]string{"power-of-d/pick-law", "continuity/law-after-updates"}, "continuity/counts-across-update", []Finding{WrongLaw},
		},
		"the neighbour inherits while one is out": {
			func(f Fleet) (Picker, error) {
				whole := f.Servers
				p, err := boxOf(func(_ policies.Request, v policies.View, c policies.Coins) int {
					for k := c.IntN(len(whole)); ; k++ {
						for i := range v.Len() {
							if v.Server(i).Name == whole[k%len(whole)].Name {
								return i
							}
						}
					}
				})(f)
				if err != nil {
					return nil, err
				}
				return &updated{leased: p.(*leased)}, nil
			}, []Option{Law(oracle.Random{}), counts},
			[]string{"random/pick-law", "conservation/after-churn", "law/fleet-sizes"}, "eligibility/share", []Finding{WrongLaw},
		},
		"picks who is out, now and then": {
			func(f Fleet) (Picker, error) {
				p, err := boxOf(one.Pick)(f)
				if err != nil {
					return nil, err
				}
				u := &updated{leased: p.(*leased), at: func(u *updated, fleet []Server) error {
					f.Servers = fleet
					return u.leased.Update(fleet)
				}}
				return struct {
					Updater
					Picker
				}{u, &tamperer{Picker: u, tamper: func(t *tamperer, id ServerID, done func(Outcome) error) (ServerID, func(Outcome) error) {
					if s := f.Servers[t.picks%len(f.Servers)]; s.Weight == 0 && t.picks%10 == 0 {
						return s.ID, done
					}
					return id, done
				}}}, nil
			}, []Option{Law(oracle.Random{}), counts},
			[]string{"random/pick-law", "conservation/after-churn", "law/fleet-sizes"}, "eligibility/share", []Finding{Ineligible},
		},
		"counts in eight bits": {
			func(f Fleet) (Picker, error) {
				p, err := boxOf(two.Pick)(f)
				if err != nil {
					return nil, err
				}
				return narrowCount{p.(*leased)}, nil
			}, []Option{fair, counts},
			[]string{"power-of-d/pick-law", "law/deep-loads"}, "conservation/in-flight", []Finding{Leak},
		},
		"a burst at sixteen servers sees old counts": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				if v.Len() == 16 {
					return two.Pick(q, v, c)
				}
				return policies.LeastRequest{}.Pick(q, v, c)
			}), []Option{Law(oracle.LeastRequest{}), counts},
			[]string{"least-request/pick-law", "conservation/after-churn"}, "conservation/burst", []Finding{WrongLaw},
		},
		"a rotation that starts anew when it is updated": {
			func(f Fleet) (Picker, error) {
				p, err := boxOf(nil)(Fleet{Servers: f.Servers})
				if err != nil {
					return nil, err
				}
				fresh := func(u *updated, fleet []Server) error {
					b, err := policies.NewBalancer(&policies.RoundRobin{}, u.endpoints(fleet), policies.WithCoins(policies.NewCoins(f.Seed)))
					u.balancer = b
					return err
				}
				u := &updated{leased: p.(*leased), at: fresh}
				return u, fresh(u, f.Servers)
			}, []Option{Law(oracle.RoundRobin{})},
			[]string{"round-robin/pick-law", "round-robin/window", "law/long-use"}, "round-robin/update", []Finding{BrokenSequence},
		},
		"a rotation over places, some of them empty": {
			func(f Fleet) (Picker, error) {
				whole, turn := f.Servers, int(f.Seed%1000)
				return boxOf(func(_ policies.Request, v policies.View, _ policies.Coins) int {
					turn++
					for k := turn; ; k++ { // whoever stands there, or else behind
						for i := range v.Len() {
							if v.Server(i).Name == whole[k%len(whole)].Name {
								return i
							}
						}
					}
				})(f)
			}, []Option{Law(oracle.RoundRobin{})},
			[]string{"round-robin/pick-law", "round-robin/window", "law/deep-loads"}, "round-robin/eligible", []Finding{BrokenSequence},
		},
		"a rotation that looks for its last server by an id of 8 bits": {
			rotation(func(v policies.View, last ServerID) int {
				for i := range v.Len() {
					if uint8(v.Server(i).ID) > uint8(last) {
						return i
					}
				}
				return 0
			}), []Option{Law(oracle.RoundRobin{})},
			[]string{"round-robin/pick-law", "round-robin/window"}, "round-robin/large-ids", []Finding{BrokenSequence},
		},
		"weights of the first day": {
			func(f Fleet) (Picker, error) {
				first := make(map[string]uint64)
				p, err := Leased(func() policies.Policy { return &policies.SmoothWeighted{} })(f)
				if err != nil {
					return nil, err
				}
				return &updated{leased: p.(*leased), at: func(u *updated, fleet []Server) error {
					fleet = slices.Clone(fleet)
					for i, s := range fleet {
						if _, known := first[s.Name]; !known {
							first[s.Name] = s.Weight
						}
						if s.Weight > 0 && first[s.Name] > 0 {
							fleet[i].Weight = first[s.Name]
						}
					}
					return u.leased.Update(fleet)
				}}, nil
			}, []Option{Law(oracle.SmoothWeighted{}), Weighted(), Rotates()},
			[]string{"smooth-weighted/pick-law", "weighted/window", "weighted/zero"}, "weighted/update", []Finding{BrokenSequence},
		},
		"a cookie of a stranger goes to the first": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				for i := range v.Len() {
					if v.Server(i).Name == q.Cookie {
						return i
					}
				}
				if q.Cookie != "" {
					return 0
				}
				return c.IntN(v.Len())
			}), []Option{Law(oracle.Random{}), Sticks()},
			[]string{"random/pick-law", "sticky/cookie"}, "sticky/fallback", []Finding{WrongLaw, NeverFills},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			if !testing.Short() { // a second or two each, even at a resolution that is not the closest
				before := Check(c.subject, append(c.claims, Resolution(0.15), Only(c.acquits...))...)
				for _, property := range c.acquits {
					require.Equal(t, Holds, resultOf(t, before, property).Verdict, "%v", resultOf(t, before, property))
				}
			}
			r := Check(c.subject, append(c.claims, Only(c.convicts))...)
			p := resultOf(t, r, c.convicts)
			require.Equal(t, Violated, p.Verdict, p.String())
			require.Contains(t, c.findings, p.Finding, p.String())
			t.Logf("%s after %d picks: %s", c.convicts, p.Samples, p.Observed)
		})
	}
}

// The drawn size follows from the seed of the run, and all of its range occurs.
func TestDrawnSize(t *testing.T) {
	size := func(seed uint64) int {
		p, err := Find("law/fleet-sizes")
		require.NoError(t, err)
		return newSession(Subject{Name: "subject"}, []Option{Seed(seed)}).run(p, Sampled).drawnSize()
	}
	require.Equal(t, size(7), size(7))
	drawn := make(map[int]bool)
	for seed := range uint64(2000) {
		drawn[size(seed)] = true
	}
	// Log-uniform: the least likely size is 40, with ln(41/40)/ln(41/9) = 0.016; 2000
	// draws miss one of the 32 with probability below 32·0.984^2000 < 1e-12.
	for n := 9; n <= 40; n++ {
		require.True(t, drawn[n], n)
		delete(drawn, n)
	}
	require.Empty(t, drawn)
}
