package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Answer is what one oracle says about one question. It marshals to the
// object that `picklaw oracle --json` prints:
//
//	{"oracle", "params", "values": {name: value}, "error": {name: number or word}, "source"}
//
// Infinite and undefined numbers are null. Times are in units of the mean
// service time.
type Answer struct {
	Oracle string
	// Params holds the parameters as they were understood. A real number is the
	// float64 next to what was written, and the answer is about that float64.
	Params map[string]any
	Values Values
	// Error says for each value how far it can be from the truth: a float64, which
	// bounds the absolute difference (for a list, in each entry), or one of the
	// words Estimate and Limit.
	Error  map[string]any
	Source string
}

// A Word stands in Answer.Error where no number bounds the error.
type Word string

// The words of Answer.Error.
const (
	Estimate Word = "estimate" // an approximation of unknown error
	Limit    Word = "limit"    // exact as n goes to infinity; says nothing about a given n
)

// Values are the named results of an oracle, in the order they are shown in.
type Values []Value

// A Value is a named result: a float64, int, *big.Rat, string, or a list of one
// of the first three or of strings. A list named tails starts at k = 1.
type Value struct {
	Name  string
	Value any
}

// Get returns the value of that name.
func (v Values) Get(name string) (any, bool) {
	i := slices.IndexFunc(v, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return nil, false
	}
	return v[i].Value, true
}

// put adds a value with its error: a float64 or a Word.
func (a *Answer) put(name string, value, bound any) {
	switch value.(type) {
	case float64, int, *big.Rat, string, []float64, []int, []*big.Rat, []string:
	default:
		panic(fmt.Sprintf("oracle: value %s has type %T", name, value))
	}
	switch bound.(type) {
	case float64, Word:
	default:
		panic(fmt.Sprintf("oracle: the error of %s has type %T, want float64 or Word", name, bound))
	}
	if a.Error == nil {
		a.Error = make(map[string]any)
	}
	a.Values = append(a.Values, Value{name, value})
	a.Error[name] = bound
}

// MarshalJSON writes the object described at Answer.
func (a Answer) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Oracle string         `json:"oracle"`
		Params map[string]any `json:"params"`
		Values Values         `json:"values"`
		Error  map[string]any `json:"error"`
		Source string         `json:"source"`
	}{a.Oracle, plainMap(a.Params), a.Values, plainMap(a.Error), a.Source})
}

// MarshalJSON writes one object whose fields keep their order.
func (v Values) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, value := range v {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(value.Name)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(plain(value.Value))
		if err != nil {
			return nil, fmt.Errorf("value %s: %w", value.Name, err)
		}
		out = append(append(append(out, name...), ':'), text...)
	}
	return append(out, '}'), nil
}

func plainMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = plain(v)
	}
	return out
}

// plain turns a value into what encoding/json understands: rationals become
// strings, numbers without a finite value nil.
func plain(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
	case *big.Rat:
		return v.RatString()
	case []float64:
		return plainList(v)
	case []*big.Rat:
		return plainList(v)
	}
	return v
}

func plainList[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = plain(v)
	}
	return out
}

// String renders the answer for people: a line for the question, one for each
// value with its error or a few for a long list, one for the source.
func (a Answer) String() string {
	var b strings.Builder
	b.WriteString(a.Oracle)
	for _, name := range slices.Sorted(maps.Keys(a.Params)) {
		fmt.Fprintf(&b, " %s=%s", name, echo(a.Params[name]))
	}
	b.WriteByte('\n')
	width := 0
	for _, v := range a.Values {
		width = max(width, utf8.RuneCountInString(v.Name))
	}
	below := "\n" + strings.Repeat(" ", 2+width+2)
	for _, v := range a.Values {
		value := strings.ReplaceAll(show(v.Value), "\n", below)
		fmt.Fprintf(&b, "  %-*s  %s  %s\n", width, v.Name, value, showError(a.Error[v.Name]))
	}
	fmt.Fprintf(&b, "source: %s\n", a.Source)
	return b.String()
}

// echo shows a parameter as it was understood: numbers to the last digit, since
// the answer is about that very number, and long lists cut.
func echo(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		return echoList(v)
	case []uint64:
		return echoList(v)
	case []int:
		return echoList(v)
	}
	return show(v)
}

// mostEchoed is how many values of a list are repeated.
const mostEchoed = 16

func echoList[T any](list []T) string {
	words := make([]string, 0, mostEchoed+1)
	for _, v := range list[:min(len(list), mostEchoed)] {
		words = append(words, echo(v))
	}
	text := strings.Join(words, ",")
	if len(list) > mostEchoed {
		text += fmt.Sprintf(",... (%d values)", len(list))
	}
	return text
}

func showError(bound any) string {
	switch bound := bound.(type) {
	case float64:
		if bound == 0 {
			return "(exact)"
		}
		return "(error at most " + strconv.FormatFloat(bound, 'g', 2, 64) + ")"
	default:
		return fmt.Sprintf("(%v)", bound)
	}
}

func show(v any) string {
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "undefined or infinite"
		}
		return strconv.FormatFloat(v, 'g', 10, 64)
	case *big.Rat:
		return v.RatString()
	case []float64:
		return showList(v)
	case []*big.Rat:
		return showList(v)
	case []int:
		return showList(v)
	case []uint64:
		return showList(v)
	case []string:
		return strings.Join(v, " ")
	default:
		return fmt.Sprint(v)
	}
}

// inLine is how many values of a list are shown in one line.
const inLine = 8

func showList[T any](list []T) string {
	var b strings.Builder
	for i, v := range list {
		switch {
		case i == 0:
		case i%inLine == 0:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(show(v))
	}
	return b.String()
}
