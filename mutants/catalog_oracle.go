package mutants

// otherThanOracle are families that ask the oracle nothing.
var otherThanOracle = []string{"keys", "learner", "feedback", "order", "cost", "conservation", "continuity", "eligibility", "ejection",
	"retry", "slow-start", "concurrency", "herd", "numeric"}

// oracleMutants are bugs of what is taken for the truth, and of the judgement of
// evidence.
var oracleMutants = []Mutant{
	{
		ID: "law_power_of_d_order", File: "oracle/pick_power_of_d.go",
		Find: "within := draws(n - better)\n\t\treturn new(big.Rat).SetFrac(within.Sub(within, draws(n-better-size)), all)", Replace: "within := draws(better + size)\n\t\treturn new(big.Rat).SetFrac(within.Sub(within, draws(better)), all)",
		Story:    "The law counts the draws that the heaviest server wins.",
		Source:   "pgdogdev/pgdog#703 is a relative",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"random", "least-request", "round-robin"}, otherThanOracle[:7]...),
	},
	{
		ID: "law_replacement_ignored", File: "oracle/pick_power_of_d.go",
		Find: "\t\tif replacement {", Replace: "\t\tif replacement && m > n {",
		Story:    "Both laws of the power of d are the one of distinct draws: a proxy that draws with replacement is convicted, or acquitted of it.",
		Source:   "envoyproxy/envoy#11004",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"random", "least-request", "round-robin"}, otherThanOracle[:7]...),
	},
	{
		ID: "law_ties_to_the_first", File: "oracle/pick_least.go",
		Find: "return evenly(len(s.Loads), byLoad(s), certain), nil", Replace: "return evenly(len(s.Loads), strictly(byLoad(s)), certain), nil",
		Story:    "The law of least request gives ties to the lowest index: honest balancers are convicted.",
		Source:   "BerriAI/litellm#39322 is a relative",
		Predicts: []string{"least-request/pick-law"}, Spares: append([]string{"random", "power-of-d", "round-robin", "keys"}, otherThanOracle[2:7]...),
	},
	{
		ID: "law_rotation_stands_still", File: "oracle/pick_round_robin.go",
		Find: "next := (s.History[len(s.History)-1] + 1) % len(p)", Replace: "next := s.History[len(s.History)-1] % len(p)",
		Story:    "The law of the rotation expects the last server again.",
		Source:   "classic",
		Predicts: []string{"round-robin/pick-law"}, Spares: append([]string{"random", "power-of-d", "least-request"}, otherThanOracle[:7]...),
	},
	{
		ID: "judge_threshold_too_low", File: "oracle/evidence_audit.go",
		Find: "e.convicted = e.convicted || e.wealth >= limit", Replace: "e.convicted = e.convicted || e.wealth >= limit/2",
		Story:    "The conviction comes at the square root of the evidence that it needs: one innocent in 30,000 instead of one in a billion.",
		Source:   "gRPC-Go's chi-square at 1e-6 shows what a threshold decides",
		Predicts: []string{"judge/threshold"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_forgives", File: "oracle/evidence_audit.go",
		Find: "e.convicted = e.convicted || e.wealth >= limit", Replace: "e.convicted = e.wealth >= limit",
		Story:    "A conviction is taken back when the evidence sinks again: a retry until it passes.",
		Source:   "the Gateway API's first success of ten tries",
		Predicts: []string{"judge/threshold"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_null_is_uniform", File: "oracle/evidence_audit.go",
		Find: "e.wealth += math.Log(bet / claim)", Replace: "e.wealth += math.Log(bet * float64(len(v.groups)) * min(1, claim*1e300))",
		Story:    "The evidence is against a fair coin, whatever was claimed: the honest are convicted of not being random.",
		Source:   "classic: the wrong null",
		Predicts: []string{"judge/fair-bet"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_bets_after_the_pick", File: "oracle/evidence_audit.go",
		Find: "\te.judge(m, pick)\n\te.bets.learn(m, pick)\n\te.now.learn(m, pick)\n", Replace: "\te.bets.learn(m, pick)\n\te.now.learn(m, pick)\n\tfor _, p := range e.bets.predictors {\n\t\tp.ready(m)\n\t}\n\te.judge(m, pick)\n",
		Story:    "The bets have seen the pick before it is judged: everyone is convicted in the end.",
		Source:   "classic: a prediction that may look ahead",
		Predicts: []string{"judge/fair-bet"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_ignores_history", File: "oracle/evidence_bets.go",
		Find: "add(0.08, &frequencies{}, &transitions{})\n\tadd(0.08, newTilt(again), newTilt(successor), newTilt(overdue))", Replace: "add(0.16, &frequencies{})",
		Story:    "No bet reads the order of the picks except the known laws themselves: only what is none of them, and too even, gets away.",
		Source:   "round robin that poses as random",
		Predicts: []string{"judge/unknown-order"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_strays_forgotten", File: "oracle/evidence_audit.go",
		Find: "bet, claim = bets[group], stretch(v.grouped(m.claim()), bets, c)[group]", Replace: "bet = bets[group]",
		Story:    "Strays are declared and not allowed for: one stray pick convicts a live proxy.",
		Source:   "a health check in the middle of an audit",
		Predicts: []string{"judge/forbidden-pick", "judge/fair-bet"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_strays_counted_twice", File: "oracle/evidence_null.go",
		Find: "next = bet / ((1-c)*claimed + c)", Replace: "next = bet / ((1-c)*claimed + c*c)",
		Story:    "The null allows for fewer strays than declared: the bound on false convictions no longer holds.",
		Source:   "classic",
		Predicts: []string{"judge/fair-bet"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "judge_bets_more_than_it_has", File: "oracle/evidence_bets.go",
		Find: "b.byServer[i] /= total // without rivals there is less to share", Replace: "b.byServer[i] /= total * total",
		Story:    "Without rivals the weights of the bets add up to more than 1: a wealth that grows by itself.",
		Source:   "classic",
		Predicts: []string{"judge/no-rivals"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "alpha_not_divided", File: "oracle/evidence_alpha.go",
		Find: "return total / float64(n)", Replace: "return total / float64(min(n, 1))",
		Story:    "Every property gets the whole budget of false alarms: the more there are, the more innocents.",
		Source:   "classic: many tests, one level",
		Predicts: []string{"judge/budget"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
	{
		ID: "acquittal_without_radius", File: "oracle/evidence_bound.go",
		Find: "max(distance+radius(allowed, open, alpha/4), unseen(open, alpha/4))", Replace: "max(distance, unseen(open, alpha/4))",
		Story:    "What was seen is taken for what is true: a law that is further off than stated is acquitted.",
		Source:   "the tolerance of +-5 points over 500 requests",
		Predicts: []string{"judge/acquittal"}, Spares: append([]string{"random", "power-of-d", "least-request", "round-robin"}, otherThanOracle...),
	},
}
