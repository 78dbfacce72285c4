package mutants

var roundRobinMutants = []Mutant{
	{
		ID: "round_robin_restarts", File: "policies/round_robin.go",
		Find: "func(i int) bool { return v.Server(i).ID > r.last }) % n", Replace: "func(i int) bool { return v.Server(i).ID > r.last }) % n\n\t\tif v.Index(r.last) < 0 {\n\t\t\ti = 0\n\t\t}",
		Story:    "When the server that was picked last leaves, the rotation starts over at the first one, from every client at once.",
		Source:   "apple/servicetalk#3021; openresty/lua-resty-balancer#26",
		Predicts: []string{"round-robin/update"}, Spares: otherThanRoundRobin[:5],
	},
	{
		ID: "round_robin_narrow_cursor", File: "policies/round_robin.go",
		Find: "r.started, r.last = true, v.Server(i).ID", Replace: "r.started, r.last = true, ServerID(int32(v.Server(i).ID))",
		Story:    "The cursor is 32 bits wide and wraps: after two billion servers have come and gone the rotation is stuck.",
		Source:   "Netflix/ribbon#259; spring-cloud/spring-cloud-commons#1074",
		Predicts: []string{"round-robin/large-ids"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_starts_at_first", File: "policies/round_robin.go",
		Find: "i = c.IntN(n)", Replace: "i = 0",
		Story:    "Every fresh balancer sends its first request to the first server: a thousand of them hit it at once.",
		Source:   "openresty/lua-resty-balancer#26; traefik/traefik#9037; kubernetes/ingress-nginx#4023",
		Predicts: []string{"round-robin/pick-law"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_does_not_wrap", File: "policies/round_robin.go",
		Find: "i = sort.Search(n, func(i int) bool { return v.Server(i).ID > r.last }) % n", Replace: "if i = sort.Search(n, func(i int) bool { return v.Server(i).ID > r.last }); i == n {\n\t\t\treturn None\n\t\t}",
		Story:    "The scan runs to the end of the list and finds nobody, although there are servers before the cursor.",
		Source:   "mosn/mosn#2209",
		Predicts: []string{"round-robin/pick-law", "round-robin/window", "round-robin/eligible"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_neighbour_inherits", File: "policies/round_robin.go",
		Find: "r.started, r.last = true, v.Server(i).ID", Replace: "if r.started && i > 0 {\n\t\tr.last++\n\t} else {\n\t\tr.last = v.Server(i).ID\n\t}\n\tr.started = true",
		Story:    "The cursor moves by one id at a time: the server behind a gap gets the turns of all that are missing.",
		Source:   "OpenSIPS/opensips#387; mosn/mosn#1129",
		Predicts: []string{"round-robin/window", "round-robin/eligible"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_stands_still", File: "policies/round_robin.go",
		Find: "v.Server(i).ID > r.last", Replace: "v.Server(i).ID >= r.last",
		Story:    "The search finds the last server again: the rotation never moves.",
		Source:   "classic",
		Predicts: []string{"round-robin/pick-law", "round-robin/window"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_shares_its_cursor", File: "policies/round_robin.go",
		Find: "twin := *r; return &twin", Replace: "return r",
		Story:    "Balancers that should be independent advance one cursor: a caller that alternates between two pools sees one server of each.",
		Source:   "spring-cloud/spring-cloud-commons#1013; apache/cassandra-nodejs-driver#78",
		Predicts: []string{"round-robin/pick-law"}, Spares: otherThanRoundRobin,
	},
	{
		ID: "round_robin_walks_backwards", File: "policies/round_robin.go",
		Find: "r.started, r.last = true, v.Server(i).ID", Replace: "r.started, r.last = true, v.Server((i+n-2)%n).ID",
		Story:    "The walk is backwards; with up to three servers it is not even a full rotation.",
		Source:   "spring-cloud/spring-cloud-commons#1074",
		Predicts: []string{"round-robin/pick-law"}, Spares: otherThanRoundRobin,
	},
}
