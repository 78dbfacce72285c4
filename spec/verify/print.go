package verify

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/picklaw/picklaw/spec"
)

// Print writes a table for each subject, then the diagnoses of what failed.
func (s Summary) Print(out io.Writer, docs map[string]string) {
	for _, r := range s.Reports {
		fmt.Fprintf(out, "%s  %s\n", r.Subject, docs[r.Subject])
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "  property\texpected\tobserved\tverdict")
		left := 0
		for _, p := range r.Properties {
			if p.Verdict == spec.NotClaimed {
				left++
				continue
			}
			verdict := string(p.Verdict)
			if p.Pinned != "" {
				verdict += ", known"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", p.Name, cell(p.Expected), cell(observed(p)), paint(out, p.Verdict, verdict))
		}
		w.Flush()
		fmt.Fprintf(out, "  %s not claimed", plural(left, "property is", "properties are"))
		if len(r.CouldClaim) > 0 {
			fmt.Fprintf(out, ", of which it could claim %s", strings.Join(r.CouldClaim, ", "))
		}
		fmt.Fprint(out, "\n\n")
	}
	for _, r := range s.Reports {
		for _, p := range r.Failures() {
			fmt.Fprintf(out, "%s: %v\n", r.Subject, p)
		}
	}
	known := 0
	for _, r := range s.Reports {
		for _, p := range r.Failures() {
			if p.Pinned != "" && p.Verdict == spec.Violated {
				known++
			}
		}
	}
	text := tally(s.Summary)
	if known > 0 {
		text += fmt.Sprintf("; %d of the violations are known", known)
	}
	fmt.Fprintf(out, "%s: %s; false alarms at most %g\n", plural(len(s.Reports), "subject", "subjects"), text, s.Alpha)
}

// paint colours a verdict, in the last column of a table, where nothing is
// aligned behind it; on a terminal alone, and not where NO_COLOR is set.
func paint(out io.Writer, v spec.Verdict, text string) string {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return text
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return text
	}
	colour := map[spec.Verdict]string{spec.Holds: "32", spec.Violated: "31", spec.Undecided: "33", spec.HarnessError: "35"}[v]
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func observed(p spec.PropertyResult) string {
	if p.Tier == spec.Sampled && p.Samples > 0 {
		return fmt.Sprintf("%s (%d picks)", p.Observed, p.Samples)
	}
	return p.Observed
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// cell is one line of a table, short enough for a terminal.
func cell(text string) string {
	text, _, _ = strings.Cut(spec.Printable(text), "\n")
	const width = 64
	if r := []rune(text); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return text
}

func tally(summary map[spec.Verdict]int) string {
	order := []spec.Verdict{spec.Holds, spec.Violated, spec.Undecided, spec.HarnessError, spec.NotClaimed}
	var words []string
	for _, v := range order {
		if n := summary[v]; n > 0 || v == spec.Holds {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(words, ", ")
}

// find returns the subject of that name.
func find(subjects []spec.Subject, name string) (spec.Subject, error) {
	i := slices.IndexFunc(subjects, func(s spec.Subject) bool { return s.Name == name })
	if i < 0 {
		return spec.Subject{}, fmt.Errorf("verify: no subject is named %q", name)
	}
	return subjects[i], nil
}

func listings(subjects []spec.Subject) []Listing {
	list := make([]Listing, len(subjects))
	for i, s := range subjects {
		list[i] = Listing{s.Name, cmp.Or(s.Doc, "no description")}
	}
	return list
}
