package spec

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// A hostile balancer keeps honest counts and asks rule for the next pick.
type hostile struct {
	mu    sync.Mutex
	fleet []Server
	loads []float64
	picks int
	coins policies.Coins
	rule  func(h *hostile) ServerID
	leak  bool
}

func hostileFactory(rule func(h *hostile) ServerID) Factory {
	return func(f Fleet) (Picker, error) {
		if len(f.Servers) == 0 {
			return nil, errors.New("no servers")
		}
		return &hostile{fleet: f.Servers, loads: make([]float64, len(f.Servers)), coins: policies.NewCoins(f.Seed), rule: rule}, nil
	}
}

func (h *hostile) Pick(context.Context, Request) (ServerID, func(Outcome) error, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.picks++
	id := h.rule(h)
	i := (&policies.Snapshot{Servers: h.fleet}).Index(id)
	if i < 0 {
		return id, func(Outcome) error { return nil }, nil
	}
	h.loads[i]++
	ended := false
	return id, func(o Outcome) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if ended {
			return errors.New("ended twice")
		}
		ended = true
		if !(h.leak && o.Failed) {
			h.loads[i]--
		}
		return nil
	}, nil
}

// by lets a reference policy choose.
func by(p policies.Policy) func(h *hostile) ServerID {
	return func(h *hostile) ServerID {
		return h.fleet[p.Pick(Request{}, &policies.Snapshot{Servers: h.fleet, Loads: h.loads}, h.coins)].ID
	}
}

func resultOf(t *testing.T, r *Report, name string) PropertyResult {
	t.Helper()
	for _, p := range r.Properties {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("the report has no %s", name)
	return PropertyResult{}
}

func TestHonestSubjectHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second; the balancer of the README is held to the same claims in short runs too")
	}
	// TestMyBalancer holds the same law at the closest resolution.
	r := Check(hostileFactory(by(policies.PowerOfD{D: 2})), Law(oracle.PowerOfD{D: 2}), CountsInFlight(), Concurrent(), ReleasesOnce(), Resolution(0.1))
	for _, p := range r.Failures() {
		t.Error(p)
	}
	require.Equal(t, Holds, resultOf(t, r, "power-of-d/pick-law").Verdict)
}

func TestHostileSubjects(t *testing.T) {
	const law = "power-of-d/pick-law"
	two := Law(oracle.PowerOfD{D: 2})
	fair := by(policies.PowerOfD{D: 2})
	rotate := func(h *hostile) ServerID { return h.fleet[h.picks%len(h.fleet)].ID }
	for name, c := range map[string]struct {
		rule     func(h *hostile) ServerID
		claims   []Option
		property string
		finding  Finding
		observed string
	}{
		"panics": {
			func(h *hostile) ServerID {
				if h.picks == 50 {
					h.fleet = h.fleet[:0:0]
				}
				return fair(h)
			}, []Option{two}, law, Panicked, "index out of range",
		},
		"hangs": {
			func(h *hostile) ServerID {
				if h.picks == 50 {
					select {}
				}
				return fair(h)
			}, []Option{two, HangAfter(100 * time.Millisecond)}, law, Hung, "has not returned for 100ms",
		},
		"ends its goroutine": {
			func(h *hostile) ServerID {
				if h.picks == 50 {
					runtime.Goexit()
				}
				return fair(h)
			}, []Option{two}, law, Exited, "ended the goroutine",
		},
		"names a server that does not exist": {
			func(h *hostile) ServerID {
				if h.picks == 50 {
					return 4711
				}
				return fair(h)
			}, []Option{two}, law, UnknownServer, "server 4711",
		},
		"rotates while posing as random": {
			rotate, []Option{Law(oracle.Random{})}, "random/pick-law", WrongLaw, "",
		},
		"never fills one server up": {
			func(h *hostile) ServerID {
				if id := fair(h); id != h.fleet[len(h.fleet)-1].ID {
					return id
				}
				return h.fleet[0].ID
			}, []Option{two}, law, NeverFills, "being filled up",
		},
		"takes the heavier": {
			func(h *hostile) ServerID {
				heavy := make([]float64, len(h.loads))
				for i, l := range h.loads {
					heavy[i] = 1000 - l
				}
				return h.fleet[policies.PowerOfD{D: 2}.Pick(Request{}, &policies.Snapshot{Servers: h.fleet, Loads: heavy}, h.coins)].ID
			}, []Option{two}, law, NeverFills, "",
		},
		"draws with replacement": {
			by(policies.PowerOfD{D: 2, Replacement: true}), []Option{two}, law, WrongLaw, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Check(hostileFactory(c.rule), c.claims...)
			p := resultOf(t, r, c.property)
			require.Equal(t, Violated, p.Verdict, p.String())
			require.Equal(t, c.finding, p.Finding, p.String())
			require.Contains(t, p.Observed, c.observed)
			for _, p := range r.Properties {
				require.NotEqual(t, HarnessError, p.Verdict, p.String())
			}
		})
	}
}

func TestLeakIsFoundByTheLawItBends(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second; the counts that leak are found in short runs too")
	}
	leaky := func(f Fleet) (Picker, error) {
		p, err := hostileFactory(by(policies.LeastRequest{}))(f)
		if err == nil {
			p.(*hostile).leak = true
		}
		return p, err
	}
	r := Check(leaky, Law(oracle.LeastRequest{}), CountsInFlight())
	require.Equal(t, Holds, resultOf(t, r, "least-request/pick-law").Verdict)
	p := resultOf(t, r, "conservation/after-churn")
	require.Equal(t, Violated, p.Verdict, p.String())
	require.Contains(t, []Finding{WrongLaw, NeverFills}, p.Finding, p.String())
}

// A counting subject tells its counts.
type counting struct {
	*hostile
	extra int // what it adds to the truth
}

func (c counting) InFlight(id ServerID) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.loads[(&policies.Snapshot{Servers: c.fleet}).Index(id)]) + c.extra
}

func TestCountsThatAreTooHighOrTooLow(t *testing.T) {
	for extra, want := range map[int]Verdict{-1: Violated, 0: Holds, 1: Violated} {
		r := Check(func(f Fleet) (Picker, error) {
			p, err := hostileFactory(by(policies.LeastRequest{}))(f)
			if err != nil {
				return nil, err
			}
			return counting{p.(*hostile), extra}, nil
		}, CountsInFlight(), Only("conservation/in-flight"))
		p := resultOf(t, r, "conservation/in-flight")
		require.Equal(t, want, p.Verdict, p.String())
	}
}

// leaksOnCancel never forgets a request that was cancelled before it was made.
type leaksOnCancel struct{ *hostile }

func (l leaksOnCancel) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	id, done, err := l.hostile.Pick(ctx, q)
	if ctx.Err() != nil {
		return 0, nil, ctx.Err()
	}
	return id, done, err
}

func TestLeakOnCancelIsFound(t *testing.T) {
	r := Check(func(f Fleet) (Picker, error) {
		p, err := hostileFactory(by(policies.LeastRequest{}))(f)
		if err != nil {
			return nil, err
		}
		return leaksOnCancel{p.(*hostile)}, nil
	}, Law(oracle.LeastRequest{}), CountsInFlight(), Resolution(0.1), Only("conservation/after-churn", "least-request/pick-law"))
	require.Equal(t, Holds, resultOf(t, r, "least-request/pick-law").Verdict)
	require.Equal(t, Violated, resultOf(t, r, "conservation/after-churn").Verdict)
}

// losesUpdates drops the end of every request that overlaps with another, and
// does not tell its counts.
type losesUpdates struct {
	*hostile
	open atomic.Int32
}

func (l *losesUpdates) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	id, done, err := l.hostile.Pick(ctx, q)
	if err != nil {
		return id, done, err
	}
	shared := l.open.Add(1) > 1
	return id, func(o Outcome) error {
		l.open.Add(-1)
		if shared && id == l.fleet[0].ID {
			return nil
		}
		return done(o)
	}, nil
}

func TestUpdatesLostUnderStressAreFound(t *testing.T) {
	r := Check(func(f Fleet) (Picker, error) {
		p, err := hostileFactory(by(policies.LeastRequest{}))(f)
		if err != nil {
			return nil, err
		}
		return &losesUpdates{hostile: p.(*hostile)}, nil
	}, Law(oracle.LeastRequest{}), CountsInFlight(), Concurrent(), Only("concurrency/stress", "concurrency/conservation"))
	require.Equal(t, Violated, resultOf(t, r, "concurrency/conservation").Verdict, "its counts are off by thousands")
}

// A clinging subject remembers the fleet that it was built over: what left it
// leaves its share to the neighbour, and what joined later gets nothing.
type clinging struct {
	*hostile
	first    []Server
	inherits bool
}

func (c *clinging) Update(fleet []Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	loads := make([]float64, len(fleet))
	old := &policies.Snapshot{Servers: c.fleet}
	for i, s := range fleet {
		if at := old.Index(s.ID); at >= 0 {
			loads[i] = c.loads[at]
		}
	}
	if !c.inherits && len(fleet) < len(c.first) {
		c.first = fleet // and who comes back is a newcomer
	}
	c.fleet, c.loads = fleet, loads
	return nil
}

func TestWhatAnUpdateLeavesBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second; the hostile subjects of short runs are judged by the same audit")
	}
	for name, inherits := range map[string]bool{"the neighbour inherits": true, "newcomers get nothing": false} {
		r := Check(func(f Fleet) (Picker, error) {
			c := &clinging{first: f.Servers, inherits: inherits}
			p, err := hostileFactory(func(h *hostile) ServerID {
				if !inherits {
					return c.first[h.coins.IntN(len(c.first))].ID
				}
				if len(h.fleet) > len(c.first) {
					c.first = h.fleet
				}
				want := c.first[h.coins.IntN(len(c.first))].ID
				for _, s := range h.fleet {
					if s.ID >= want {
						return s.ID
					}
				}
				return h.fleet[0].ID
			})(f)
			if err != nil {
				return nil, err
			}
			c.hostile = p.(*hostile)
			return c, nil
		}, Law(oracle.Random{}), CountsInFlight(), KeepsCounts(), Only("random/pick-law", "continuity/law-after-updates"))
		require.Equal(t, Holds, resultOf(t, r, "random/pick-law").Verdict, name)
		p := resultOf(t, r, "continuity/law-after-updates")
		require.Equal(t, Violated, p.Verdict, "%s: %v", name, p)
	}
}

// forgives ends no request that was given up by its caller, or that took long.
type forgives struct {
	*hostile
	which func(Outcome) bool
}

func (f forgives) Pick(ctx context.Context, q Request) (ServerID, func(Outcome) error, error) {
	id, done, err := f.hostile.Pick(ctx, q)
	return id, func(o Outcome) error {
		if f.which(o) {
			return nil
		}
		return done(o)
	}, err
}

func TestLeaksThatDependOnTheOutcome(t *testing.T) {
	for name, which := range map[string]func(Outcome) bool{
		"canceled":        func(o Outcome) bool { return o.Canceled },
		"failed timeouts": func(o Outcome) bool { return o.Failed && o.Latency > time.Second },
	} {
		r := Check(func(f Fleet) (Picker, error) {
			p, err := hostileFactory(by(policies.LeastRequest{}))(f)
			if err != nil {
				return nil, err
			}
			return forgives{p.(*hostile), which}, nil
		}, Law(oracle.LeastRequest{}), CountsInFlight(), Only("conservation/after-churn"))
		p := resultOf(t, r, "conservation/after-churn")
		require.Equal(t, Violated, p.Verdict, "%s: %v", name, p)
	}
}

func TestRotationsThatAreNone(t *testing.T) {
	for name, rule := range map[string]func(h *hostile) ServerID{
		"another order in every cycle": func(h *hostile) ServerID {
			n := len(h.fleet)
			cycle, k := (h.picks-1)/n, (h.picks-1)%n
			return h.fleet[(k*(1+cycle%2*(n-2))+cycle)%n].ID // forwards, then backwards
		},
		"a double pick after three cycles": func(h *hostile) ServerID {
			n := len(h.fleet)
			return h.fleet[(h.picks-h.picks/(3*n+1))%n].ID
		},
	} {
		r := Check(hostileFactory(rule), Law(oracle.RoundRobin{}), Only("round-robin/window"))
		p := resultOf(t, r, "round-robin/window")
		require.Equal(t, Violated, p.Verdict, "%s: %v", name, p)
	}
}

func TestAcquittalNeedsItsBound(t *testing.T) {
	require.Equal(t, Holds, acquittal(0.05, 0.05))
	require.Equal(t, Undecided, acquittal(0.051, 0.05))
}

func TestDiagnosisNamesTheLaw(t *testing.T) {
	r := Check(hostileFactory(by(policies.PowerOfD{D: 2, Replacement: true})), Law(oracle.PowerOfD{D: 2}),
		Reproduce("picklaw verify --policy mine"))
	p := resultOf(t, r, "power-of-d/pick-law")
	require.NotNil(t, p.Diagnosis)
	require.True(t, strings.HasPrefix(p.Diagnosis.Fits, "power-of-d:2:replacement"), p.String())
	require.Contains(t, p.String(), "picklaw verify --policy mine --property power-of-d/pick-law")
	require.NotNil(t, p.LimitSamples)
}
