package mutants

// What a bug of one rule must leave alone. Properties of other rules are spared
// because the bug is not in their code.
var (
	otherThanRandom     = []string{"keys", "round-robin", "least-request", "power-of-d", "learner", "cost"}
	otherThanLeast      = []string{"keys", "round-robin"}
	otherThanPowerOfD   = []string{"keys", "round-robin", "random"}
	otherThanRoundRobin = []string{"keys", "random", "least-request", "power-of-d", "learner", "cost"}
	otherThanLearners   = []string{"keys", "random", "round-robin", "cost"}
	otherThanKeys       = []string{"random", "round-robin", "least-request", "power-of-d", "learner", "cost", "order"}
)

var randomMutants = []Mutant{
	{
		ID: "random_never_last", File: "policies/random.go",
		Find: "return c.IntN(v.Len())", Replace: "return c.IntN(max(1, v.Len()-1))",
		Story:    "The range of the draw is one short: the last server gets nothing.",
		Source:   "classic",
		Predicts: []string{"random/pick-law", "order/relabelling"}, Spares: otherThanRandom,
	},
	{
		ID: "random_rounds", File: "policies/random.go",
		Find:     "return c.IntN(v.Len())",
		Replace:  "if v.Len() == 1 {\n\t\treturn 0\n\t}\n\treturn (c.IntN(2*v.Len()-2) + 1) / 2",
		Story:    "The index is rounded instead of cut off: the first and the last server get half of what the others get.",
		Source:   "deepstreamIO/deepstream.io#728",
		Predicts: []string{"random/pick-law", "order/relabelling"}, Spares: otherThanRandom,
	},
	{
		ID: "random_first", File: "policies/random.go",
		Find: "return c.IntN(v.Len())", Replace: "return 0",
		Story:    "Everything goes to the first server of the list.",
		Source:   "elastic/elasticsearch-js#3046",
		Predicts: []string{"random/pick-law", "order/relabelling"}, Spares: otherThanRandom,
	},
	{
		ID: "random_reads_the_clock", File: "policies/random.go",
		Find: "return c.IntN(v.Len())", Replace: "return int(v.Now()) % v.Len()",
		Story:    "The clock passes for chance: a burst goes to one server.",
		Source:   "mofa-org/mofa#959",
		Predicts: []string{"random/pick-law"}, Spares: otherThanRandom,
	},
	{
		ID: "random_modulo", File: "policies/random.go",
		Find: "return c.IntN(v.Len())", Replace: "return c.IntN(256) % v.Len()",
		Story:    "A byte is taken modulo the number of servers, which does not divide 256: the first ones get a little more.",
		Source:   "category-labs/monad-bft#1402; AMReX-Codes/amrex#5545",
		Predicts: []string{"random/pick-law", "order/relabelling"}, Spares: otherThanRandom,
	},
	{
		ID: "random_rounded_chain", File: "policies/random.go",
		Find: "return c.IntN(v.Len())",
		Replace: `for i := range v.Len() - 1 {
		hundredths := uint64(100 / (v.Len() - i))
		if c.Weighted([]uint64{hundredths, 100 - hundredths}) == 0 {
			return i
		}
	}
	return v.Len() - 1`,
		Story:    "A chain of coin flips, whose probabilities have two digits: the last servers get what rounding leaves.",
		Source:   "kubernetes/kubernetes#83599",
		Predicts: []string{"random/pick-law", "order/relabelling"}, Spares: otherThanRandom,
	},
	{
		ID: "random_of_none_panics", File: "policies/random.go",
		Find: "if v.Len() == 0 {\n\t\treturn None\n\t}\n\t", Replace: "",
		Story:    "Without servers the draw panics instead of saying so.",
		Source:   "tower-rs/tower#17; Traefik: traefik/traefik#11755 is a relative",
		Predicts: []string{"totality/small-fleets"}, Spares: append([]string{"random", "order"}, otherThanRandom...),
	},
	{
		ID: "random_of_none_spins", File: "policies/random.go",
		Find: "if v.Len() == 0 {\n\t\treturn None\n\t}\n\t", Replace: "for v.Len() == 0 {\n\t}\n\t",
		Story:    "When nobody is eligible the loop goes on until somebody is: the request spins at 100% CPU.",
		Source:   "Netflix/ribbon#338",
		Predicts: []string{"totality/small-fleets"}, Hangs: true,
	},
}
