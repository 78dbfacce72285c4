//go:build !mutants

package queue

import (
	"encoding/json"
	"math"
)

// Result is what came out of a simulation. Times are times in system, from
// arrival to finish. Counted requests are those after the warm-up; lost ones
// have no time in system. What the world was not asked for is NaN or nil.
type Result struct {
	Jobs   int       // counted requests that were not lost
	Lost   int       // counted requests that were
	Mean   float64   // mean time in system
	P50    float64   // quantiles of the time in system: element floor(p·Jobs) in order
	P99    float64   //
	P999   float64   //
	Peak   int       // most jobs at one server right after it accepted a counted one
	Shares []float64 // of each server in the counted requests, lost ones included
	Tails  []float64 // Tails[k]: share of servers that hold k jobs or more, over the probes
	Sent   []int     // to each server, of all requests, warm-up included
	Final  []int     // jobs at each server at the horizon, or at the last arrival without one
	Series [][]int   // jobs at each server at each probe
	Times  []float64 // of the counted requests, in order of arrival, with World.Quantiles
}

// MarshalJSON writes the field names of the picklaw command. A number that is
// not finite is null.
func (r Result) MarshalJSON() ([]byte, error) {
	fields := map[string]any{
		"jobs": r.Jobs, "lost": r.Lost, "mean": r.Mean, "peak": r.Peak,
		"p50": r.P50, "p99": r.P99, "p999": r.P999, "shares": r.Shares, "sent": r.Sent,
	}
	if r.Tails != nil {
		fields["tails"] = r.Tails[1:] // k = 1, 2, ...
	}
	if r.Series != nil {
		fields["series"] = r.Series
	}
	return marshalFinite(fields)
}

// marshalFinite writes null for a number, or a member of a list of numbers,
// that is not finite.
func marshalFinite(fields map[string]any) ([]byte, error) {
	finite := func(x float64) any {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return x
	}
	for name, value := range fields {
		switch x := value.(type) {
		case float64:
			fields[name] = finite(x)
		case []float64:
			list := make([]any, len(x))
			for i := range x {
				list[i] = finite(x[i])
			}
			fields[name] = list
		}
	}
	return json.Marshal(fields)
}

// tally adds up what happens to requests.
type tally struct {
	jobs, lost, peak int
	sum              float64
	sent, counted    []int // by server
	held             []int // held[k]: servers that held exactly k jobs, over the probes
	times            []float64
	series           [][]int
	keepTimes        bool
	keepSeries       bool
}

func newTally(w World) tally {
	a := tally{sent: make([]int, w.Servers), counted: make([]int, w.Servers), keepTimes: w.Quantiles, keepSeries: w.KeepSeries}
	if w.Quantiles {
		a.times = make([]float64, 0, w.expectedJobs())
	}
	return a
}

// probe looks at every server.
func (a *tally) probe(servers []fifo, now float64) {
	var seen []int
	if a.keepSeries {
		seen = make([]int, len(servers))
		a.series = append(a.series, seen)
	}
	for i := range servers {
		k := servers[i].inSystem(now)
		for k >= len(a.held) {
			a.held = append(a.held, 0)
		}
		a.held[k]++
		if seen != nil {
			seen[i] = k
		}
	}
}

// record adds one counted request: where it went, how many jobs it met there,
// and its time in system unless it was lost.
func (a *tally) record(server, before int, lost bool, time float64) {
	a.counted[server]++
	if lost {
		a.lost++
		return
	}
	a.jobs++
	a.sum += time
	a.peak = max(a.peak, before+1)
	if a.keepTimes {
		a.times = append(a.times, time)
	}
}

// result closes the books.
func (r *simulation) result() Result {
	a, nan := &r.tally, math.NaN()
	out := Result{Jobs: a.jobs, Lost: a.lost, Mean: a.sum / float64(a.jobs), P50: nan, P99: nan, P999: nan,
		Peak: a.peak, Sent: a.sent, Series: a.series, Times: a.times}
	for _, c := range a.counted {
		out.Shares = append(out.Shares, float64(c)/float64(a.jobs+a.lost))
	}
	if a.keepTimes && a.jobs > 0 {
		q := Quantiles(a.times, 0.5, 0.99, 0.999)
		out.P50, out.P99, out.P999 = q[0], q[1], q[2]
	}
	out.Tails = tails(a.held)
	end := r.Horizon
	if math.IsInf(end, 1) {
		end = r.now
	}
	for i := range r.servers {
		out.Final = append(out.Final, r.servers[i].inSystem(end))
	}
	return out
}

// tails turns counts of exact values into shares of values >= k; nil without
// any.
func tails(held []int) []float64 {
	out := make([]float64, len(held))
	total := 0
	for k := len(held) - 1; k >= 0; k-- {
		total += held[k]
		out[k] = float64(total)
	}
	if total == 0 {
		return nil
	}
	for k := range out {
		out[k] /= float64(total)
	}
	return out
}
