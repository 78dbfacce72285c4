package oracle

import "math/big"

// WeightedLeastRequest picks uniformly among the servers with the smallest
// (load+1)/weight: where one more request would be the least burden.
type WeightedLeastRequest struct{}

// String is "weighted-least-request".
func (WeightedLeastRequest) String() string { return "weighted-least-request" }

// Ties groups the servers with exactly equal burdens, the smallest first.
func (WeightedLeastRequest) Ties(s State) [][]int {
	burden := make([]*big.Rat, len(s.Loads))
	for i := range burden {
		burden[i] = s.burden(i)
	}
	return ranks(len(burden), func(i, j int) int { return burden[i].Cmp(burden[j]) })
}

// Probabilities is 1/m for each of the m minima and 0 for the others.
func (l WeightedLeastRequest) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return evenly(len(s.Loads), l.Ties(s), certain), nil
}

// EnvoyWeighted picks a server with a probability proportional to
//
//	weight / (load + 1).
//
// It is what Envoy's least request does between servers of unequal weights, with
// its default active_request_bias of 1: a weighted rotation in which a busy
// server counts less (Envoy documentation, "Weighted least request"). The law is
// that of a pick at a random point of the rotation. It never shuns a busy server
// altogether, unlike WeightedLeastRequest.
type EnvoyWeighted struct{}

// String is "envoy-weighted".
func (EnvoyWeighted) String() string { return "envoy-weighted" }

// Probabilities is the inverse burden over the sum of them.
func (EnvoyWeighted) Probabilities(s State) ([]*big.Rat, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	parts := make([]*big.Rat, len(s.Loads))
	for i := range parts {
		parts[i] = new(big.Rat).Inv(s.burden(i))
	}
	return normalized(parts), nil
}

// burden is (load+1)/weight, exactly.
func (s State) burden(i int) *big.Rat {
	b := new(big.Rat).SetFloat64(s.Loads[i])
	b.Add(b, big.NewRat(1, 1))
	return b.Quo(b, new(big.Rat).SetInt(new(big.Int).SetUint64(s.weight(i))))
}
