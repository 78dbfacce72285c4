package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/mutants"
)

// leased are the balancers in which bugs of leases, counts and updates show: over
// a law of loads, a rotation, weights, latencies, and keys.
var leased = []string{"balancer/power-of-d:2", "balancer/round-robin", "balancer/weighted-random", "balancer/peak-ewma", "balancer/ring"}

// subjects are the references in which a bug of a file shows, if anywhere.
var subjects = map[string][]string{
	"envoy_weighted.go":         {"envoy-weighted"},
	"ewma.go":                   {"ewma"},
	"hash_mod.go":               {"hash-mod"},
	"least_request.go":          {"least-request"},
	"lingering_errors.go":       {"lingering-errors"},
	"maglev.go":                 {"maglev:1009"},
	"over_success.go":           {"ewma-over-success", "peak-ewma-over-success"},
	"peak_ewma.go":              {"peak-ewma", "peak-ewma:2"},
	"power_of_d.go":             {"power-of-d:2", "power-of-d:2:replacement"},
	"random.go":                 {"random"},
	"rendezvous.go":             {"rendezvous"},
	"ring.go":                   {"ring", "ring:1"},
	"round_robin.go":            {"round-robin"},
	"smooth_weighted.go":        {"smooth-weighted"},
	"score.go":                  {"ewma", "peak-ewma:2"},
	"sticky.go":                 {"sticky:random"},
	"weighted_least_request.go": {"weighted-least-request"},
	"weighted_random.go":        {"weighted-random"},
	"weighted_round_robin.go":   {"weighted-round-robin"},
	"balancer.go":               leased,
	"coins.go":                  leased,
	"endpoint.go":               leased,
	"lease.go":                  leased,
	"loads.go":                  leased,
	"pick.go":                   leased,
	"update.go":                 leased,
}

// unseen says why nothing that is asked from outside can tell a bug apart.
var unseen = map[string]string{
	"unknown_load_is_zero":              "Every load is known to a balancer that counts its own requests; the view has to be made by hand.",
	"power_of_d_reads_twice":            "The picks are the same; the second read is seen only by who counts reads.",
	"round_robin_shares_its_cursor":     "A factory builds every balancer over a policy of its own, so no two are copies of one.",
	"lingering_clones_share":            "A factory builds every balancer over a policy of its own, so no two are copies of one.",
	"lingering_out_of_order":            "It takes failures that are reported seconds late and a count of them at the right moment; no look is that fine.",
	"envoy_first_pick_by_weight":        "A fresh balancer that counts its own requests has none in flight at its first pick.",
	"deadline_is_no_failure":            "It is in Do, and an audit picks and ends by itself.",
	"late_success_is_canceled":          "It is in Do, and an audit picks and ends by itself.",
	"canceled_is_a_failure":             "It is in Do, and an audit picks and ends by itself.",
	"panic_is_a_success":                "It is in Do, and an audit picks and ends by itself.",
	"endpoints_all_drained":             "An audit gives a fleet in which every weight is 0 to be refused, at once or at the first request.",
	"endpoints_twice":                   "An audit never names a server twice in one fleet.",
	"parameters_ring_without_points":    "It takes wrong parameters, and the subjects have right ones.",
	"parameters_maglev_of_any_size":     "It takes wrong parameters, and the subjects have right ones.",
	"parameters_alpha_of_nothing":       "It takes wrong parameters, and the subjects have right ones.",
	"parameters_unchecked_inside":       "It takes wrong parameters, and the subjects have right ones.",
	"smooth_weighted_draws_one_pick":    "Only the second pick of a fresh balancer is drawn a little too often at light servers; a hundred of them do not show it.",
	"lingering_prunes_too_much":         "It takes failures some seconds apart and a count of them; no look is that fine.",
	"smooth_weighted_absent_earn":       "What a server earns while it is away shows in a burst after its return, which is looked for only where no law is known.",
	"weighted_rotation_first_tick_only": "Only the second pick of a fresh balancer is not drawn; the first ones are, and no look is at the second.",
	"leavers_stay_in_the_books":         "It takes a balancer that ejects, which is an option that no reference subject sets.",
	"peak_ewma_errors_near_a_second":    "Only errors of 0.6 to 0.95 seconds count double, and no look makes errors that take so long.",
	"peak_ewma_state_without_time":      "The picks are the same; only the text of the state is wrong, and nobody but a solver reads it.",
	"peak_ewma_clones_share":            "A factory builds every balancer over a policy of its own, so no two are copies of one.",
	"lease_open_forgets_the_gone":       "The number of open leases of all servers is no part of what an audit may ask.",
	"lease_teaches_removed":             "Ids are never used twice, so the entry of a server that has left is only memory.",
	"lease_swallows_learner_panic":      "It takes a policy that panics over an outcome; no reference policy does.",
	"do_releases_on_return_only":        "It is in Do, and an audit picks and ends by itself.",
	"acquire_without_lock":              "It is a data race: one caller at a time never meets it.",
	"balancers_share_a_seed":            "An audit gives every balancer its seed, so none draws its own.",
	"trusts_the_policy":                 "It takes a policy that names a server that is not there; no reference policy does.",
	"panics_pass_through":               "It takes a policy that panics; no reference policy does.",
	"update_halfway":                    "It takes a policy that panics in an update; no reference policy does.",
	"slow_start_first_fleet_cold":       "It takes a balancer with slow start, which is an option that no reference subject sets.",
}

// A bug is a mutant on its subjects.
type bug struct {
	mutants.Mutant
	subjects []string
	told     bool
	seen     *job // the identification that tells it apart, or the last one
	besides  []string
}

// bugs are those of the catalog that are in a file of a subject.
func bugs() []*bug {
	var all []*bug
	for _, m := range mutants.Catalog() {
		if on := subjects[filepath.Base(m.File)]; on != nil && strings.HasPrefix(m.File, "policies/") {
			all = append(all, &bug{Mutant: m, subjects: on})
		}
	}
	return all
}

// run identifies the subjects with the bug, until one is told from its reference.
func (b *bug) run(ctx context.Context, dir, program string, references map[string]*job) {
	for _, name := range b.subjects {
		b.seen = &job{subject: name, mutant: b.ID}
		b.seen.run(ctx, program)
		if b.seen.trouble == apart {
			own, err := b.build(dir)
			if err != nil {
				b.seen.trouble = err.Error()
				return
			}
			b.seen = &job{subject: name}
			b.seen.run(ctx, own)
		}
		if b.told = b.seen.differs(references[name]); b.told {
			b.besides = b.seen.besides(references[name])
			return
		}
	}
}

// build lays the bug over its file.
func (b *bug) build(dir string) (program string, err error) {
	file, err := filepath.Abs(filepath.FromSlash(b.File))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	base := filepath.Join(dir, b.ID)
	if err := os.WriteFile(base+".go", []byte(strings.Replace(string(text), b.Find, b.Replace, 1)), 0o644); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: base + ".go"}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(base+".json", overlay, 0o644); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-overlay", base+".json", "-o", base, "./spec/cmd/picklaw").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", b.ID, err, out)
	}
	return base, nil
}

func (b *bug) String() string {
	verdict := "not told apart"
	if b.told {
		verdict = "told apart"
	}
	return fmt.Sprintf("%s %s: %s", verdict, b.ID, b.seen)
}

// why is why the bug is not told apart.
func (b *bug) why() string {
	if b.Equivalent != "" {
		return "Nothing can: " + b.Equivalent
	}
	return unseen[b.ID]
}

// honest wants a reason for every bug that is not told apart, and none for others.
func honest(planted []*bug) error {
	var wrong []string
	for _, b := range planted {
		switch {
		case b.told && b.why() != "":
			wrong = append(wrong, b.ID+" is told apart, and has a reason why it is not")
		case !b.told && b.why() == "":
			wrong = append(wrong, b.ID+" is not told apart, and has no reason why")
		}
	}
	for id := range unseen {
		if !slices.ContainsFunc(planted, func(b *bug) bool { return b.ID == id }) {
			wrong = append(wrong, id+" has a reason and is not in the catalog")
		}
	}
	if wrong != nil {
		return fmt.Errorf("the reasons are not those of the table: %s", strings.Join(wrong, "; "))
	}
	return nil
}
