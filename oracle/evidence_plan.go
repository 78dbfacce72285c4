package oracle

import (
	"fmt"
	"math"
)

// PicksFor is the number of picks to take at each of the states, one after
// another, so that a balancer that keeps its claim is Acquitted(delta), except
// with probability alpha that it is convicted and probability beta that the bound
// does not get there. It is small where the claim leaves no choice.
//
// The frequencies of an honest balancer that may pick k groups are within x of
// its claim on every set of them, except with probability (2^k-2) exp(-2 t x²)
// (Azuma 1967), and beta is divided evenly among the states; strays add the
// contamination, once to the frequencies and once to the bound. So t is the
// smallest number with which the bound, for frequencies that far off, is at most
// delta. A law with memory is planned for as if it left every pick open, except
// for RoundRobin, which leaves the first.
//
// It fails when a parameter is out of range, a state is not valid, or 2^50 picks
// are not enough.
func (a Audit) PicksFor(states []State, delta, beta float64) (int, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if !(beta > 0 && beta < 1) {
		return 0, fmt.Errorf("oracle: beta is %v, want a probability in (0, 1)", beta)
	}
	if !(delta > 2*a.Contamination && delta <= 1) {
		return 0, fmt.Errorf("oracle: delta is %v, want more than %v, twice the contamination, and at most 1", delta, 2*a.Contamination)
	}
	if len(states) == 0 {
		return 0, fmt.Errorf("oracle: no state to take picks at, want at least one")
	}
	beta /= float64(len(states))
	alpha := share(a.Alpha, len(states)) // of the last view, the smallest
	most := 0
	for _, s := range states {
		allowed, groups, err := a.allowed(s)
		if err != nil {
			return 0, err
		}
		if groups == 1 {
			most = max(most, 1) // there is nothing to be wrong about
			continue
		}
		_, rotates := a.Claim.(RoundRobin)
		picks := leastPicks(func(t int) bool {
			certain, distance := 0, 0.0
			switch {
			case allowed == 1:
				certain = t
			case rotates && a.Contamination == 0:
				certain, distance = t-1, 1
			default:
				distance = min(1, a.Contamination+math.Sqrt((logSets(allowed)-math.Log(beta))/(2*float64(t))))
			}
			return within(certain, t-certain, allowed, distance, alpha)+a.Contamination <= delta
		})
		if picks > mostPicks {
			return 0, fmt.Errorf("oracle: delta is %v, which would take more than 2^50 picks; want a larger one", delta)
		}
		most = max(most, picks)
	}
	return most, nil
}

// allowed counts the groups of a state, and those of them that may be picked:
// strays may pick all.
func (a Audit) allowed(s State) (allowed, groups int, err error) {
	p, err := a.Claim.Probabilities(s)
	if err != nil {
		return 0, 0, err
	}
	v := newView(s, a.groups(s), 1)
	if a.Contamination > 0 {
		return len(v.groups), len(v.groups), nil
	}
	return possible(floats(v.rationals(p))), len(v.groups), nil
}

const mostPicks = 1 << 50

// leastPicks is the smallest number from 1 that is enough, when all larger ones
// are; more than mostPicks when none below is.
func leastPicks(enough func(t int) bool) int {
	high := 1
	for !enough(high) {
		if high *= 2; high > mostPicks {
			return high
		}
	}
	low := high / 2 // not enough, unless high is 1
	for high-low > 1 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
