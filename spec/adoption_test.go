package spec_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// What follows up to the next rule is the README's example, word for word.
// ---------------------------------------------------------------------------

// picker adapts the balancer under test: one pick, counted until done.
type picker struct{ *Balancer }

func (p picker) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	backend, err := p.Next()
	return spec.ServerID(backend), func(spec.Outcome) error { p.Done(backend); return nil }, err
}

func TestMyBalancer(t *testing.T) {
	spec.Test(t, func(f spec.Fleet) (spec.Picker, error) {
		p := picker{NewBalancer()}
		for _, s := range f.Servers {
			p.Add(int(s.ID))
		}
		return p, nil
	}, spec.Law(oracle.PowerOfD{D: 2}), spec.CountsInFlight(), spec.Concurrent())
}

// ---------------------------------------------------------------------------

// A Balancer is somebody's balancer, which knows nothing of this suite.
type Balancer struct {
	mu       sync.Mutex
	backends []int
	inFlight map[int]int
	random   *rand.Rand
}

func NewBalancer() *Balancer {
	return &Balancer{inFlight: make(map[int]int), random: rand.New(rand.NewPCG(7, 7))}
}

func (b *Balancer) Add(backend int) { b.backends = append(b.backends, backend) }

func (b *Balancer) Next() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backends) == 0 {
		return 0, errors.New("no backends")
	}
	i := b.random.IntN(len(b.backends))
	pick := b.backends[i]
	if len(b.backends) > 1 {
		j := b.random.IntN(len(b.backends) - 1)
		if j >= i {
			j++
		}
		if other := b.backends[j]; b.inFlight[other] < b.inFlight[pick] {
			pick = other
		}
	}
	b.inFlight[pick]++
	return pick, nil
}

func (b *Balancer) Done(backend int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight[backend]--
}
