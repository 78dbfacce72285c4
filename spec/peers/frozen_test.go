package peers

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

func TestFrozen(t *testing.T) {
	for _, test := range []struct {
		policy policies.Policy
		claim  oracle.Law
		fits   string
		holds  bool
	}{
		{policies.PowerOfD{D: 2}, oracle.PowerOfD{D: 2}, "power-of-d:2", true},
		{policies.PowerOfD{D: 2, Replacement: true}, oracle.PowerOfD{D: 2}, "power-of-d:2:replacement", false},
		{policies.LeastRequest{}, oracle.LeastRequest{}, "least-request", true},
		{policies.Random{}, oracle.LeastRequest{}, "random", false},
	} {
		j, err := Frozen{
			Name: "frozen", Claim: test.claim, Servers: 5,
			Build: spec.Leased(func() policies.Policy { return test.policy }),
		}.judge(1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if j.Convicted == test.holds || j.Fits != test.fits {
			t.Errorf("%T as %v: convicted %v, fits %s; want %v, %s", test.policy, test.claim, j.Convicted, j.Fits, !test.holds, test.fits)
		}
	}
}

// A neighbour that inherits the share of a server that is out is convicted.
func TestFrozenWithOneOut(t *testing.T) {
	for _, test := range []struct {
		policy policies.Policy
		claim  oracle.Law
		holds  bool
	}{
		{policies.Random{}, oracle.Random{}, true},
		{&policies.RoundRobin{}, oracle.RoundRobin{}, true},
		{policies.LeastRequest{}, oracle.LeastRequest{}, true},
		{policies.Random{}, oracle.RoundRobin{}, false},
	} {
		s := spec.Subject{Name: "s", New: spec.Leased(func() policies.Policy {
			if p, ok := test.policy.(policies.Stateful); ok {
				return p.Clone()
			}
			return test.policy
		})}
		frozen := WithOneOut("m v1", map[string]oracle.Law{"s": test.claim}, []spec.Subject{s})
		j, err := frozen[0].judge(1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if j.Convicted == test.holds {
			t.Errorf("%T as %v with one out: convicted %v after %d picks, fits %s", test.policy, test.claim, j.Convicted, j.Picks, j.Fits)
		}
	}
	inherits := func(f spec.Fleet) (spec.Picker, error) { return &heir{fleet: f.Servers}, nil }
	j, err := Frozen{Name: "heir", Claim: oracle.Random{}, Servers: 5, Build: inherits, Out: []int{1}}.judge(1e-9)
	if err != nil {
		t.Fatal(err)
	}
	if !j.Convicted {
		t.Error("a neighbour that inherits a share passes")
	}
}

// An heir draws a slot, and goes on to the next one that is in.
type heir struct {
	fleet []spec.Server
	next  rand.PCG
}

func (h *heir) Update(fleet []spec.Server) error { h.fleet = fleet; return nil }

func (h *heir) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	i := rand.New(&h.next).IntN(len(h.fleet))
	for h.fleet[i].Weight == 0 {
		i = (i + 1) % len(h.fleet)
	}
	return h.fleet[i].ID, func(spec.Outcome) error { return nil }, nil
}
