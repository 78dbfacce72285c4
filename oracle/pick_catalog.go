package oracle

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var pickEntries = []Entry{
	{
		Name: "pick-law",
		Doc:  "The exact probability of each server at one pick.",
		Params: []Param{
			{Name: "policy", Doc: "the law: " + strings.Join(Spellings(), ", ")},
			{Name: "loads", Doc: "load of each server, separated by commas"},
			{Name: "weights", Doc: "weight of each server, separated by commas, or equal", Default: "equal"},
			{Name: "history", Doc: "earlier picks as indices, oldest first, separated by commas, or none", Default: "none"},
		},
		Example: "policy=power-of-d:2 loads=0,1,2",
		Source:  "counting the draws that each group of equal loads wins; for rotations, the definition",
		eval:    evalPickLaw,
	},
	{
		Name: "remap",
		Doc:  "The part of all keys that changes its server when a server joins or leaves, on average over the hashes.",
		Params: []Param{
			{Name: "scheme", Doc: strings.Join(RemapSchemes(), ", ")},
			{Name: "n", Doc: "servers before the change, 1 to 1000000000"},
		},
		Example: "scheme=ring n=10",
		Source:  "Karger et al. 1997; Thaler and Ravishankar 1998; for hash-mod the Chinese remainder theorem",
		eval:    evalRemap,
	},
	{
		Name: "swrr",
		Doc:  "Smooth weighted round robin: the cycle of picks, the law at a random phase, and the largest deviation from the quota.",
		Params: []Param{
			{Name: "weights", Doc: "weight of each server, separated by commas, positive; their sum over the common divisor is at most 65536"},
		},
		Example: "weights=5,1,1",
		Source:  "Sysoev 2012 (nginx); deviations counted over the whole cycle",
		eval:    evalSmoothWeighted,
	},
}

func evalPickLaw(a *arguments) (Answer, error) {
	law, err := ParseLaw(a.text["policy"])
	if err != nil {
		return Answer{}, bare(err)
	}
	a.read["policy"] = law.String()
	s := State{Loads: list(a, "loads", parseLoad, "numbers such as 0,1,2, each 0 or from 2^-53 to 2^53")}
	if a.text["weights"] != "equal" {
		s.Weights = list(a, "weights", parseWeight, "positive whole numbers such as 5,1,1, or equal")
	} else {
		a.read["weights"] = "equal"
	}
	if a.text["history"] != "none" {
		s.History = list(a, "history", strconv.Atoi, "indices such as 0,1, or none")
	} else {
		a.read["history"] = "none"
	}
	if err := a.check(s); err != nil {
		return Answer{}, bare(err)
	}
	if err := Fits(law, len(s.Loads)); err != nil {
		return Answer{}, bare(err)
	}
	p, err := law.Probabilities(s)
	if err != nil {
		return Answer{}, bare(err)
	}
	var answer Answer
	answer.put("law", p, 0.0)
	return answer, nil
}

func evalRemap(a *arguments) (Answer, error) {
	a.read["scheme"] = a.text["scheme"]
	r := Remap{Scheme: a.text["scheme"], N: a.integer("n")}
	if err := a.check(r); err != nil {
		return Answer{}, err
	}
	var answer Answer
	answer.put("moved_on_join", r.Join(), 0.0)
	answer.put("moved_on_leave", r.Leave(), 0.0)
	return answer, nil
}

func evalSmoothWeighted(a *arguments) (Answer, error) {
	s := State{Weights: list(a, "weights", parseWeight, "positive whole numbers such as 5,1,1")}
	s.Loads = make([]float64, len(s.Weights)) // of no account
	if err := a.check(s); err != nil {
		return Answer{}, err
	}
	cycle, err := s.cycle()
	if err != nil {
		return Answer{}, bare(err)
	}
	law, err := SmoothWeighted{}.Probabilities(s)
	if err != nil {
		return Answer{}, bare(err)
	}
	prefix, window := cycle.deviation(len(s.Weights))
	var answer Answer
	answer.put("period", len(cycle), 0.0)
	answer.put("sequence", []int(cycle), 0.0)
	answer.put("law", law, 0.0)
	answer.put("largest_deviation", prefix, 0.0)
	answer.put("largest_deviation_in_a_window", window, 0.0)
	return answer, nil
}

// bare takes the name of the package off an error, since Eval puts it on.
func bare(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "oracle: ")) }

// mostServers bounds the lists of a question.
const mostServers = 1000

// list reads values separated by commas.
func list[T any](a *arguments, name string, parse func(string) (T, error), want string) []T {
	words := strings.Split(a.text[name], ",")
	var err error
	if len(words) > mostServers {
		err, want = strconv.ErrRange, fmt.Sprintf("at most %d values", mostServers)
	}
	values := make([]T, 0, min(len(words), mostServers))
	for _, word := range words {
		if err != nil {
			break
		}
		var v T
		v, err = parse(strings.TrimSpace(word))
		values = append(values, v)
		if err != nil && len(words) > 1 && a.err == nil {
			a.err = fmt.Errorf("%s has %s, want %s", name, quoted(word), want)
		}
	}
	return keep(a, name, values, err, want)
}

// parseLoad reads a load. Numbers that are no loads are left to State.Validate,
// except those whose exact form would be unwieldy.
func parseLoad(word string) (float64, error) {
	x, err := strconv.ParseFloat(word, 64)
	if err == nil && !math.IsInf(x, 0) && (x > 1<<53 || x != 0 && math.Abs(x) < 0x1p-53) {
		err = strconv.ErrRange
	}
	return x + 0, err // a negative zero becomes a positive one
}

func parseWeight(word string) (uint64, error) {
	w, err := strconv.ParseUint(word, 10, 64)
	if err == nil && w == 0 {
		err = strconv.ErrRange
	}
	return w, err
}
