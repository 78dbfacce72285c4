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

// Each of these is wrong in one place that one property, or one state of it, is
// there for; the closest look acquits it.
func TestWrongInOnePlace(t *testing.T) {
	two, least := policies.PowerOfD{D: 2}, policies.LeastRequest{}
	// misread is a choice by loads that are read wrongly.
	misread := func(p policies.Policy, load func(float64) float64) Factory {
		return boxOf(func(q policies.Request, v policies.View, c policies.Coins) int { return p.Pick(q, seen(v, load), c) })
	}
	// misweighs takes the weights for others.
	misweighs := func(weight func(uint64) uint64) Factory {
		return boxOf(func(_ policies.Request, v policies.View, c policies.Coins) int {
			weights := make([]uint64, v.Len())
			for i := range weights {
				weights[i] = weight(v.Server(i).Weight)
			}
			return c.Weighted(weights)
		})
	}
	// heeds only some updates.
	heeds := func(p policies.Policy, which func(before, after int) bool) Factory {
		return func(f Fleet) (Picker, error) {
			box, err := boxOf(p.Pick)(f)
			if err != nil {
				return nil, err
			}
			size := len(f.Servers)
			return &updated{leased: box.(*leased), at: func(u *updated, fleet []Server) error {
				if !which(size, len(fleet)) {
					return nil
				}
				size = len(fleet)
				return u.leased.Update(fleet)
			}}, nil
		}
	}
	// ended tells of the ends of requests.
	ended := func(p func(ends map[string]int) ruleFunc, at func(ends map[string]int)) Factory {
		return func(f Fleet) (Picker, error) {
			ends := make(map[string]int)
			box, err := boxOf(p(ends))(f)
			return &tamperer{Picker: box, tamper: func(_ *tamperer, id ServerID, done func(Outcome) error) (ServerID, func(Outcome) error) {
				return id, func(o Outcome) error {
					if o.Canceled {
						ends["canceled"]++
					}
					if o.Failed {
						ends["failed"]++
					}
					at(ends)
					return done(o)
				}
			}}, err
		}
	}
	fair, counts := []Option{Law(oracle.PowerOfD{D: 2}), CountsInFlight()}, []Option{Law(oracle.LeastRequest{}), CountsInFlight()}
	keeps := append(slices.Clone(counts), KeepsCounts())
	for name, c := range map[string]struct {
		subject  Factory
		claims   []Option
		acquits  string
		convicts string
		findings []Finding
	}{
		"weights in 8 bits": {
			misweighs(func(w uint64) uint64 { return uint64(uint8(w)) }), []Option{Law(oracle.WeightedRandom{})},
			"weighted-random/pick-law", "law/fleet-sizes", []Finding{WrongLaw},
		},
		"weights up to 100": {
			misweighs(func(w uint64) uint64 { return min(w, 100) }), []Option{Law(oracle.WeightedRandom{})},
			"weighted-random/pick-law", "law/fleet-sizes", []Finding{WrongLaw},
		},
		"heeds no update to more than four": {
			heeds(least, func(_, after int) bool { return after <= 4 }), keeps,
			"least-request/pick-law", "continuity/law-after-updates", []Finding{NeverFills},
		},
		"heeds no update to more than eight": {
			heeds(least, func(_, after int) bool { return after <= 8 }), keeps,
			"least-request/pick-law", "continuity/law-after-updates", []Finding{NeverFills},
		},
		"heeds no update that more than doubles it": {
			heeds(least, func(before, after int) bool { return after <= 2*before }), keeps,
			"least-request/pick-law", "continuity/law-after-updates", []Finding{NeverFills},
		},
		"heeds no update by which most leave": {
			heeds(least, func(before, after int) bool { return 2*after >= before }), keeps,
			"least-request/pick-law", "continuity/law-after-updates", []Finding{UnknownServer},
		},
		"forgets at an update to more than eight": {
			func(f Fleet) (Picker, error) {
				p, err := boxOf(least.Pick)(f)
				if err != nil {
					return nil, err
				}
				return &updated{leased: p.(*leased), at: func(u *updated, fleet []Server) error {
					if len(fleet) <= 8 {
						return u.leased.Update(fleet)
					}
					b, err := policies.NewBalancer(least, u.endpoints(fleet), policies.WithCoins(policies.NewCoins(f.Seed)))
					u.balancer = b
					return err
				}}, nil
			}, keeps,
			"continuity/law-after-updates", "continuity/counts-across-update", []Finding{WrongLaw},
		},
		"panics at what was canceled": {
			ended(func(map[string]int) ruleFunc { return policies.Random{}.Pick }, func(ends map[string]int) {
				if ends["canceled"] > 0 {
					panic("canceled")
				}
			}), []Option{Law(oracle.Random{})},
			"random/pick-law", "law/long-use", []Finding{Panicked},
		},
		"the first after a thousand were canceled": {
			ended(func(ends map[string]int) ruleFunc {
				return func(q policies.Request, v policies.View, c policies.Coins) int {
					if ends["canceled"] >= 1000 && c.IntN(4) == 0 {
						return 0
					}
					return two.Pick(q, v, c)
				}
			}, func(map[string]int) {}), fair,
			"conservation/after-churn", "law/long-use", []Finding{WrongLaw},
		},
		"whom a thousand requests burden is no worse": {
			misread(two, func(l float64) float64 { return math.Mod(l, 1000) }), fair,
			"power-of-d/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
		"1023 is the most": {
			misread(two, func(l float64) float64 { return min(l, 1023) }), fair,
			"power-of-d/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
		"255 is the most until 300": {
			misread(two, func(l float64) float64 {
				if l > 255 && l < 300 {
					return 255
				}
				return l
			}), fair,
			"power-of-d/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
		"127 and 128 are the same": {
			misread(least, func(l float64) float64 {
				if l == 128 {
					return 127
				}
				return l
			}), counts,
			"least-request/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
		"nobody is looked at while all are busy": {
			boxOf(func(q policies.Request, v policies.View, c policies.Coins) int {
				s := seen(v, func(l float64) float64 { return l })
				if slices.Min(s.Loads) == 12 && slices.Max(s.Loads) == 12 {
					return c.IntN(max(1, v.Len()-1))
				}
				return two.Pick(q, v, c)
			}), fair,
			"power-of-d/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
		"at most ninety": {
			misread(two, func(l float64) float64 {
				if l >= 90 && l < 110 {
					return 0
				}
				return l
			}), fair,
			"power-of-d/pick-law", "law/deep-loads", []Finding{WrongLaw},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			if !testing.Short() {
				before := resultOf(t, Check(c.subject, append(c.claims, Resolution(0.15), Only(c.acquits))...), c.acquits)
				require.Equal(t, Holds, before.Verdict, before.String())
			}
			p := resultOf(t, Check(c.subject, append(c.claims, Only(c.convicts))...), c.convicts)
			require.Equal(t, Violated, p.Verdict, p.String())
			require.Contains(t, c.findings, p.Finding, p.String())
			t.Logf("%s after %d picks: %s", c.convicts, p.Samples, p.Observed)
		})
	}
}

// A copied policy draws at random, and has a state that no pick depends on: what
// is wrong with its copies shows in nothing else.
type copied struct {
	picks  *int
	copies func(c *copied) *copied
}

func (c *copied) Pick(q policies.Request, v policies.View, coins policies.Coins) int {
	*c.picks++
	return policies.Random{}.Pick(q, v, coins)
}

func (c *copied) Clone() policies.Policy { return c.copies(c) }
func (c *copied) State() string          { return string(rune('a' + *c.picks%26)) }

func TestCopiesThatPickAlikeAndAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		copies   func(c *copied) *copied
		want     Verdict
		observed string
	}{
		"a true copy":                  {func(c *copied) *copied { n := *c.picks; return &copied{&n, c.copies} }, Holds, ""},
		"one that shares its state":    {func(c *copied) *copied { return &copied{c.picks, c.copies} }, Violated, "after a pick of its copy"},
		"one that begins from scratch": {func(c *copied) *copied { return &copied{new(int), c.copies} }, Violated, "after the same moments as its copy"},
	} {
		subject := OfPolicy("copied", func() policies.Policy { return &copied{new(int), c.copies} })
		p := resultOf(t, subject.Check(Only("continuity/clone")), "continuity/clone")
		require.Equal(t, c.want, p.Verdict, "%s: %v", name, p)
		require.Contains(t, p.Observed, c.observed, name)
		if c.want == Violated {
			require.Equal(t, Impure, p.Finding, name)
		}
	}
}
