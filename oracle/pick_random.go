package oracle

import "math/big"

// Random picks every server with probability 1/n.
type Random struct{}

// String is "random".
func (Random) String() string { return "random" }

// Probabilities is 1/n for each server.
func (Random) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	n := len(s.Loads)
	all := [][]int{indices(n)}
	return evenly(n, all, func(int, int) *big.Rat { return big.NewRat(1, 1) }), nil
}

// WeightedRandom picks a server with a probability proportional to its weight.
// Without weights it is Random.
type WeightedRandom struct{}

// String is "weighted-random".
func (WeightedRandom) String() string { return "weighted-random" }

// Probabilities is weight over the sum of weights.
func (WeightedRandom) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	parts := make([]*big.Rat, len(s.Loads))
	for i := range parts {
		parts[i] = new(big.Rat).SetInt(new(big.Int).SetUint64(s.weight(i)))
	}
	return normalized(parts), nil
}

// normalized divides positive numbers by their sum.
func normalized(parts []*big.Rat) []*big.Rat {
	sum := new(big.Rat)
	for _, x := range parts {
		sum.Add(sum, x)
	}
	for i, x := range parts {
		parts[i] = new(big.Rat).Quo(x, sum)
	}
	return parts
}
