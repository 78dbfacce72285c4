package mutants

// otherThanReports are families that know nothing of what servers report.
var otherThanReports = append([]string{"conservation", "continuity", "eligibility", "ejection", "slow-start", "herd", "numeric"}, otherThanBalancer...)

// reportMutants are bugs of the weights that come from load reports.
var reportMutants = []Mutant{
	{
		ID: "report_errors_are_free", File: "policies/a58.go",
		Find: "utilization += r.EPS / r.QPS * penalty", Replace: "utilization += 0 * r.EPS / r.QPS * penalty",
		Story:    "The penalty for errors is not applied: a server that fails at once reports little utilization and draws the traffic.",
		Source:   "gRFC A58; kubernetes/ingress-nginx#5540 is a relative",
		Predicts: []string{"load-report/weight"}, Spares: otherThanReports,
	},
	{
		ID: "report_errors_by_count", File: "policies/a58.go",
		Find: "utilization += r.EPS / r.QPS * penalty", Replace: "utilization += r.EPS * penalty",
		Story:    "The penalty grows with the errors in a second instead of their share: a busy server is punished for what an idle one is forgiven.",
		Source:   "gRFC A58",
		Predicts: []string{"load-report/weight"}, Spares: otherThanReports,
	},
	{
		ID: "report_without_utilization", File: "policies/a58.go",
		Find: "if !(r.QPS > 0 && r.Utilization > 0) {", Replace: "if !(r.QPS > 0 && r.Utilization >= 0) {",
		Story:    "A report that leaves the utilization out counts as one of an idle server, as soon as there are errors to divide by.",
		Source:   "vllm-project/router#174 is a relative: unknown taken for nothing; gRFC A58",
		Predicts: []string{"load-report/weight"}, Spares: otherThanReports,
	},
	{
		ID: "report_infinite_weight", File: "policies/a58.go",
		Find: "if math.IsInf(weight, 1) || math.IsNaN(weight) {", Replace: "if math.IsNaN(weight) {",
		Story:    "A utilization next to nothing makes a weight that is infinite: one server takes everything.",
		Source:   "grpc/grpc-go#9357: a quotient that becomes infinite",
		Predicts: []string{"load-report/weight"}, Spares: otherThanReports,
	},
	{
		ID: "report_upside_down", File: "policies/a58.go",
		Find: "weight := r.QPS / utilization", Replace: "weight := utilization / r.QPS",
		Story:    "The quotient is the wrong way round: the fullest server gets the most.",
		Source:   "pgdogdev/pgdog#703 is a relative",
		Predicts: []string{"load-report/weight"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_cut", File: "policies/a58.go",
		Find: "uint64(math.Round(w/largest*65535))", Replace: "uint64(w / largest * 65535)",
		Story:    "Weights are cut to whole numbers instead of rounded.",
		Source:   "openservicemesh/osm#4092",
		Predicts: []string{"load-report/whole-weights"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_lose_the_small", File: "policies/a58.go",
		Find: "max(1, uint64(math.Round(w/largest*65535)))", Replace: "uint64(math.Round(w / largest * 65535))",
		Story:    "A small weight becomes 0, and its server gets nothing at all.",
		Source:   "maximhq/bifrost#5473",
		Predicts: []string{"load-report/whole-weights"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_of_a_hundred", File: "policies/a58.go",
		Find: "max(1, uint64(math.Round(w/largest*65535)))", Replace: "max(1, uint64(w/(mean*float64(known))*100))",
		Story:    "Weights are whole percentages: with more than a hundred servers all of them are alike.",
		Source:   "openservicemesh/osm#4092; istio/istio#21631",
		Predicts: []string{"load-report/whole-weights"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_unknown_is_least", File: "policies/a58.go",
		Find: "\t\t\tw = mean\n", Replace: "\t\t\tw = 0 * mean\n",
		Story:    "A server that has not reported yet gets the smallest weight instead of the mean: a newcomer without traffic has nothing to report, ever.",
		Source:   "gRFC A58; tower-rs/tower#134 is a relative",
		Predicts: []string{"load-report/whole-weights"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_mean_of_all", File: "policies/a58.go",
		Find: "mean += (w - mean) / float64(known) // a sum could overflow", Replace: "mean += w / float64(len(weights))",
		Story:    "The mean counts the unknown weights as 0: the fewer have reported, the less a newcomer gets.",
		Source:   "gRFC A58",
		Predicts: []string{"load-report/whole-weights"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_take_nan", File: "policies/a58.go",
		Find: "if !(w >= 0) || math.IsInf(w, 1) {", Replace: "if w < 0 || math.IsInf(w, 1) {",
		Story:    "A weight that is no number passes the test for negative ones.",
		Source:   "BerriAI/litellm#39970 is a relative: NaN loses every comparison",
		Predicts: []string{"load-report/refused"}, Spares: otherThanReports,
	},
	{
		ID: "whole_weights_take_infinity", File: "policies/a58.go",
		Find: "if !(w >= 0) || math.IsInf(w, 1) {", Replace: "if !(w >= 0) {",
		Story:    "An infinite weight is accepted, and makes every other one 0.",
		Source:   "grpc/grpc-go#9357: a quotient that becomes infinite",
		Predicts: []string{"load-report/refused"}, Spares: otherThanReports,
	},
}
