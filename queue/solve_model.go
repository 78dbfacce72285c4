package queue

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// MaxChainServers is the largest fleet of a Chain: its transitions name servers
// in a byte with a sign.
const MaxChainServers = math.MaxInt8

// mostUneven is the largest quotient of two rates of a chain. Beyond it there
// would be less than four digits left for what the slow servers do, at the
// 16 digits of double precision.
const mostUneven = 1e12

// model is a chain with its defaults filled in.
type model struct {
	policy    policies.Policy
	request   policies.Request
	servers   []policies.Server
	speeds    []float64
	lambda    float64
	form      Form
	tolerance float64
	memory    int64
	options   []Option
}

func (c Chain) model() (model, error) {
	m := model{
		policy: c.Policy, request: c.Request, form: c.Form, tolerance: c.Tolerance, memory: c.Memory, options: c.Options,
	}
	if c.Servers < 1 || c.Servers > MaxChainServers {
		return m, fmt.Errorf("queue: %d servers, want 1 to %d", c.Servers, MaxChainServers)
	}
	if n := len(c.Speeds); n != 0 && n != c.Servers {
		return m, fmt.Errorf("queue: %d speeds for %d servers, want one each", n, c.Servers)
	}
	if n := len(c.Weights); n != 0 && n != c.Servers {
		return m, fmt.Errorf("queue: %d weights for %d servers, want one each", n, c.Servers)
	}
	m.servers, m.speeds = policies.Fleet(c.Servers), slices.Clone(c.Speeds)
	for i, w := range c.Weights {
		if w < 1 || w > policies.MaxWeight {
			return m, fmt.Errorf("queue: weight %d of server %d, want 1 to %d", w, i, uint64(policies.MaxWeight))
		}
		m.servers[i].Weight = w
	}
	if len(m.speeds) == 0 {
		m.speeds = slices.Repeat([]float64{1}, c.Servers)
	}
	capacity := 0.0
	for i, v := range m.speeds {
		if !(v > 0) || math.IsInf(v, 1) {
			return m, fmt.Errorf("queue: speed %v of server %d, want a finite positive number", v, i)
		}
		capacity += v
	}
	if m.lambda = c.Rho * capacity; !(c.Rho > 0) || math.IsInf(m.lambda, 1) {
		return m, fmt.Errorf("queue: rho is %v, want a finite positive number", c.Rho)
	}
	if c.Buffer == 0 && c.Rho >= 1 {
		return m, fmt.Errorf("queue: rho is %v, want less than 1 when nothing limits the buffers", c.Rho)
	}
	if c.Buffer < 0 || c.Buffer > math.MaxUint16 {
		return m, fmt.Errorf("queue: a buffer of %d, want 1 to %d, or 0 for no limit", c.Buffer, math.MaxUint16)
	}
	if err := m.even(c); err != nil {
		return m, err
	}
	if m.form == "" {
		m.form = Auto
	}
	if !slices.Contains([]Form{Auto, Full, Sorted}, m.form) {
		return m, fmt.Errorf("queue: unknown form %q, want %q, %q or %q", m.form, Auto, Full, Sorted)
	}
	if m.tolerance == 0 {
		m.tolerance = defaultTolerance
	}
	if !(m.tolerance >= 1e-12 && m.tolerance < 1) {
		return m, fmt.Errorf("queue: a tolerance of %v, want 1e-12 or more and less than 1", m.tolerance)
	}
	if m.memory == 0 {
		m.memory = DefaultMemory
	}
	if m.memory < 0 {
		return m, fmt.Errorf("queue: a memory of %d bytes, want a positive number, or 0 for %d", m.memory, int64(DefaultMemory))
	}
	if m.policy == nil {
		return m, errors.New("queue: a chain without a policy")
	}
	if _, learns := m.policy.(policies.Learner); learns {
		return m, fmt.Errorf("queue: %T learns from latencies, so it has no finite chain", m.policy)
	}
	if s, ok := m.policy.(policies.Stateful); ok {
		m.policy = s.Clone()
	}
	policies.Join(m.policy, m.servers)
	return m, nil
}

// even fails when rates differ by more than double precision can carry.
func (m model) even(c Chain) error {
	fast, slow := slices.Max(m.speeds), slices.Min(m.speeds)
	if fast/slow > mostUneven {
		return fmt.Errorf("queue: speeds from %v to %v differ by more than a factor of %v, which double precision cannot carry", slow, fast, mostUneven)
	}
	if m.lambda/slow > mostUneven || fast/m.lambda > mostUneven {
		return fmt.Errorf("queue: rho is %v, so that requests arrive at rate %v, which is more than a factor of %v away from the speeds; double precision cannot carry that",
			c.Rho, m.lambda, mostUneven)
	}
	return nil
}
