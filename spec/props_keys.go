package spec

import (
	"fmt"
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// mappingProperties bind keyed policies beyond single joins and leaves.
var mappingProperties = []*Property{
	{
		Name: "keys/same-size-update", Level: Must,
		Sentence: "A mapping follows an update that leaves the number of servers as it is: one exchanged for another, or other weights.",
		Source:   "rebuilt only when the size changes: envoyproxy/envoy#45212; cloudwego/kitex#1393",
		Applies:  mapsKeys, Exact: exactSameSize,
	},
}

func exactSameSize(r *Run) Result {
	all := fleetOf(6)
	before := all[:5]
	exchanged := append(slices.Clone(all[:4]), all[5])
	heavy := slices.Clone(before)
	heavy[1].Weight, heavy[4].Weight = 5, 2
	for _, update := range []struct {
		what  string
		fleet []Server
	}{
		{"one server was exchanged", exchanged},
		{"weights were raised", heavy},
	} {
		reached := r.owners(policies.Join(r.newPolicy(before), update.fleet), update.fleet)
		fresh := r.owners(r.newPolicy(update.fleet), update.fleet)
		for k := range fresh {
			if reached[k] != fresh[k] {
				return keyMoved(fmt.Sprintf("key-%d", k), fresh[k], reached[k], update.what)
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys after an exchange and a change of weights", keyCount)}
}
