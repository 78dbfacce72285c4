package oracle

import "math/big"

// RoundRobin picks the servers one after another, from a random start: the
// first pick is uniform, every other one is the cyclic successor of the last
// pick in State.History.
type RoundRobin struct{}

// String is "round-robin".
func (RoundRobin) String() string { return "round-robin" }

// predict is Probabilities for a state that is known to be valid.
func (RoundRobin) predict(s State) []float64 {
	p := make([]float64, len(s.Loads))
	if len(s.History) == 0 {
		for i := range p {
			p[i] = 1 / float64(len(p))
		}
		return p
	}
	p[(s.History[len(s.History)-1]+1)%len(p)] = 1
	return p
}

// Probabilities is uniform without a history, else 1 for the next in turn.
func (RoundRobin) Probabilities(s State) ([]*big.Rat, error) {
	if len(s.History) == 0 {
		return Random{}.Probabilities(s)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := make([]*big.Rat, len(s.Loads))
	for i := range p {
		p[i] = new(big.Rat)
	}
	next := (s.History[len(s.History)-1] + 1) % len(p)
	p[next].SetInt64(1)
	return p, nil
}
