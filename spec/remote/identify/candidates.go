package identify

import (
	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// candidates are the laws that are told apart on a fleet.
func candidates(fleet []spec.Server) []oracle.Law {
	known := oracle.KnownLaws(len(fleet))
	if weightsOf(fleet) != nil {
		known = append(known, weightedLaws()...)
	}
	return known
}

// weightedLaws are those that read weights.
func weightedLaws() []oracle.Law { return append(oracle.WeightedLaws(), oracle.WeightedRoundRobin{}) }

// weightsOf is nil when all weights are equal.
func weightsOf(fleet []spec.Server) []uint64 {
	var weights []uint64
	equal := true
	for _, s := range fleet {
		weights = append(weights, s.Weight)
		equal = equal && s.Weight == fleet[0].Weight
	}
	if equal {
		return nil
	}
	return weights
}

// views are the states that are played on a fleet.
func views(fleet []spec.Server) []oracle.State {
	all := oracle.Views(len(fleet))
	for i := range all {
		all[i].Weights = weightsOf(fleet)
		all[i].History = []int{0} // so that rotations show in what a state can tell
	}
	return all
}

func spellings(laws []oracle.Law) []string {
	names := make([]string, len(laws))
	for i, l := range laws {
		names[i] = l.String()
	}
	return names
}
