package spec

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/picklaw/picklaw/policies"
)

// keyed is a black box that maps keys by a function of the fleet it was last
// told of.
type keyed struct {
	fleet  []Server
	picks  int
	choose func(k *keyed, key string) ServerID
	update func(k *keyed, fleet []Server)
}

func (k *keyed) Pick(_ context.Context, q Request) (ServerID, func(Outcome) error, error) {
	k.picks++
	if len(k.fleet) == 0 {
		return 0, nil, fmt.Errorf("no servers")
	}
	return k.choose(k, q.Key), func(Outcome) error { return nil }, nil
}

func (k *keyed) Update(fleet []Server) error {
	if k.update != nil {
		k.update(k, fleet)
		return nil
	}
	k.fleet = eligible(fleet)
	return nil
}

func eligible(fleet []Server) []Server {
	return slices.DeleteFunc(slices.Clone(fleet), func(s Server) bool { return s.Weight == 0 })
}

// hash is FNV-1a, mixed so that all bits depend on all (Stafford 2011, mix 13).
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// rendezvous is right: the highest score of key and name.
func rendezvous(k *keyed, key string) ServerID {
	best := k.fleet[0]
	for _, s := range k.fleet[1:] {
		if hash(key+s.Name) > hash(key+best.Name) {
			best = s
		}
	}
	return best.ID
}

func TestAuditOfKeys(t *testing.T) {
	modulo := func(k *keyed, key string) ServerID { return k.fleet[hash(key)%uint64(len(k.fleet))].ID }
	byID := func(k *keyed, key string) ServerID {
		best := k.fleet[0]
		for _, s := range k.fleet[1:] {
			if hash(key+strconv.Itoa(int(s.ID))) > hash(key+strconv.Itoa(int(best.ID))) {
				best = s
			}
		}
		return best.ID
	}
	for _, test := range []struct {
		name     string
		choose   func(*keyed, string) ServerID
		update   func(*keyed, []Server)
		violates []string
	}{
		{name: "rendezvous", choose: rendezvous},
		{name: "modulo", choose: modulo, violates: []string{"keys/join", "keys/leave", "keys/agreement"}},
		{name: "scores ids", choose: byID, violates: []string{"keys/agreement"}},
		{name: "never the last", choose: func(k *keyed, key string) ServerID {
			if len(k.fleet) < 3 {
				return rendezvous(k, key)
			}
			few := &keyed{fleet: k.fleet[:len(k.fleet)-1]}
			return rendezvous(few, key)
		}, violates: []string{"keys/spread", "keys/join", "keys/leave", "keys/agreement"}},
		{name: "alternates", choose: func(k *keyed, key string) ServerID {
			return k.fleet[k.picks%len(k.fleet)].ID
		}, violates: []string{"keys/stable", "keys/join", "keys/leave", "keys/update-equals-fresh", "keys/agreement"}},
		{name: "first wins double", choose: func(k *keyed, key string) ServerID {
			// The name that sorts first owns whatever hashes to the lower half.
			least := slices.MinFunc(k.fleet, func(a, b Server) int {
				if a.Name < b.Name {
					return -1
				}
				return 1
			})
			if hash("half"+key)%2 == 0 {
				return least.ID
			}
			return rendezvous(k, key)
		}, violates: []string{"keys/shares"}},
		{name: "keeps the departed's weight", choose: rendezvous, update: func(k *keyed, fleet []Server) {
			if len(eligible(fleet)) > len(k.fleet) || len(fleet) < len(k.fleet) {
				k.fleet = eligible(fleet)
				return
			}
		}, violates: []string{"keys/leave"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			build := func(f Fleet) (Picker, error) {
				return &keyed{fleet: eligible(f.Servers), choose: test.choose, update: test.update}, nil
			}
			report := Check(build, MapsKeys(), SharesWithin(1.5))
			var violated []string
			for _, p := range report.Properties {
				if p.Verdict == Violated {
					violated = append(violated, p.Name)
				}
			}
			if !slices.Equal(violated, test.violates) {
				t.Errorf("violated %v, want %v", violated, test.violates)
			}
		})
	}
}

// A ring holds as a black box what it holds as a bare rule, but its shares are
// as uneven as one point a server leaves them.
func TestAuditOfRing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second; the rings of the reference are audited in short runs too")
	}
	ring := func(points int) Factory {
		return Leased(func() policies.Policy { return &policies.Ring{Points: points} })
	}
	for _, p := range Check(ring(50), MapsKeys()).Failures() {
		t.Errorf("%v", p)
	}
	report := Check(ring(1), MapsKeys(), SharesWithin(1.5))
	for _, p := range report.Failures() {
		if p.Name != "keys/shares" {
			t.Errorf("%v", p)
		}
	}
	if report.Summary[Violated] != 1 {
		t.Errorf("a ring of one point a server has even shares:\n%v", report.Properties)
	}
}
