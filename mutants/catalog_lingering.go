package mutants

// otherThanLingering are families that no error lingers in.
var otherThanLingering = []string{"random", "round-robin", "keys", "judge", "cost", "conservation", "ejection", "retry", "slow-start", "concurrency"}

// lingeringMutants are bugs of errors that stay in flight for a while.
var lingeringMutants = []Mutant{
	{
		ID: "lingering_for_ever", File: "policies/lingering_errors.go",
		Find: "gone, _ := slices.BinarySearch(failures, v.Now()-l.Linger+1)", Replace: "gone := 0 * v.Len()",
		Story:    "Errors count until the next one pushes them out: a server that has recovered gets no request that could show it.",
		Source:   "tower-rs/tower#134; apache/brpc#820",
		Predicts: []string{"learner/forgets", "clock/recovers"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_successes", File: "policies/lingering_errors.go",
		Find: "\tif !o.Failed {\n", Replace: "\tif o.Canceled {\n",
		Story:    "Every answer lingers, not only errors: who answers most looks busiest.",
		Source:   "classic",
		Predicts: []string{"feedback/errors-count"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_has_a_ceiling", File: "policies/lingering_errors.go",
		Find: "return heaviness(v, i) + float64(len(failures)-gone)", Replace: "return heaviness(v, i) + min(float64(len(failures)-gone), 300)",
		Story:    "The penalty for errors ends at 300: under load a dead server beats every live one.",
		Source:   "valyala/fasthttp#865",
		Predicts: []string{"feedback/errors-count"}, Spares: append([]string{"learner"}, otherThanLingering...),
	},
	{
		ID: "lingering_clones_share", File: "policies/lingering_errors.go",
		Find: "twin.failures[id] = slices.Clone(failures)", Replace: "twin.failures[id] = failures[:len(failures):cap(failures)]",
		Story:    "Copies of a policy keep their errors in one array: what one inserts, the other reads.",
		Source:   "spring-cloud/spring-cloud-commons#1013 is a relative",
		Predicts: []string{"learner/clone"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_update_wipes", File: "policies/lingering_errors.go",
		Find: "forget(l.failures, all)", Replace: "clear(l.failures)",
		Story:    "An update of the fleet forgives every server.",
		Source:   "kubernetes/ingress-nginx#4448",
		Predicts: []string{"learner/survivors"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_out_of_order", File: "policies/lingering_errors.go",
		Find: "failures = slices.Insert(failures, place, o.At)", Replace: "failures = slices.Insert(failures, place*0+len(failures), o.At)",
		Story:    "Errors are kept in the order in which they are reported: one that is reported late is searched for in the wrong place.",
		Source:   "classic",
		Predicts: []string{"learner/lingers"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_too_short", File: "policies/lingering_errors.go",
		Find: "failures, v.Now()-l.Linger+1)", Replace: "failures, v.Now()-l.Linger/2+1)",
		Story:    "Errors linger half as long as asked for.",
		Source:   "classic",
		Predicts: []string{"learner/lingers"}, Spares: otherThanLingering,
	},
	{
		ID: "lingering_books_on_another", File: "policies/lingering_errors.go",
		Find: "\tl.failures[id] = slices.Delete(failures, 0, gone)\n", Replace: "\tl.failures[min(id, 2)] = slices.Delete(failures, 0, gone)\n",
		Story:    "Errors of servers with larger ids are booked on another one.",
		Source:   "kubernetes/ingress-nginx#6632",
		Predicts: []string{"learner/lingers"}, Spares: otherThanLingering,
	},
}
