package mutants

import "slices"

// policyMutants are bugs of the rules themselves.
var policyMutants = slices.Concat(
	randomMutants,
	leastMutants,
	powerOfDMutants,
	roundRobinMutants,
	learnerMutants,
	keyMutants,
	weightedMutants,
	mapMutants,
	latencyMutants,
	envoyMutants,
	lingeringMutants,
)
