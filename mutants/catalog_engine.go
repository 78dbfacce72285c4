package mutants

var otherThanEngine = []string{"conservation", "ejection", "retry", "slow-start", "concurrency", "herd", "judge"}

// engineMutants are bugs of Enumerate and of Commutes.
var engineMutants = []Mutant{
	{
		ID: "coins_last_side_untried", File: "queue/coins.go",
		Find: "for k := c.outcome + 1; k < c.n; k++ {", Replace: "for k := c.outcome + 1; k < c.n-1; k++ {",
		Story:    "The last outcome of every coin is never tried: a part of each law is missing.",
		Source:   "classic",
		Predicts: []string{"random/pick-law", "power-of-d/pick-law", "least-request/pick-law"}, Spares: otherThanEngine,
	},
	{
		ID: "coins_weights_ignored", File: "queue/coins.go",
		Find: "\t\tweight = c.weights[c.outcome]\n", Replace: "\t\tweight = c.total / uint64(c.n)\n",
		Story:    "A weighted coin is taken for a fair one: a policy that favours a server by its weight looks even.",
		Source:   "classic",
		Predicts: []string{"weighted-random/pick-law", "suite/wrong-ties"}, Spares: otherThanEngine,
	},
	{
		ID: "coins_zero_weight_tried", File: "queue/coins.go",
		Find: "if !c.weighted || c.weights[k] > 0 {", Replace: "if !c.weighted || c.weights[k] > 0 || k == c.n-1 {",
		Story:      "An outcome of weight 0 is tried, with probability 0.",
		Source:     "classic",
		Equivalent: "Such a leaf adds 0 to the law, and no policy of the reference throws a coin with a weight of 0.",
	},
	{
		ID: "enumerate_trusts_the_first_run", File: "queue/enumerate.go",
		Find: "\t\tif err := e.repeat(r); err != nil {\n\t\t\treturn nil, err\n\t\t}\n", Replace: "",
		Story:    "No leaf is run again: a policy with a coin of its own passes for one whose law was computed.",
		Source:   "math/rand behind the back of a seeded source",
		Predicts: []string{"suite/wrong-rules"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanEngine...),
	},
	{
		ID: "enumerate_reads_of_the_last_run", File: "queue/enumerate.go",
		Find: "e.maxReads = max(e.maxReads, r.reads)", Replace: "e.maxReads = 0 * r.reads",
		Story:    "Reads are not counted: a scan of the fleet passes for two looks.",
		Source:   "sozu-proxy/sozu#1411",
		Predicts: []string{"suite/wrong-rules"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanEngine...),
	},
	{
		ID: "enumerate_none_is_the_last", File: "queue/enumerate.go",
		Find: "\t\tslot = e.view.n\n", Replace: "\t\tslot = max(0, e.view.n-1)\n",
		Story:    "A pick of nobody counts for the last server.",
		Source:   "classic",
		Predicts: []string{"suite/wrong-rules"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanEngine...),
	},
	{
		ID: "enumerate_out_of_range_is_none", File: "queue/enumerate.go",
		Find: "case r.pick < policies.None || r.pick >= e.view.n:", Replace: "case r.pick < policies.None-1 || r.pick > e.view.n:",
		Story:    "An index one beyond the view is accepted and booked as no pick.",
		Source:   "Netflix/ribbon#365",
		Predicts: []string{"suite/wrong-rules"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanEngine...),
	},
	{
		ID: "enumerate_without_clones", File: "queue/enumerate.go",
		Find: "\t\tr.policy = e.stateful.Clone()\n", Replace: "\t\tr.policy = e.stateful\n",
		Story:    "A policy with memory is run itself instead of a copy: the runs follow each other.",
		Source:   "classic",
		Predicts: []string{"round-robin/pick-law"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanEngine...),
	},
	{
		ID: "sums_of_one_denominator", File: "queue/enumerate_sum.go",
		Find: "if s.last == nil || s.last.den != den {", Replace: "if s.last == nil {",
		Story:    "All leaves are added up over the denominator of the first: right for even trees, wrong for every other.",
		Source:   "classic",
		Predicts: []string{"weighted-round-robin/pick-law"}, Spares: otherThanEngine,
	},
}
