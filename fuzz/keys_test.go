package fuzz

import (
	"fmt"
	"testing"

	"github.com/picklaw/picklaw/policies"
)

// A keyed policy maps keys. The index in this list is part of the format of
// FuzzKeys: append only.
var keyed = []struct {
	policy    func() policies.Policy
	monotonic bool // a change of the fleet moves only the keys that it must
}{
	{func() policies.Policy { return &policies.Ring{Points: 1} }, true},
	{func() policies.Policy { return &policies.Ring{Points: 20} }, true},
	{func() policies.Policy { return &policies.Rendezvous{} }, true},
	{func() policies.Policy { return &policies.HashMod{} }, false},
	{func() policies.Policy { return &policies.Maglev{Size: 251} }, false},
}

// FuzzKeys walks through changes of a fleet with any names.
//
//	byte 0     the scheme, by its index in keyed
//	byte 1     names: 2 to 8, then of each its length, 1 to 8, and its bytes
//	1 each     a change: which server, modulo their number, joins or leaves
func FuzzKeys(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		scheme := keyed[in.below(len(keyed))]
		var all []policies.Server
		known := make(map[string]bool)
		for range 2 + in.below(7) {
			name := make([]byte, 1+in.below(8))
			for i := range name {
				name[i] = in.byte()
			}
			if !known[string(name)] {
				known[string(name)] = true
				all = append(all, policies.Server{ID: policies.ServerID(len(all)), Name: string(name), Weight: 1})
			}
		}
		in.rest = in.rest[:min(len(in.rest), 12)]
		member := make([]bool, len(all))
		member[0] = true
		fleet := func() (f []policies.Server) {
			for i, s := range all {
				if member[i] {
					f = append(f, s)
				}
			}
			return f
		}
		policy := policies.Join(scheme.policy(), fleet())
		owners := func(p policies.Policy, eligible []policies.Server) []string {
			view := &policies.Snapshot{Servers: eligible, Loads: make([]float64, len(eligible))}
			names := make([]string, 64)
			for k := range names {
				i := p.Pick(policies.Request{Key: fmt.Sprint("key ", k)}, view, nil)
				if i < 0 || i >= len(eligible) {
					t.Fatalf("key %d goes to %d of %d", k, i, len(eligible))
				}
				names[k] = eligible[i].Name
			}
			return names
		}
		before := owners(policy, fleet())
		for !in.empty() {
			i := in.below(len(all))
			member[i] = !member[i]
			if len(fleet()) == 0 {
				member[i] = true
				continue
			}
			policies.Join(policy, fleet())
			after, fresh := owners(policy, fleet()), owners(policies.Join(scheme.policy(), fleet()), fleet())
			for k := range after {
				if after[k] != fresh[k] {
					t.Fatalf("key %d is at %q after updates, and at %q in a fresh structure", k, after[k], fresh[k])
				}
				mine := after[k] == all[i].Name && member[i] || before[k] == all[i].Name && !member[i]
				if scheme.monotonic && after[k] != before[k] && !mine {
					t.Fatalf("key %d went from %q to %q when %q joined or left", k, before[k], after[k], all[i].Name)
				}
			}
			if len(fleet()) > 1 { // an ineligible server passes on its keys only
				out := in.below(len(fleet()))
				eligible := append(append([]policies.Server(nil), fleet()[:out]...), fleet()[out+1:]...)
				for k, owner := range owners(policy, eligible) {
					if after[k] != fleet()[out].Name && owner != after[k] {
						t.Fatalf("key %d went from %q to %q when %q was not eligible", k, after[k], owner, fleet()[out].Name)
					}
				}
			}
			before = after
		}
	})
}
