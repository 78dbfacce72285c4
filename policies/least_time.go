package policies

import "time"

// A Latency policy learns how long each server takes, and scores by it. EWMA and
// PeakEWMA are the two estimators.
type Latency interface {
	Stateful
	Member
	Learner
	Scorer
	// Estimate is the latency expected of a server at a time, in seconds.
	Estimate(id ServerID, now time.Duration) float64
}

// LeastTime picks the server with the smallest estimated latency, and looks at
// no load: until an answer comes back it does not see how many requests it has
// sent to the fastest server.
type LeastTime struct {
	D       int     // servers to compare, 0 for all
	Latency Latency // the estimator
}

// Pick compares the estimates of D servers, or of all of them.
func (l *LeastTime) Pick(_ Request, v View, c Coins) int { return best(l.D, v, c, l.Score) }

// Score is the estimated latency of server i, in seconds.
func (l *LeastTime) Score(v View, i int) float64 {
	return l.Latency.Estimate(v.Server(i).ID, v.Now())
}

// Observe passes the outcome on to the estimator.
func (l *LeastTime) Observe(id ServerID, o Outcome) { l.Latency.Observe(id, o) }

// Update passes the fleet on to the estimator.
func (l *LeastTime) Update(all []Server) { l.Latency.Update(all) }

// Clone returns an independent copy.
func (l *LeastTime) Clone() Policy {
	return &LeastTime{D: l.D, Latency: l.Latency.Clone().(Latency)}
}

// State is that of the estimator.
func (l *LeastTime) State() string { return l.Latency.State() }

// Check says what is wrong with the parameters.
func (l *LeastTime) Check() error {
	if l.Latency == nil {
		return errNil("LeastTime.Latency", "Latency, such as *EWMA or *PeakEWMA")
	}
	return firstError(checkD("LeastTime.D", l.D, 0), Check(l.Latency))
}
