package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Entry is one oracle that can be asked by name, as in
//
//	picklaw oracle mm1 rho=0.9
type Entry struct {
	Name    string
	Doc     string // one sentence
	Params  []Param
	Example string // parameters that make a question, "rho=0.9"
	Source  string

	eval func(*arguments) (Answer, error)
}

// A Param is a parameter of an Entry.
type Param struct {
	Name    string
	Doc     string // meaning, unit and range
	Default string // empty when the parameter is required
}

// Catalog lists every oracle that can be asked by name. Each file that answers
// questions contributes its own list here.
func Catalog() []Entry {
	return slices.Concat(
		mm1Entries,
		mmcEntries,
		mg1Entries,
		erlangArrivalsEntries,
		kingmanEntries,
		mm1bEntries,
		driftEntries,
		meanFieldEntries,
		refinedEntries,
		blastEntries,
		pickEntries,
		ballsEntries,
		ballsFluidEntries,
		staleEntries,
	)
}

// Lookup finds an oracle of the catalog by its name.
func Lookup(name string) (Entry, error) { return Find(Catalog(), name) }

// Find finds an oracle in a list by its name.
func Find(all []Entry, name string) (Entry, error) {
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, fmt.Errorf("oracle: there is no oracle %s, want one of %s", quoted(name),
			listed(all, func(e Entry) string { return e.Name }))
	}
	return all[i], nil
}

// ParseParams splits the words "key=value" of a command line.
func ParseParams(words []string) (map[string]string, error) {
	params := make(map[string]string, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("oracle: parameter %s, want key=value", quoted(word))
		}
		if old, twice := params[key]; twice {
			return nil, fmt.Errorf("oracle: parameter %.64s is given twice, as %s and as %s, want it once", key, quoted(old), quoted(value))
		}
		params[key] = value
	}
	return params, nil
}

// Eval answers the question with the parameters given, by name, as text. It
// fails when one is unknown, missing, malformed or out of range.
func (e Entry) Eval(params map[string]string) (Answer, error) {
	args := &arguments{text: make(map[string]string), read: make(map[string]any)}
	for _, p := range e.Params {
		value, ok := params[p.Name]
		switch {
		case ok:
			args.text[p.Name] = value
		case p.Default != "":
			args.text[p.Name] = p.Default
		default:
			return Answer{}, fmt.Errorf("oracle: %s needs %s=..., %s", e.Name, p.Name, p.Doc)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, known := args.text[name]; !known {
			return Answer{}, fmt.Errorf("oracle: %s has no parameter %s, want %s", e.Name, quoted(name),
				listed(e.Params, func(p Param) string { return p.Name }))
		}
	}
	answer, err := e.eval(args)
	if err != nil {
		return Answer{}, fmt.Errorf("oracle: %s: %w", e.Name, err)
	}
	answer.Oracle, answer.Params, answer.Source = e.Name, args.read, e.Source
	return answer, nil
}

func listed[T any](list []T, name func(T) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = name(v)
	}
	return strings.Join(words, ", ")
}
