package main

import (
	"context"
	"fmt"

	"github.com/kkdai/maglev"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const maglevVersion = "github.com/kkdai/maglev v0.2.0"

var maglevSubjects = []spec.Subject{{
	Name: "kkdai/maglev", Doc: maglevVersion + ", NewMaglev with a table of 65537 and Set",
	New:    newMaglev,
	Claims: []spec.Option{spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
}}

// tableSize is the smaller one of Eisenbud et al. 2016, section 5.3.
const tableSize = 65537

// A maglevTable maps keys to names of servers.
type maglevTable struct {
	table *maglev.Maglev
	list
}

func newMaglev(f spec.Fleet) (spec.Picker, error) {
	table, err := maglev.NewMaglev(namesOf(eligible(f.Servers)), tableSize)
	t := &maglevTable{table: table}
	t.set(f.Servers)
	return t, err
}

func namesOf(fleet []spec.Server) []string {
	var all []string
	for _, s := range fleet {
		all = append(all, s.Name)
	}
	return all
}

func (t *maglevTable) Update(fleet []spec.Server) error {
	t.set(fleet)
	return t.table.Set(namesOf(eligible(fleet)))
}

func (t *maglevTable) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	name, err := t.table.Get(q.Key)
	if err != nil {
		return 0, nil, err
	}
	return t.named(name)
}

// named is a pick of the server of that name.
func (l *list) named(name string) (spec.ServerID, func(spec.Outcome) error, error) {
	for _, s := range l.get() {
		if s.Name == name {
			return s.ID, nothing, nil
		}
	}
	return 0, nil, fmt.Errorf("%q is not in the fleet", name)
}

var maglevDeviations = []peers.Deviation{{
	Name: "kkdai/maglev/remove-takes-another", Version: maglevVersion,
	State:    "servers s0 s2 s3; s1, which is not among them, is removed",
	Expected: "an error, and all three stay",
	Observed: "no error, and s2 has no keys",
	Effect:   "Remove looks for where the name would stand in the sorted list and takes out what stands there, without comparing. A server that is reported as gone twice, or that never came in, takes a healthy one out of the table, which has no traffic until it is added again; nobody is told.",
	Observe:  observeRemove,
}}

func observeRemove() (string, error) {
	table, err := maglev.NewMaglev([]string{"s0", "s2", "s3"}, tableSize)
	if err != nil {
		return "", err
	}
	if err := table.Remove("s1"); err != nil {
		return "an error: " + err.Error(), nil
	}
	owned := make(map[string]int)
	for _, key := range keys() {
		name, err := table.Get(key)
		if err != nil {
			return "", err
		}
		owned[name]++
	}
	for _, name := range []string{"s0", "s2", "s3"} {
		if owned[name] == 0 {
			return fmt.Sprintf("no error, and %s has no keys", name), nil
		}
	}
	return "no error, and all three stay", nil
}
