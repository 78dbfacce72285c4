package mutants

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Text writes the report as a table and what follows from it.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	s := r.Summary
	if len(s.Red) > 0 {
		b.WriteString("The suite is not green without any mutant, so nothing has been run:\n")
		for _, red := range s.Red {
			fmt.Fprintf(&b, "  %s\n", red)
		}
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(r.Mutants) > 0 {
		fmt.Fprintf(w, "mutant\tstatus\tseconds\tlaw off by\tmean time\tcaught by\n")
	}
	for _, m := range r.Mutants {
		law, mean := far(m)
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%s\t%s\n", m.ID, m.Status, m.Seconds, law, mean, few(m.CaughtBy, m.Predicted))
	}
	w.Flush()
	if slices.ContainsFunc(r.Mutants, MutantResult.profiled) {
		b.WriteString(`
For bugs in policies: the largest difference between the probabilities of a pick
over the enumerated views, or the part of the keys that moves; and the mean time in
system of three servers under load 0.8, from the reference's to the bug's.
`)
	}
	for _, m := range r.Mutants {
		if m.Reason != "" && m.Status != Equivalent {
			fmt.Fprintf(&b, "\n%s is %s: %s\n", m.ID, m.Status, m.Reason)
		}
		if m.Status == Survived {
			fmt.Fprintf(&b, "\n%s survived: %s\n", m.ID, m.Story)
		}
		for _, wrong := range m.Wrong {
			fmt.Fprintf(&b, "\nwrong prediction for %s: %s\n", m.ID, wrong)
		}
	}
	if len(s.OnlyOne) > 0 {
		b.WriteString("\nCaught by one property alone:\n")
		for _, p := range slices.Sorted(maps.Keys(s.OnlyOne)) {
			fmt.Fprintf(&b, "  %s: %s\n", p, strings.Join(s.OnlyOne[p], ", "))
		}
	}
	if len(s.CatchNothing) > 0 {
		fmt.Fprintf(&b, "\nProperties that catch nothing: %s\n", strings.Join(s.CatchNothing, ", "))
	}
	if len(s.Shadowed) > 0 {
		b.WriteString("\nProperties that catch nothing but what another of their family does:\n")
		for _, p := range slices.Sorted(maps.Keys(s.Shadowed)) {
			fmt.Fprintf(&b, "  %s: %s\n", p, cmp.Or(s.Shadowed[p], "(no reason)"))
		}
	}
	for _, wrong := range s.WrongReasons {
		fmt.Fprintf(&b, "\nwrong reason: %s\n", wrong)
	}
	fmt.Fprintf(&b, "\n%d of %d mutants%s: %d caught, %d survived, %d broken, %d equivalent; %d with a wrong prediction\n",
		len(r.Mutants), s.Catalog, inShard(s.Shard), s.Caught, s.Survived, s.Broken, s.Equivalent, s.WrongPredictions)
	fmt.Fprintf(&b, "build %.1f s, the suite without a mutant %.1f s, all %.1f s\n", s.BuildSeconds, s.BaselineSeconds, s.Seconds)
	_, err := io.WriteString(out, b.String())
	return err
}

func inShard(shard string) string {
	if shard == "" {
		return ""
	}
	return " in shard " + shard
}

// few names the predicted properties first, and at most three in all.
func few(caughtBy, predicted []string) string {
	names := slices.Clone(caughtBy)
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Index(append(predicted, a), a) - slices.Index(append(predicted, b), b)
	})
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("and %d more", len(names)-3))
	}
	return strings.Join(names, ", ")
}
