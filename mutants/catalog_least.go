package mutants

var leastMutants = []Mutant{
	{
		ID: "least_request_lowest_index", File: "policies/least_request.go",
		Find: "case s == least:\n\t\t\tminima = append(minima, i)", Replace: "case s == least && len(minima) == 0:\n\t\t\tminima = append(minima, i)",
		Story:    "Ties go to the first server of the list: an idle fleet sends everything to one server.",
		Source:   "BerriAI/litellm#39322",
		Predicts: []string{"least-request/pick-law", "order/relabelling"}, Spares: otherThanLeast,
	},
	{
		ID: "least_request_heaviest", File: "policies/least_request.go",
		Find: "switch s := score(v, i); {", Replace: "switch s := -score(v, i); {",
		Story:    "The comparison is the wrong way round: the busiest server gets the request.",
		Source:   "pgdogdev/pgdog#703",
		Predicts: []string{"least-request/pick-law", "learner/peak"}, Spares: append([]string{"order"}, otherThanLeast...),
	},
	{
		ID: "least_request_first_if_unique", File: "policies/least_request.go",
		Find: "return minima[c.IntN(len(minima))]", Replace: "if len(minima) == 1 {\n\t\treturn 0\n\t}\n\treturn minima[c.IntN(len(minima))]",
		Story:    "A server that alone has the minimum is found, and then the first of the list is returned.",
		Source:   "apache/dubbo-go#2068",
		Predicts: []string{"least-request/pick-law", "order/relabelling"}, Spares: otherThanLeast,
	},
	{
		ID: "least_request_coin_for_each_tie", File: "policies/least_request.go",
		Find: "case s == least:\n\t\t\tminima = append(minima, i)", Replace: "case s == least && (len(minima) == 0 || c.IntN(2) == 0):\n\t\t\tminima = append(minima[:0], i)",
		Story:    "A fair coin decides at every tie met on the way: of three equal servers the last gets one half.",
		Source:   "classic",
		Predicts: []string{"least-request/pick-law", "order/relabelling"}, Spares: otherThanLeast,
	},
	{
		ID: "least_request_skips_the_last", File: "policies/least_request.go",
		Find: "for i := range v.Len() {", Replace: "for i := range v.Len() - min(1, v.Len()/2) {",
		Story:    "The scan ends one short: the last server gets nothing.",
		Source:   "classic",
		Predicts: []string{"least-request/pick-law", "order/relabelling"}, Spares: otherThanLeast,
	},
	{
		ID: "least_request_first_idle_from_cursor", File: "policies/least_request.go",
		Find: "\treturn l.lightest(v, c, heaviness)",
		Replace: `	if v.Len() > 0 {
		cursor := c.IntN(v.Len())
		for k := range v.Len() {
			i := (cursor + k) % v.Len()
			if heaviness(v, i) == 0 {
				return i
			}
		}
	}
	return l.lightest(v, c, heaviness)`,
		Story:    "The scan starts anywhere and ends at the first idle server: the one behind a busy server gets a double share.",
		Source:   "valyala/fasthttp#643",
		Predicts: []string{"least-request/pick-law", "order/relabelling"}, Spares: append([]string{"power-of-d", "learner"}, otherThanLeast...),
	},
	{
		ID: "least_request_keeps_64_minima", File: "policies/least_request.go",
		Find: "case s == least:\n\t\t\tminima = append(minima, i)", Replace: "case s == least && len(minima) < len(room):\n\t\t\tminima = append(minima, i)",
		Story:    "The list of minima has room for 64: of a larger idle fleet the rest gets nothing.",
		Source:   "classic: a fixed buffer",
		Predicts: []string{"law/large-fleet"}, Spares: append([]string{"least-request", "power-of-d", "order", "learner"}, otherThanLeast...),
	},
	{
		ID: "unknown_load_is_zero", File: "policies/loads.go",
		Find: "return math.Inf(1)", Replace: "return 0",
		Story:    "A load that nobody knows counts as none at all: a server that has stopped reporting gets everything.",
		Source:   "vllm-project/router#174; elastic/elasticsearch#144937",
		Predicts: []string{"law/unknown-loads"}, Spares: append([]string{"least-request", "power-of-d", "order", "learner"}, otherThanLeast...),
	},
}
