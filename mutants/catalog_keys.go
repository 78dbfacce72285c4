package mutants

var keyMutants = []Mutant{
	{
		ID: "ring_ignores_last_point", File: "policies/ring.go",
		Find: "start := sort.Search(len(r.points), ", Replace: "start := sort.Search(max(0, len(r.points)-1), ",
		Story:    "The search leaves out the end of the ring: keys behind the last point go to its owner instead of the first one's.",
		Source:   "grpc/grpc-java#13054",
		Predicts: []string{"keys/leave"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_wraps_to_second_point", File: "policies/ring.go",
		Find: "r.points[(start+k)%len(r.points)]", Replace: "r.points[(start+k+(start+k)/len(r.points))%len(r.points)]",
		Story:    "Behind the end the walk goes on at the second point and never looks at the first.",
		Source:   "Effect-TS/effect#7885",
		Predicts: []string{"keys/leave"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_hashes_the_prefix", File: "policies/ring.go",
		Find: "h := r.hashOf(q.Key)", Replace: "h := r.hashOf(q.Key[:min(len(q.Key), 4)])",
		Story:    "Only the name of the method is hashed, not its arguments: all calls go to one server.",
		Source:   "apache/dubbo#13750",
		Predicts: []string{"keys/spread"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_stands_still_while_size_does", File: "policies/ring.go",
		Find: "\tr.points = nil\n", Replace: "\towners := make(map[ServerID]bool)\n\tfor _, p := range r.points {\n\t\towners[p.owner] = true\n\t}\n\tif len(owners) == len(all) {\n\t\treturn\n\t}\n\tr.points = nil\n",
		Story:    "The ring is rebuilt only when the number of servers changes: weights do not count, and a replaced server gets nothing.",
		Source:   "envoyproxy/envoy#45212; cloudwego/kitex#1393",
		Predicts: []string{"keys/same-size-update"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_keeps_old_points", File: "policies/ring.go",
		Find: "\tr.points = nil\n", Replace: "",
		Story:    "Old points stay on the ring: a server whose weight went down keeps its share.",
		Source:   "iqiyi/dpvs#376",
		Predicts: []string{"keys/update-equals-fresh"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_gives_up_at_first", File: "policies/ring.go",
		Find: "\t\tif i := v.Index(owner); i >= 0 {\n\t\t\treturn i\n\t\t}\n", Replace: "\t\treturn v.Index(owner)\n",
		Story:    "When the owner of a key is not eligible, nobody is found, although others are.",
		Source:   "mosn/mosn#1867 is a relative",
		Predicts: []string{"keys/leave"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_counts_eligible_only", File: "policies/ring.go",
		Find: "\tfor k := range r.points {\n\t\towner", Replace: "\tif v.Len() > 0 && v.Index(r.points[start%len(r.points)].owner) < 0 {\n\t\treturn int(h % uint64(v.Len()))\n\t}\n\tfor k := range r.points {\n\t\towner",
		Story:    "Keys of an ejected server are spread by modulo over those that are left: when one more goes, they all move again.",
		Source:   "caddyserver/caddy#4724; zalando/skipper#1712",
		Predicts: []string{"keys/leave"}, Spares: otherThanKeys,
	},
	{
		ID: "ring_load_decides", File: "policies/ring.go",
		Find: "if i := v.Index(owner); i >= 0 {", Replace: "if i := v.Index(owner); i >= 0 && (heaviness(v, i) < 3 || k > 0) {",
		Story:    "A busy owner passes its keys on although no bound on loads was asked for: keys are no longer sticky.",
		Source:   "classic",
		Predicts: []string{"keys/stable"}, Spares: otherThanKeys,
	},
}
