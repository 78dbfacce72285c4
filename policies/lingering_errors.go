//go:build !mutants

package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// LingeringErrors is least request in which errors linger: a request that failed
// counts as in flight for Linger longer. So failing fast does not pay: to the
// others, a server that answers every request with an error at once looks as
// busy as one that takes Linger for each.
type LingeringErrors struct {
	D      int           // servers to compare, 0 for all
	Linger time.Duration // positive

	failures map[ServerID][]time.Duration // when they ended, in increasing order
}

// Pick compares the scores of D servers, or of all of them.
func (l *LingeringErrors) Pick(_ Request, v View, c Coins) int { return best(l.D, v, c, l.Score) }

// Score is the load of server i with its recent errors.
func (l *LingeringErrors) Score(v View, i int) float64 {
	failures := l.failures[v.Server(i).ID]
	gone, _ := slices.BinarySearch(failures, v.Now()-l.Linger+1)
	return heaviness(v, i) + float64(len(failures)-gone)
}

// Observe notes when a request failed.
func (l *LingeringErrors) Observe(id ServerID, o Outcome) {
	if !o.Failed {
		return
	}
	if l.failures == nil {
		l.failures = make(map[ServerID][]time.Duration)
	}
	failures := l.failures[id]
	place, _ := slices.BinarySearch(failures, o.At)
	failures = slices.Insert(failures, place, o.At)
	gone, _ := slices.BinarySearch(failures, o.At-l.Linger+1)
	l.failures[id] = slices.Delete(failures, 0, gone)
}

// Update forgets the servers that are gone; survivors keep their errors.
func (l *LingeringErrors) Update(all []Server) { forget(l.failures, all) }

// Clone returns an independent copy.
func (l *LingeringErrors) Clone() Policy {
	twin := *l
	twin.failures = maps.Clone(l.failures)
	for id, failures := range twin.failures {
		twin.failures[id] = slices.Clone(failures)
	}
	return &twin
}

// State lists the times of the failures.
func (l *LingeringErrors) State() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(l.failures)) {
		fmt.Fprintf(&b, "%d:%d ", id, l.failures[id])
	}
	return b.String()
}

// Check says what is wrong with the parameters.
func (l *LingeringErrors) Check() error {
	return firstError(checkD("LingeringErrors.D", l.D, 0), checkPositive("LingeringErrors.Linger", l.Linger))
}
