package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// Spellings lists how laws are written; D stands for a number of choices, and
// brackets hold what may be left out.
func Spellings() []string {
	return []string{
		"random",
		"weighted-random",
		"round-robin",
		"smooth-weighted",
		"weighted-round-robin",
		"least-request",
		"weighted-least-request",
		"envoy-weighted",
		"lowest-index",
		"two-lightest",
		"power-of-d:D[:replacement][:lowest-index]",
		"heavier-of-d:D",
	}
}

// ParseLaw reads the spelling of a law, as String writes it. The error tells
// what is known.
func ParseLaw(spelling string) (Law, error) {
	switch spelling {
	case "random":
		return Random{}, nil
	case "weighted-random":
		return WeightedRandom{}, nil
	case "round-robin":
		return RoundRobin{}, nil
	case "smooth-weighted":
		return SmoothWeighted{}, nil
	case "weighted-round-robin":
		return WeightedRoundRobin{}, nil
	case "least-request":
		return LeastRequest{}, nil
	case "weighted-least-request":
		return WeightedLeastRequest{}, nil
	case "envoy-weighted":
		return EnvoyWeighted{}, nil
	case "lowest-index":
		return LowestIndex{}, nil
	case "two-lightest":
		return TwoLightest{}, nil
	}
	name, rest, _ := strings.Cut(spelling, ":")
	choices, rest, _ := strings.Cut(rest, ":")
	var law Law
	switch name {
	case "power-of-d":
		d, err := parseChoices(spelling, choices)
		if err != nil {
			return nil, err
		}
		rest, lowest := cutOption(rest, "lowest-index")
		rest, replacement := cutOption(rest, "replacement")
		if rest == "" {
			law = PowerOfD{D: d, Replacement: replacement, LowestIndex: lowest}
		}
	case "heavier-of-d":
		d, err := parseChoices(spelling, choices)
		if err != nil {
			return nil, err
		}
		if rest == "" {
			law = HeavierOfD{D: d}
		}
	}
	// One law, one spelling: whatever would be written differently is refused.
	if law == nil || law.String() != spelling {
		return nil, fmt.Errorf("oracle: no law is spelled %s, want one of %s", quoted(spelling), strings.Join(Spellings(), ", "))
	}
	return law, nil
}

// cutOption takes an option off the end of a list that colons separate.
func cutOption(list, option string) (rest string, found bool) {
	if list == option {
		return "", true
	}
	return strings.CutSuffix(list, ":"+option)
}

func parseChoices(spelling, choices string) (int, error) {
	d, err := strconv.Atoi(choices)
	if err != nil || d < 1 || d > MaxChoices {
		return 0, fmt.Errorf("oracle: the number of choices in %s is %s, want 1 to %d", quoted(spelling), quoted(choices), MaxChoices)
	}
	return d, nil
}
