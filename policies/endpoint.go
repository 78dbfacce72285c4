//go:build !mutants

package policies

import (
	"errors"
	"fmt"
)

// An Endpoint is a server as the user of a Balancer names it.
type Endpoint struct {
	Name   string // unique, not empty
	Weight uint64 // share of the traffic relative to the others, at most MaxWeight; 0 takes no requests
}

// Endpoints names servers that all have weight 1.
func Endpoints(names ...string) []Endpoint {
	es := make([]Endpoint, len(names))
	for i, name := range names {
		es[i] = Endpoint{Name: name, Weight: 1}
	}
	return es
}

// checkEndpoints says what is wrong with a server list.
func checkEndpoints(es []Endpoint) error {
	if len(es) == 0 {
		return errors.New("policies: the server list is empty, want at least one server")
	}
	at, positive := make(map[string]int, len(es)), false
	for i, e := range es {
		if e.Name == "" {
			return fmt.Errorf("policies: server %d has no name", i)
		}
		if j, twice := at[e.Name]; twice {
			return fmt.Errorf("policies: servers %d and %d are both named %q, want unique names", j, i, e.Name)
		}
		if e.Weight > MaxWeight {
			return fmt.Errorf("policies: server %q has weight %d, want at most %d", e.Name, e.Weight, uint64(MaxWeight))
		}
		at[e.Name], positive = i, positive || e.Weight > 0
	}
	if !positive {
		return fmt.Errorf("policies: all %d servers have weight 0, want a positive weight", len(es))
	}
	return nil
}
