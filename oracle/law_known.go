package oracle

import "fmt"

// Fits tells whether a law means what it says in a fleet of n servers. A law
// that draws more distinct servers than there are is still defined (it compares
// them all), but whoever asks for it by name should hear that it is another law.
func Fits(l Law, n int) error {
	d, distinct := 0, true
	switch l := l.(type) {
	case PowerOfD:
		d, distinct = l.D, !l.Replacement
	case HeavierOfD:
		d = l.D
	}
	if distinct && d > n {
		return fmt.Errorf("oracle: %v draws %d distinct servers and the fleet has %d, want at most that many choices", l, d, n)
	}
	return nil
}

// KnownLaws lists the laws that are known to occur in practice where all weights
// are equal, each different from all the others in some state of n servers: the
// candidates of a diagnosis and the rivals to bet on.
func KnownLaws(n int) []Law {
	known := []Law{Random{}}
	if n < 2 {
		return known
	}
	known = append(known, RoundRobin{}, LeastRequest{}, LowestIndex{})
	if n > 2 { // a coin between both of two servers is Random
		known = append(known, TwoLightest{})
	}
	known = append(known, HeavierOfD{D: 2})
	for d := 2; d <= 5; d++ {
		for _, lowest := range []bool{false, true} {
			if d < n { // all of the servers are compared by LeastRequest and LowestIndex
				known = append(known, PowerOfD{D: d, LowestIndex: lowest})
			}
			known = append(known, PowerOfD{D: d, Replacement: true, LowestIndex: lowest})
		}
	}
	return known
}

// WeightedLaws lists the laws that are known besides where weights differ.
func WeightedLaws() []Law {
	return []Law{WeightedRandom{}, SmoothWeighted{}, WeightedLeastRequest{}, EnvoyWeighted{}}
}
