package mutants

var powerOfDMutants = []Mutant{
	{
		ID: "power_of_d_replacement", File: "policies/power_of_d.go",
		Find: "i, at := c.IntN(n-len(drawn)), 0\n\tfor at < len(drawn) && drawn[at] <= i {\n\t\ti++\n\t\tat++\n\t}", Replace: "i, at := c.IntN(n), 0",
		Story:    "The choices are not distinct: with two servers, one pick in four goes to the busier one without a look at the other.",
		Source:   "dotnet/yarp#2065; envoyproxy/envoy#11004; grpc/grpc-java#12237",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"order", "cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_heavier", File: "policies/power_of_d.go",
		Find: "best == None || s < least", Replace: "best == None || s > least",
		Story:    "The comparison is the wrong way round: the heavier of the drawn servers gets the request.",
		Source:   "pgdogdev/pgdog#703",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"order", "cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_last_never_second", File: "policies/power_of_d.go",
		Find: "i, at := c.IntN(n-len(drawn)), 0", Replace: "i, at := c.IntN(max(1, n-len(drawn)-min(1, len(drawn)))), 0",
		Story:    "The range of the second draw is one short: the last server gets no second chance, and less traffic than it is due.",
		Source:   "classic; caddyserver/caddy#7873 is a relative",
		Predicts: []string{"power-of-d/pick-law", "order/relabelling"}, Spares: append([]string{"cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_one_pair_twice", File: "policies/power_of_d.go",
		Find: "drawn[at] <= i {", Replace: "drawn[at] <= i && (i > 0 || n < 3) {",
		Story:    "Distinctness is lost for one value only: the first server can be drawn against itself.",
		Source:   "classic",
		Predicts: []string{"power-of-d/pick-law", "order/relabelling"}, Spares: append([]string{"cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_draws_them_all", File: "policies/power_of_d.go",
		Find: "if !p.Replacement && p.D >= n {", Replace: "if !p.Replacement && p.D > n {",
		Story:      "As many choices as servers are drawn one by one instead of compared at once: the same law, with more coins.",
		Source:     "classic",
		Equivalent: "All servers are drawn, in any order, and the order of the draws is exchangeable: the minima win with equal probability, as in the scan.",
	},
	{
		ID: "power_of_d_last_drawn_wins", File: "policies/power_of_d.go",
		Find: "best == None || s < least", Replace: "best == None || s <= least",
		Story:      "Ties go to the server that was drawn last instead of first.",
		Source:     "classic",
		Equivalent: "The order of the draws is exchangeable, with and without replacement, so the last of the tied servers drawn is distributed like the first.",
	},
	{
		ID: "power_of_d_ties_to_lower_index", File: "policies/power_of_d.go",
		Find: "best == None || s < least", Replace: "best == None || s < least || s == least && i < best",
		Story:    "Ties go to the server that is listed first: in an idle fleet the first of n servers gets a share of 2/n, the last nothing.",
		Source:   "Caddy v2.11.9 random_choose; grpc/grpc-java#12237",
		Predicts: []string{"power-of-d/pick-law", "order/relabelling"}, Spares: append([]string{"cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_scans_for_two_lightest", File: "policies/power_of_d.go",
		Find: "\treturn p.lightest(v, c, heaviness)",
		Replace: `	first, second := None, None
	for i := range v.Len() {
		switch {
		case first == None || heaviness(v, i) < heaviness(v, first):
			first, second = i, first
		case second == None || heaviness(v, i) < heaviness(v, second):
			second = i
		}
	}
	if second != None && c.IntN(2) == 1 {
		return second
	}
	return first`,
		Story:    "A scan for the two lightest servers and a coin between them: it balances better, costs the whole fleet, and is not what was asked for.",
		Source:   "sozu-proxy/sozu#1411",
		Predicts: []string{"power-of-d/pick-law", "cost/load-reads"}, Spares: append([]string{"least-request", "learner"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_reads_twice", File: "policies/power_of_d.go",
		Find: "best == None || s < least", Replace: "best == None || s < least && s < score(v, best)",
		Story:    "The load of the best so far is read again for each comparison: the cost is no longer d.",
		Source:   "sozu-proxy/sozu#1411 is a relative",
		Predicts: []string{"cost/load-reads"}, Spares: append([]string{"order", "power-of-d", "least-request", "learner"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_one_choice_less", File: "policies/power_of_d.go",
		Find: "for range p.D {", Replace: "for range max(1, p.D-1) {",
		Story:    "One draw is missing: the power of two choices is random routing.",
		Source:   "caddyserver/caddy#7873: a slot of the sample stays empty",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"order", "cost", "least-request"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_no_more_draws_than_servers", File: "policies/power_of_d.go",
		Find: "for range p.D {", Replace: "for range min(p.D, max(1, n-1)) {",
		Story:    "With replacement, too, at most n-1 draws are made: a pair of servers is routed at random.",
		Source:   "classic",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"order", "cost", "least-request", "learner"}, otherThanPowerOfD...),
	},
	{
		ID: "power_of_d_ignores_loads", File: "policies/power_of_d.go",
		Find: "if s := score(v, i); best", Replace: "if s := score(v, i) * 0; best",
		Story:    "The counts are kept and read, and make no difference.",
		Source:   "apache/dubbo#737; apache/dubbo#9650",
		Predicts: []string{"power-of-d/pick-law"}, Spares: append([]string{"cost", "least-request"}, otherThanPowerOfD...),
	},
}
