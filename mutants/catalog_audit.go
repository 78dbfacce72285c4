package mutants

// auditMutants are bugs of what the suite does to a black box before it looks.
var auditMutants = []Mutant{
	{
		ID: "audit_never_cancels", File: "spec/lease.go",
		Find: `Failed: s.action == "fail", Canceled: s.action == "cancel",`, Replace: `Failed: s.action == "fail" || s.action == "cancel",`,
		Story:    "The histories hold no request that the caller gave up: counts that leak on cancellation are fine.",
		Source:   "vllm-project/router#215",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_answers_at_once", File: "spec/lease.go",
		Find: "Latency: time.Duration(1) << (s.which % 38), // up to 137 s", Replace: "Latency: time.Duration(1) << (s.which % 30),",
		Story:    "No request of the histories takes longer than a second: what happens to slow ones is never seen.",
		Source:   "skypilot-org/skypilot#10444 is a relative: timeouts",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_updates_nothing", File: "spec/lease.go",
		Find: "\t\t\ta.change(fleet)\n", Replace: "\t\t\ta.fleet = all\n\t\t\tif len(fleet) < 2 {\n\t\t\t\ta.change(fleet)\n\t\t\t}\n",
		Story:    "The law after updates is judged without an update.",
		Source:   "envoyproxy/envoy#45212",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_update_without_requests", File: "spec/lease.go",
		Find: "among, own, behind, among, own} {", Replace: "among, own, behind, among, own}[:0] {",
		Story:    "Counts across an update are judged without an update.",
		Source:   "kubernetes/ingress-nginx#4448",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_one_goroutine_works", File: "spec/lease.go",
		Find: "for k := range rounds {", Replace: "for k := range rounds * (1 - min(g, 1)) {",
		Story:    "Of many goroutines only the first does anything: no two calls overlap.",
		Source:   "BerriAI/litellm#40009; traefik/traefik#11755",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_stress_forgives", File: "spec/lease.go",
		Find: "\t\t\t\t\tfaults <- v\n", Replace: "\t\t\t\t\t_ = v\n",
		Story:    "What goes wrong in one of many goroutines is not told.",
		Source:   "classic: an error in a goroutine that nobody waits for",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_counts_too_few_only", File: "spec/counts.go",
		Find: "if n != len(a.leases[i]) {", Replace: "if n < len(a.leases[i]) {",
		Story:    "Only counts that are too small are leaks: the ones that are never released go unnoticed.",
		Source:   "skypilot-org/skypilot#10444",
		Predicts: []string{"suite/wrong-histories"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_second_release_unasked", File: "spec/lease.go",
		Find: "\t\tr.try(\"done\", func() { err = l(Outcome{}) })\n\t\tif err == nil {", Replace: "\t\tr.try(\"done\", func() { err = l(Outcome{}) })\n\t\tif err == nil && i < 0 {",
		Story:    "A second release is made, and nobody looks at the answer.",
		Source:   "yyyar/gobetween#165",
		Predicts: []string{"suite/wrong-balancers"}, Spares: otherThanSuite,
	},
	{
		ID: "audit_of_one_state", File: "spec/sampled.go",
		Find: "for _, s := range states {\n\t\t\ta.reach(s.Loads)", Replace: "for _, s := range states[1:2] {\n\t\t\ta.reach(s.Loads)",
		Story:    "The law is judged in an idle fleet only, where every law of loads is a fair coin.",
		Source:   "caddyserver/caddy#7873: a test that cannot tell policies apart",
		Predicts: []string{"suite/wrong-balancers"}, Spares: otherThanSuite,
	},
}
