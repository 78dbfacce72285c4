package mutants

// breadthMutants are bugs that show in large fleets only, or under many requests:
// beyond the states in which the law of the bare rule is computed.
var breadthMutants = []Mutant{
	{
		ID: "coin_of_five_bits", File: "policies/coins.go",
		Find: "return p.r.IntN(n)", Replace: "return p.r.IntN(min(n, 32))",
		Story:    "A coin has 32 sides at most: in larger fleets the servers behind are never drawn.",
		Source:   "redis/rueidis v1.0.79: the ninth replica of a zone takes no reads",
		Predicts: []string{"law/fleet-sizes"}, Leased: true,
	},
	{
		ID: "load_of_eight_bits", File: "policies/pick.go",
		Find: "return float64(v.servers[i].inFlight), true", Replace: "return float64(uint8(v.servers[i].inFlight)), true",
		Story:    "The policy is shown the last eight bits of a count: a server with 256 requests in flight looks idle.",
		Source:   "classic: a counter that is too narrow",
		Predicts: []string{"law/deep-loads"}, Leased: true,
	},
}
