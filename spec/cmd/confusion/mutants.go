package main

import (
	"path/filepath"

	"github.com/picklaw/picklaw/mutants"
)

// subjects are the references in which a bug of a file shows.
var subjects = map[string][]string{
	"least_request.go": {"least-request"},
	"peak_ewma.go":     {"peak-ewma"},
	"power_of_d.go":    {"power-of-d:2", "power-of-d:2:replacement"},
	"random.go":        {"random"},
	"ring.go":          {"ring"},
	"round_robin.go":   {"round-robin"},
	"balancer.go":      {"balancer/power-of-d:2"},
	"coins.go":         {"balancer/power-of-d:2"},
	"lease.go":         {"balancer/power-of-d:2"},
	"loads.go":         {"balancer/power-of-d:2"},
	"pick.go":          {"balancer/power-of-d:2"},
	"update.go":        {"balancer/power-of-d:2"},
}

// bugs are the jobs of the catalog.
func bugs() []*job {
	var all []*job
	for _, m := range mutants.Catalog() {
		for _, name := range subjects[filepath.Base(m.File)] {
			all = append(all, &job{subject: name, mutant: m.ID})
		}
	}
	return all
}
