package oracle

import "math"

// Views are loads of n servers at which the known laws differ: idle, a lone
// minimum, a lone maximum, two halves, pairs, and a staircase. Loads descend, so
// that a preference for low indices shows. No load is above n-1.
func Views(n int) []State {
	shapes := []func(i int) int{
		func(i int) int { return 0 },
		func(i int) int { return min(1, n-1-i) },
		func(i int) int { return max(0, min(1, n-1)-i) },
		func(i int) int { return min(1, (n-1-i)/max(n/2, 1)) },
		func(i int) int { return (n - 1 - i) / 2 },
		func(i int) int { return n - 1 - i },
	}
	var views []State
	seen := make(map[string]bool)
	for _, load := range shapes {
		s := State{Loads: make([]float64, n)}
		for i := range s.Loads {
			s.Loads[i] = float64(load(i))
		}
		if key := s.key(); n > 0 && !seen[key] {
			seen[key] = true
			views = append(views, s)
		}
	}
	return views
}

// MostTelling finds the state of a list at which the truth and the claim are
// cheapest to tell apart, and what that costs: see LimitPicks. The picks are
// +Inf when no state tells them apart.
func (a Audit) MostTelling(truth Law, list []State) (best State, picks float64, err error) {
	picks = math.Inf(1)
	for i, s := range list {
		limit, err := a.LimitPicks(truth, []State{s})
		if err != nil {
			return State{}, 0, err
		}
		if i == 0 || limit < picks {
			best, picks = s, limit
		}
	}
	return best, picks, nil
}

// Telling selects from a list a few states that tell the claim from every rival
// which the list can tell it from, at no more than twice the cost of the most
// telling state for that rival. The rivals are those
// of the audit.
func (a Audit) Telling(list []State) ([]State, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rivals := a.Rivals
	if rivals == nil {
		rivals = KnownLaws(len(list[0].Loads))
		if list[0].Weights != nil {
			rivals = append(rivals, WeightedLaws()...)
		}
	}
	var chosen []State
	for _, rival := range rivals {
		best, cost, err := a.MostTelling(rival, list)
		if err != nil {
			return nil, err
		}
		if math.IsInf(cost, 1) {
			continue
		}
		_, paid, err := a.MostTelling(rival, chosen)
		if err != nil {
			return nil, err
		}
		if paid > 2*cost {
			chosen = append(chosen, best)
		}
	}
	return chosen, nil
}
