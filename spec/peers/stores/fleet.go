package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/picklaw/picklaw/spec"
)

// eligible are the servers that take traffic.
func eligible(fleet []spec.Server) []spec.Server {
	var all []spec.Server
	for _, s := range fleet {
		if s.Weight > 0 {
			all = append(all, s)
		}
	}
	return all
}

var errNoServer = errors.New("there is no server")

// nothing is the end of a request that nobody is told about.
func nothing(spec.Outcome) error { return nil }

// A list is the servers that a client was told of, in their order.
type list struct {
	mu    sync.Mutex
	fleet []spec.Server
}

func (l *list) set(fleet []spec.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fleet = fleet
}

func (l *list) get() []spec.Server {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fleet
}

// keys are what deviations ask for.
func keys() []string {
	all := make([]string, 2000)
	for k := range all {
		all[k] = fmt.Sprintf("key-%d", k)
	}
	return all
}
