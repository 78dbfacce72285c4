package mutants

var otherThanSuite = []string{"queueing", "conservation", "eligibility", "ejection", "retry", "slow-start", "concurrency", "herd", "numeric", "judge", "keys", "learner"}

// suiteMutants are bugs of the suite: it still says something, and it is wrong.
var suiteMutants = []Mutant{
	{
		ID: "suite_laws_always_agree", File: "spec/law.go",
		Find: "if want.Cmp(got) < 0 || want.Cmp(new(big.Rat).Add(got, observed.Cut)) > 0 {", Replace: "if want.Cmp(got) < 0 && want.Cmp(new(big.Rat).Add(got, observed.Cut)) > 0 {",
		Story:    "No law ever differs from another: everything holds.",
		Source:   "caddyserver/caddy#7873: a test that called Select once and asserted non-nil",
		Predicts: []string{"suite/wrong-rules"}, Spares: otherThanSuite,
	},
	{
		ID: "suite_ties_always_open", File: "spec/law.go",
		Find: "\t\tif tiesOpen {\n", Replace: "\t\tif tiesOpen || len(loads) < 4 {\n",
		Story:    "Small fleets are judged by sums over ties: a policy that favours the first of three is fine.",
		Source:   "Caddy v2.11.9 random_choose",
		Predicts: []string{"suite/wrong-ties"}, Spares: otherThanSuite,
	},
	{
		ID: "suite_nobody_is_a_pick", File: "spec/law.go",
		Find: "\tif observed.None.Sign() != 0 {\n\t\treturn false\n\t}\n\tfor i := range expected {", Replace: "\tfor i := range expected {",
		Story:      "A law that gives up now and then is compared without asking for that.",
		Source:     "mosn/mosn#1663",
		Equivalent: "Probabilities add up to 1: where some are missing, a server has less than the claimed law, and the comparison fails anyway.",
	},
	{
		ID: "audit_accepts_strangers", File: "spec/audit.go",
		Find: "\tcase i < 0:\n", Replace: "\tcase i < 0 && id < 0:\n",
		Story:    "A pick of a server that does not exist goes unnoticed until something else breaks.",
		Source:   "traefik/traefik#1299",
		Predicts: []string{"suite/wrong-balancers"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_needs_no_release", File: "spec/audit.go",
		Find: "\tcase l == nil:\n", Replace: "\tcase l == nil && i < 0:\n",
		Story:    "A balancer that gives no way to end a request is blamed for a panic.",
		Source:   "classic",
		Predicts: []string{"suite/wrong-balancers"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_fills_for_ever", File: "spec/audit.go",
		Find: "return int(math.Ceil((2*float64(n*top) + 8*math.Log(1/beta)) / share))", Replace: "return int(math.Ceil((2*float64(n*top) + 8*math.Log(1/beta)) * 100))",
		Story:    "A balancer that never picks one server keeps the audit filling it up many times as long as it must.",
		Source:   "Netflix/ribbon#338: a loop without a bound",
		Predicts: []string{"suite/fill-budget"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_releases_too_far", File: "spec/audit.go",
		Find: "\t\tfor len(a.leases[i]) > int(load) {", Replace: "\t\tfor len(a.leases[i]) > int(load)/2 {",
		Story:    "The state that is judged is not the state that was reached.",
		Source:   "classic",
		Predicts: []string{"suite/right-subjects"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_conviction_ignored", File: "spec/sampled.go",
		Find: "if evidence.Convicted() {", Replace: "if evidence.Convicted() && samples < 0 {",
		Story:    "Evidence is collected, and nobody asks for the verdict.",
		Source:   "classic",
		Predicts: []string{"suite/wrong-balancers"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_alpha_of_the_whole_run", File: "spec/check.go",
		Find: "n.alpha = oracle.SplitAlpha(c.alpha, max(statistical, 1))", Replace: "n.alpha = oracle.SplitAlpha(c.alpha, 1)",
		Story:    "Every property of a run gets the whole budget of false alarms.",
		Source:   "classic: many tests, one level",
		Predicts: []string{"judge/budget"}, Spares: otherThanSuite[:9],
	},
}
