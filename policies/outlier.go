//go:build !mutants

package policies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Outlier is the rule by which a Balancer ejects servers, that is, takes them out
// of the view for a while. Two things make an outlier: failing Consecutive times
// in a row, and a success rate far below that of the fleet. The zero value of a
// field that is a number switches its rule off, except for MaxEjected.
type Outlier struct {
	Consecutive int // failures in a row that eject a server

	// At the end of every interval the servers are compared that had at least
	// MinRequests outcomes in it, if there are at least MinServers of them. One
	// whose success rate is more than Deviations standard deviations below their
	// mean is ejected.
	Interval    time.Duration // positive
	MinRequests int           // 0 counts as 1
	MinServers  int
	Deviations  float64

	// The k-th ejection of a server lasts k times Backoff, at most MaxBackoff.
	// Each whole Interval in service takes one off k again.
	Backoff    time.Duration // positive
	MaxBackoff time.Duration // at least Backoff

	MaxEjected int // percent of the fleet, rounded down, but always one server
	Panic      int // percent: when fewer servers are left than this, ejections are ignored
}

// Check says what is wrong with the parameters.
func (o Outlier) Check() error {
	if err := firstError(
		checkD("Outlier.Consecutive", o.Consecutive, 0),
		checkPositive("Outlier.Interval", o.Interval),
		checkD("Outlier.MinRequests", o.MinRequests, 0),
		checkD("Outlier.MinServers", o.MinServers, 0),
		checkPositive("Outlier.Backoff", o.Backoff),
		checkPercent("Outlier.MaxEjected", o.MaxEjected),
		checkPercent("Outlier.Panic", o.Panic),
	); err != nil {
		return err
	}
	if !(o.Deviations >= 0) || math.IsInf(o.Deviations, 1) {
		return fmt.Errorf("policies: Outlier.Deviations is %v, want a finite number that is not negative", o.Deviations)
	}
	if o.MaxBackoff < o.Backoff {
		return fmt.Errorf("policies: Outlier.MaxBackoff is %v, want at least Backoff, %v", o.MaxBackoff, o.Backoff)
	}
	return nil
}

func checkPercent(name string, p int) error {
	if p < 0 || p > 100 {
		return fmt.Errorf("policies: %s is %d, want a percentage from 0 to 100", name, p)
	}
	return nil
}

// mayEject says whether one more of n servers may be ejected. The share counts
// the one in question.
func (o Outlier) mayEject(ejected, n int) bool {
	return (ejected+1)*100 <= o.MaxEjected*n || ejected == 0
}

// panics says whether too few of n servers are left to honour ejections. None
// left is the fewest.
func (o Outlier) panics(left, n int) bool { return left*100 < o.Panic*n }

// length is how long the k-th ejection lasts.
func (o Outlier) length(k int) time.Duration {
	if time.Duration(k) > o.MaxBackoff/o.Backoff {
		return o.MaxBackoff
	}
	return time.Duration(k) * o.Backoff
}

// healed is how many ejections a time in service makes good.
func (o Outlier) healed(service time.Duration) int { return int(service / o.Interval) }

// A tally counts the outcomes of a server in an interval.
type tally struct{ ok, failed int }

func (t tally) requests() int { return t.ok + t.failed }

func (t tally) rate() float64 { return float64(t.ok) / float64(t.requests()) }

// stragglers lists the servers whose success rate falls behind, the worst first.
func (o Outlier) stragglers(tallies []tally) []int {
	var judged []int // those with enough requests
	for i, t := range tallies {
		if t.requests() >= max(o.MinRequests, 1) {
			judged = append(judged, i)
		}
	}
	if o.Deviations == 0 || len(judged) < max(o.MinServers, 1) {
		return nil
	}
	slices.SortStableFunc(judged, func(i, j int) int { return cmp.Compare(tallies[i].rate(), tallies[j].rate()) })
	if tallies[judged[0]].rate() == tallies[judged[len(judged)-1]].rate() {
		return nil // whatever the rounding of their mean
	}
	mean, squares := 0.0, 0.0
	for _, i := range judged {
		mean += tallies[i].rate() / float64(len(judged))
	}
	for _, i := range judged {
		squares += (tallies[i].rate() - mean) * (tallies[i].rate() - mean)
	}
	limit := mean - o.Deviations*math.Sqrt(squares/float64(len(judged)))
	behind, _ := slices.BinarySearchFunc(judged, limit, func(i int, limit float64) int { return cmp.Compare(tallies[i].rate(), limit) })
	return judged[:behind]
}
