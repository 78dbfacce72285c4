package oracle

import "math/big"

// A State is everything that a pick law may depend on: one frozen moment of a
// balancer. All slices have one entry for each eligible server, in the order of
// the fleet.
type State struct {
	Loads   []float64 // what the balancer knows of each server; finite, not negative
	Weights []uint64  // nil when all are equal
	// History holds the earlier picks of the same balancer in this state, oldest
	// first, as indices. Laws without memory ignore it.
	History []int
}

// A Law says with which probability each server is picked in a state.
type Law interface {
	// String is the one spelling of the law, as the command line, JSON and
	// reports use it: "power-of-d:2".
	String() string
	// Probabilities returns the probability of each server, as exact rationals
	// that add up to 1. It fails, naming the value, when the law is not defined
	// in the state.
	Probabilities(State) ([]*big.Rat, error)
}
