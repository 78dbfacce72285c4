package queue_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

func TestSolveRefuses(t *testing.T) {
	good := queue.Chain{Policy: policies.Random{}, Servers: 2, Rho: 0.5, Buffer: 4}
	for want, change := range map[string]func(*queue.Chain){
		"0 servers, want 1 to 127":                                           func(c *queue.Chain) { c.Servers = 0 },
		"128 servers, want 1 to 127":                                         func(c *queue.Chain) { c.Servers = 128 },
		"99999999999 servers, want 1 to 127":                                 func(c *queue.Chain) { c.Servers = 99999999999 },
		"a buffer of 1000000000, want 1 to 65535":                            func(c *queue.Chain) { c.Buffer = 1000000000 },
		"a memory of -1 bytes":                                               func(c *queue.Chain) { c.Memory = -1 },
		"rho is 1e+300, so that requests arrive at rate 2e+300":              func(c *queue.Chain) { c.Rho = 1e300 },
		"rho is 1e-13, so that requests arrive at rate 2e-13":                func(c *queue.Chain) { c.Rho = 1e-13 },
		"speeds from 1 to 1e+20 differ by more than a factor of 1e+12":       func(c *queue.Chain) { c.Speeds = []float64{1e20, 1} },
		"speeds from 1e-300 to 1e+300 differ by more than a factor of 1e+12": func(c *queue.Chain) { c.Speeds = []float64{1e300, 1e-300} },
		"speeds from 5e-324 to 1 differ":                                     func(c *queue.Chain) { c.Speeds = []float64{5e-324, 1} },
		"1 speeds for 2 servers":                                             func(c *queue.Chain) { c.Speeds = []float64{1} },
		"speed 0 of server 1":                                                func(c *queue.Chain) { c.Speeds = []float64{1, 0} },
		"speed NaN of server 0":                                              func(c *queue.Chain) { c.Speeds = []float64{math.NaN(), 1} },
		"weight 0 of server 0":                                               func(c *queue.Chain) { c.Weights = []uint64{0, 1} },
		"rho is 0":                                                           func(c *queue.Chain) { c.Rho = 0 },
		"rho is NaN":                                                         func(c *queue.Chain) { c.Rho = math.NaN() },
		"rho is +Inf":                                                        func(c *queue.Chain) { c.Rho = math.Inf(1) },
		"rho is 1, want less than 1 when nothing limits":                     func(c *queue.Chain) { c.Rho, c.Buffer = 1, 0 },
		"a buffer of -1":                                                     func(c *queue.Chain) { c.Buffer = -1 },
		"a tolerance of 1":                                                   func(c *queue.Chain) { c.Tolerance = 1 },
		"unknown form \"half\"":                                              func(c *queue.Chain) { c.Form = "half" },
		"without a policy":                                                   func(c *queue.Chain) { c.Policy = nil },
		"PeakEWMA learns from latencies":                                     func(c *queue.Chain) { c.Policy = &policies.PeakEWMA{Tau: 1, Prior: 1} },
		"with [0 0] jobs and the policy in state \"\": policy picked":        func(c *queue.Chain) { c.Policy = pick(func(policies.View, policies.Coins) int { return 2 }) },
		"the law of the pick is known only to within 0.0":                    func(c *queue.Chain) { c.Policy, c.Options = redraw{}, []queue.Option{queue.MaxDepth(5)} },
		"settles into one of several regimes":                                func(c *queue.Chain) { c.Policy = &loyal{} },
		"policy is not a function of its view, state and coins": func(c *queue.Chain) {
			n := 0
			c.Policy = pick(func(policies.View, policies.Coins) int { n++; return n % 2 })
		},
	} {
		c := good
		change(&c)
		_, err := queue.Solve(c)
		assert.ErrorContains(t, err, want)
	}
	assert.NoError(t, func() error { _, err := queue.Solve(good); return err }())
}

// Whatever is asked for is answered or refused, and refused in words:
// never a number out of its range, and never an attempt to reserve what cannot be
// had.
func TestSolveRefusesTheAstronomical(t *testing.T) {
	for want, c := range map[string]queue.Chain{
		"127 servers with up to 65535 jobs each has more than 1e308 states in the full form": {Servers: 127, Buffer: 65535, Form: queue.Full},
		"127 servers with up to 65535 jobs each has":                                         {Servers: 127, Buffer: 65535},
		"2 servers with up to 65535 jobs each":                                               {Servers: 2, Rho: 0.999999},
		"no buffer fits for so many servers":                                                 {Servers: 127, Buffer: 1, Form: queue.Full},
	} {
		c.Policy = policies.Random{}
		if c.Rho == 0 {
			c.Rho = 0.5
		}
		_, err := queue.Solve(c)
		require.ErrorContains(t, err, want)
		assert.ErrorAs(t, err, new(*queue.TooLarge))
		for _, wrong := range []string{"Inf", "NaN", "-92", "e+18"} {
			assert.NotContains(t, err.Error(), wrong)
		}
	}
	// So many outcomes of the coins at each of few states: 40·39·38 of them, which
	// the search for a lack of symmetry would run 2·41 times at each.
	_, err := queue.Solve(queue.Chain{Policy: policies.PowerOfD{D: 4}, Servers: 40, Rho: 0.5, Buffer: 1, Form: queue.Sorted})
	require.ErrorContains(t, err, "the policy would be run more than 134217728 times")
}

// A law that is cut off short of its end is refused down to a missing mass of
// 2^-50 and not below: two servers leave half of the mass at each further coin,
// exactly, 2^-(depth-1) in all.
func TestSolveRefusesTruncatedLaws(t *testing.T) {
	c := queue.Chain{Policy: redraw{}, Servers: 2, Rho: 0.5, Buffer: 4}
	for depth, refused := range map[int]bool{6: true, 40: true, 50: true, 51: false, 60: false} {
		c.Options = []queue.Option{queue.MaxDepth(depth)}
		_, err := queue.Solve(c)
		if refused {
			missing := fmt.Sprintf("the law of the pick is known only to within %.3g", math.Pow(2, -float64(depth-1)))
			assert.ErrorContains(t, err, missing, "%d coins", depth)
		} else {
			assert.NoError(t, err, "%d coins", depth)
		}
	}
}

// loyal sends everything to the server that it picked first.
type loyal struct{ to string }

func (l *loyal) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	if l.to == "" {
		l.to = fmt.Sprint(c.IntN(v.Len()))
	}
	return int(l.to[0] - '0')
}
func (l *loyal) Clone() policies.Policy { twin := *l; return &twin }
func (l *loyal) State() string          { return l.to }

func TestSolveTooLarge(t *testing.T) {
	var large *queue.TooLarge
	_, err := queue.Solve(queue.Chain{Policy: policies.Random{}, Servers: 8, Rho: 0.9, Buffer: 100})
	require.ErrorAs(t, err, &large)
	assert.True(t, large.Sorted)
	fits := large.Fits()
	assert.Greater(t, fits, 1)
	assert.ErrorContains(t, err, fmt.Sprintf("8 servers with a buffer of %d would fit", fits))

	// Not allowed to be sorted, and told why.
	_, err = queue.Solve(queue.Chain{Policy: pick(lowest), Servers: 8, Rho: 0.9, Buffer: 8, Memory: 1 << 28})
	require.ErrorAs(t, err, &large)
	assert.False(t, large.Sorted)
	assert.ErrorAs(t, err, new(*queue.NotSymmetric))
	assert.ErrorContains(t, err, "the sorted form is smaller but not allowed")

	// The heavy tail of random routing, refused before the climb.
	_, err = queue.Solve(queue.Chain{Policy: policies.Random{}, Servers: 3, Rho: 0.9, Memory: 1 << 24})
	require.ErrorAs(t, err, &large)
	assert.True(t, large.Estimated)

	// What is said to fit fits, and one more does not.
	c := queue.Chain{Policy: policies.PowerOfD{D: 2}, Servers: 2, Rho: 0.9, Buffer: 1000, Form: queue.Full, Memory: 1 << 20}
	_, err = queue.Solve(c)
	require.ErrorAs(t, err, &large)
	c.Buffer = large.Fits()
	assert.NotNil(t, solve(t, c))
	c.Buffer++
	_, err = queue.Solve(c)
	assert.ErrorAs(t, err, &large)
}

// However much room there is, no buffer is larger than 65535.
func TestTooLargeFits(t *testing.T) {
	assert.Equal(t, 65535, (&queue.TooLarge{Servers: 1, Memories: 1, Limit: 1 << 50}).Fits())
	assert.Equal(t, 0, (&queue.TooLarge{Servers: 1, Memories: 1, Limit: 1}).Fits())
}

// A counter that never wraps has no finite chain.
func TestSolveEndlessMemory(t *testing.T) {
	_, err := queue.Solve(queue.Chain{Policy: &loyal{"0"}, Servers: 1, Rho: 0.5, Buffer: 2, Memory: 1 << 16})
	require.NoError(t, err)
	_, err = queue.Solve(queue.Chain{Policy: &counting{}, Servers: 1, Rho: 0.5, Buffer: 2, Memory: 1 << 16})
	var large *queue.TooLarge
	require.ErrorAs(t, err, &large)
	assert.Greater(t, large.Memories, 10)
}

type counting struct{ n int }

func (c *counting) Pick(policies.Request, policies.View, policies.Coins) int { c.n++; return 0 }
func (c *counting) Clone() policies.Policy                                   { twin := *c; return &twin }
func (c *counting) State() string                                            { return fmt.Sprint(c.n) }
