package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// figures are the results of a run by name, as JSON knows them: numbers, lists
// of numbers, and nil for a number that is not finite.
type figures map[string]any

// figuresOf takes a result apart.
func figuresOf(result any) (figures, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	var f figures
	return f, json.Unmarshal(text, &f)
}

// combined are the figures of all runs together: counts are added up, the peak
// is the largest, and everything else is averaged. A list is combined number by
// number; the shorter of two goes on with zeros.
func combined(runs []figures) figures {
	if len(runs) == 1 {
		return runs[0]
	}
	all := make(figures)
	for name, value := range runs[0] {
		rule := average
		switch name {
		case "jobs", "lost", "goodput", "sent":
			rule = sum
		case "peak":
			rule = largestOf
		case "series":
			continue // of single runs only
		}
		if _, many := value.([]any); !many {
			all[name] = combine(rule, runs, func(f figures) any { return f[name] })
			continue
		}
		longest := 0
		for _, f := range runs {
			longest = max(longest, len(f[name].([]any)))
		}
		list := make([]any, longest)
		for k := range list {
			list[k] = combine(rule, runs, func(f figures) any {
				if values := f[name].([]any); k < len(values) {
					return values[k]
				}
				return 0.0
			})
		}
		all[name] = list
	}
	if e := combine(standardError, runs, func(f figures) any { return f["mean"] }); e != nil {
		all["mean_standard_error"] = e
	}
	return all
}

// combine applies a rule to one number of each run; nil if one is missing.
func combine(rule func([]float64) float64, runs []figures, number func(figures) any) any {
	var xs []float64
	for _, f := range runs {
		x, ok := number(f).(float64)
		if !ok {
			return nil
		}
		xs = append(xs, x)
	}
	return rule(xs)
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}
func average(xs []float64) float64   { return sum(xs) / float64(len(xs)) }
func largestOf(xs []float64) float64 { return slices.Max(xs) }

// standardError of the mean of two values or more.
func standardError(xs []float64) float64 {
	mean, squares := average(xs), 0.0
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	n := float64(len(xs))
	return math.Sqrt(squares / (n - 1) / n)
}

// print writes a table or one JSON object.
func (q *simulation) print(out io.Writer, params map[string]any, runs []figures) error {
	all := combined(runs)
	if !q.json {
		return printFigures(out, params, all, len(runs))
	}
	object := figures{"params": params}
	for name, value := range all {
		object[name] = value
	}
	if len(runs) > 1 {
		for i, f := range runs {
			f["seed"] = q.seed + uint64(i)
		}
		object["runs"] = runs
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	if err := e.Encode(object); err != nil {
		return &harnessError{err}
	}
	return nil
}

// printFigures writes a table in which long lists are abridged.
func printFigures(out io.Writer, params map[string]any, all figures, runs int) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%v in model %v, seed %v", params["policy"], params["model"], params["seed"])
	if runs > 1 {
		fmt.Fprintf(w, " and the %d after it", runs-1)
	}
	fmt.Fprintln(w)
	for _, name := range []string{"jobs", "lost", "goodput", "mean", "mean_standard_error", "p50", "p99", "p999", "ok_p99", "peak", "shares", "sent", "tails", "ewma"} {
		switch value := all[name].(type) {
		case float64:
			fmt.Fprintf(w, "  %s\t%s\n", name, number(value))
		case []any:
			fmt.Fprintf(w, "  %s\t%s\n", name, abridged(value))
		}
	}
	if err := w.Flush(); err != nil {
		return &harnessError{err}
	}
	return nil
}

// abridged lists the first numbers of a list.
func abridged(values []any) string {
	const most = 8
	var words []string
	for i, v := range values {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(values)-most))
			break
		}
		x, ok := v.(float64)
		if !ok {
			x = math.NaN()
		}
		words = append(words, number(x))
	}
	return strings.Join(words, " ")
}

// number prints whole numbers in full and others to six digits.
func number(x float64) string {
	if x == math.Floor(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
