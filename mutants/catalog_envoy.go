package mutants

// envoyMutants are bugs of the schedule that loads slow down.
var envoyMutants = []Mutant{
	{
		ID: "envoy_turns_ignore_loads", File: "policies/envoy_weighted.go",
		Find: "e.turns[place].due = e.period(v, pick)", Replace: "e.turns[place].due = 1 / float64(v.Server(pick).Weight)",
		Story:    "A turn is as long as the weight says, whatever is in flight: after the first pick, least request is a weighted rotation.",
		Source:   "apache/dubbo#737 is a relative: a count that nobody reads",
		Predicts: []string{"envoy-weighted/schedule"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_saves_turns_up", File: "policies/envoy_weighted.go",
		Find: "max(e.turns[k].due-wait, 0) // time passes", Replace: "e.turns[k].due - wait // time passes",
		Story:    "Turns that a server missed while it was not eligible are kept for it: when it is back, it gets them all in a burst.",
		Source:   "classic: deadlines in the past; envoyproxy/envoy#19526 has them too far ahead",
		Predicts: []string{"envoy-weighted/schedule"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_newcomer_first", File: "policies/envoy_weighted.go",
		Find: "turn{id, e.period(v, i) / 2}", Replace: "turn{id, e.period(v, i) * 0}",
		Story:    "A newcomer is due at once: after a roll-out the next request of every client goes to it.",
		Source:   "envoyproxy/envoy#31378 is a relative; tower-rs/tower#86",
		Predicts: []string{"envoy-weighted/schedule"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_update_restarts", File: "policies/envoy_weighted.go",
		Find: "e.turns = slices.DeleteFunc(e.turns, func(t turn) bool {\n\t\treturn !slices.ContainsFunc(all, func(s Server) bool { return s.ID == t.id })\n\t})", Replace: "e.turns = e.turns[:0*len(all)]",
		Story:    "Every update of the fleet builds a fresh schedule: with several an hour, light servers are hardly reached.",
		Source:   "envoyproxy/envoy#10064; envoyproxy/envoy#31378",
		Predicts: []string{"envoy-weighted/schedule", "continuity/idle-update"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_one_request_is_none", File: "policies/envoy_weighted.go",
		Find: "math.Pow(load+1, e.Bias)", Replace: "math.Pow(max(load, 1), e.Bias)",
		Story:    "The load is kept from being zero by a floor instead of by adding one: an idle server is no better than one with a request.",
		Source:   "classic",
		Predicts: []string{"envoy-weighted/first-pick", "envoy-weighted/schedule"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_first_pick_by_weight", File: "policies/envoy_weighted.go",
		Find: "slowed := e.period(v, i) * float64(w) / shortest", Replace: "slowed := 1 + 0*e.period(v, i)*shortest",
		Story:    "The first pick looks at the weights and not at the loads.",
		Source:   "classic",
		Predicts: []string{"envoy-weighted/first-pick"}, Spares: otherThanWeighted,
	},
	{
		ID: "envoy_heaviest_first", File: "policies/envoy_weighted.go",
		Find: "\tif fresh {\n", Replace: "\tif fresh && e.Bias < 0 {\n",
		Story:    "A fresh schedule starts at time 0 with whoever has the shortest turn: every rebuild serves the heavy servers first.",
		Source:   "envoyproxy/envoy#10064; grpc/grpc-java#10458",
		Predicts: []string{"envoy-weighted/first-pick"}, Spares: otherThanWeighted,
	},
}
