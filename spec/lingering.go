package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// lingeringProperties bind whoever counts failures as requests in flight.
var lingeringProperties = []*Property{{
	Name: "learner/lingers", Level: Must,
	Sentence: "A failure is one more request in flight at its server for the claimed time, to the nanosecond, in whatever order failures are reported; a success leaves nothing.",
	Source:   "definition; a penalty for ever: apache/brpc#820; one with a ceiling: valyala/fasthttp#865; one that is booked elsewhere: kubernetes/ingress-nginx#6632",
	Applies:  func(c *Claims) bool { return c.Lingers > 0 && c.Law != nil },
	Exact:    exactLingers,
}}

// exactLingers draws outcomes, hands some of them over late, and looks at each
// moment at which one of them is about to be forgotten, and at which it is. The
// law is the claimed one with the failures that are not over added to the loads.
func exactLingers(r *Run) Result {
	const histories, outcomes = 12, 14
	random := rand.New(rand.NewPCG(r.Seed, 0))
	fleet, looks := fleetOf(5), 0
	for range histories {
		l := r.newLearner(fleet)
		var all []heard
		now := time.Duration(0)
		for range outcomes {
			now += time.Duration(random.Int64N(int64(r.Claims.Lingers) / 4))
			all = append(all, heard{random.IntN(len(fleet)), now, time.Second, random.IntN(3) > 0})
		}
		random.Shuffle(len(all), func(i, j int) { // by a few places only: news is not that late
			if max(i, j)-min(i, j) < 4 {
				all[i], all[j] = all[j], all[i]
			}
		})
		for _, o := range all {
			r.observe(l, fleet[o.server], o.at, o.latency, o.failed)
		}
		moments := []time.Duration{now}
		for _, o := range all {
			if end := o.at + r.Claims.Lingers; o.failed && end > now {
				moments = append(moments, end-1, end)
			}
		}
		slices.Sort(moments)
		for _, at := range moments {
			loads := make([]float64, len(fleet))
			for i := range loads {
				loads[i] = float64(random.IntN(3))
			}
			counted := slices.Clone(loads)
			for _, o := range all {
				if o.failed && o.at+r.Claims.Lingers > at {
					counted[o.server]++
				}
			}
			want, err := r.Claims.Law.Probabilities(oracle.State{Loads: counted})
			if err != nil {
				panic(fmt.Sprintf("spec: law %v at %v: %v", r.Claims.Law, counted, err))
			}
			picks := r.enumerate(l, &policies.Snapshot{Servers: fleet, Loads: loads, At: at})
			if bad := differs(rationals(want), rationals(picks.P), fmt.Sprintf("%s, at %v, with lingering failures %v", describe(fleet, loads), at, counted)); bad != nil {
				return *bad
			}
			looks++
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("at %d moments of %d histories", looks, histories)}
}
