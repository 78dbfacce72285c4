package spec

import (
	"fmt"
	"slices"
)

// mappingProperties bind keyed policies beyond single joins and leaves.
var mappingProperties = []*Property{
	{
		Name: "keys/same-size-update", Level: Must,
		Sentence: "A mapping follows an update that leaves the number of servers as it is: one exchanged for another, or other weights.",
		Source:   "rebuilt only when the size changes: envoyproxy/envoy#45212; cloudwego/kitex#1393",
		Applies:  mapsKeys, Exact: exactSameSize,
	},
	{
		Name: "keys/one-heavy", Level: Must,
		Sentence: "Over random hashes, a server of weight 3 beside nine of weight 1 owns a quarter of the keys, to within what keys/weights allows.",
		Source:   "scores that are linear in the weight would give it seven tenths; Schindelhauer and Schomaker 2005",
		Applies:  func(c *Claims) bool { return sparesKeys(c) && c.Weighted },
		Exact:    exactOneHeavy, Statistical: true, Delta: 0.03,
	},
}

// exactOneHeavy has so many light servers that a share is far from that of two.
func exactOneHeavy(r *Run) Result {
	return r.judgeKeyWeights([]uint64{3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4)
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
		reached := r.owners(join(r.newPolicy(before), update.fleet), update.fleet)
		fresh := r.owners(r.newPolicy(update.fleet), update.fleet)
		for k := range fresh {
			if reached[k] != fresh[k] {
				return keyMoved(fmt.Sprintf("key-%d", k), fresh[k], reached[k], update.what)
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys after an exchange and a change of weights", keyCount)}
}
