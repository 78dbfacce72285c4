package opinion

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// table are the scores as rows of cells.
func (r *Report) table() [][]string {
	rows := [][]string{{"package", "mutations", "run", "left", "not viable", "not covered", "killed by the suite", "by tests", "timeout",
		"broken", "survived", "equivalent", "cost", "explained", "open"}}
	scores := r.Scores
	if len(scores) > 1 {
		scores = append(slices.Clone(scores), r.Total())
	}
	for _, s := range scores {
		row := []string{s.Package}
		for _, n := range []int{s.There, s.Run, s.NotRun, s.NotViable, s.NotCovered, s.BySuite, s.ByTests, s.TimedOut,
			s.Broken, s.Survived(), s.Equivalent, s.Cost, s.Explained, s.Open} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	return rows
}

// open are the results that need someone to look at them.
func (r *Report) open() []Result {
	var all []Result
	for _, x := range r.Results {
		if x.Status == Broken || x.Status == Survived && x.Kind == "" || x.Status == Killed && x.Kind != "" {
			all = append(all, x)
		}
	}
	return all
}

// Text writes the score and what needs a look.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range r.table() {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	for _, x := range r.open() {
		fmt.Fprintf(&b, "\n%s:%d: %s\n  %s", x.File, x.Line, x.Key(), x.Status)
		switch x.Status {
		case Broken:
			fmt.Fprintf(&b, ": %s", x.How)
		case Killed:
			fmt.Fprintf(&b, " by %s, though it is known as %s: %s", x.By, x.Kind, x.Why)
		}
		b.WriteString("\n")
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, "\nTests that fail on clones alone, and are left out: %s\n", strings.Join(r.LeftOut, ", "))
	}
	fmt.Fprintf(&b, "\n%.0f s of mutations\n", r.Seconds)
	_, err := io.WriteString(out, b.String())
	return err
}

// Document writes the report as a page.
func (r *Report) Document(out io.Writer) error {
	var b strings.Builder
	b.WriteString(`# A second opinion: generated mutations

Written by ` + "`make opinion`" + `, from

` + "    " + r.command() + `

Small changes are made to every function of these packages by the operators
below, one at a time. A change is held against the exact tier of the specification
and against the tests of its own package (` + "`go test -short`" + `), of both only what
runs the changed code, the quick parts first. So a change that both notice counts
for the one that came to it first.

`)
	for i, row := range r.table() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("--:|", len(row)-1))
		}
	}
	t := r.Total()
	fmt.Fprintf(&b, `
- *left*: in the sample, but not run yet.
- *killed by the suite*: a named property says violated; *by tests*: a test of the
  package fails, and no quicker property was violated. Nothing else is a kill, an exit code least of all.
- *not viable*: the type checker refuses it. *not covered*: no exact property and
  no short test of the package runs that code. *timeout*: still running after ten
  times what is usual and 2 s of the processor. *broken*: the suite fell over, and no test decides.
- *equivalent*: nothing can tell it from the reference. *cost*: it changes time or
  memory alone. *explained*: it could be told apart. *open*: nobody has looked.

Of the %d that run and compile and are no equivalents, %.1f%% are killed.

## Operators

| operator | what it does | run | killed |
|---|---|--:|--:|
`, t.Killed()+t.Survived()-t.Equivalent+t.TimedOut+t.Broken,
		100*float64(t.Killed())/float64(max(1, t.Killed()+t.Survived()-t.Equivalent+t.TimedOut+t.Broken)))
	for _, o := range Operators {
		run, killed := 0, 0
		for _, x := range r.Results {
			if x.Operator == o.Name && x.Status != NotViable {
				run++
				if x.Status == Killed {
					killed++
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", o.Name, strings.ReplaceAll(o.Does, "|", "\\|"), run, killed)
	}
	r.properties(&b)
	r.survivors(&b)
	r.others(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// command is how the report is made again.
func (r *Report) command() string {
	c := "picklaw mutants opinion"
	for _, s := range r.Scores {
		c += " --package " + s.Package
		if part := r.Samples[s.Package]; part < 1 {
			c += fmt.Sprintf(" --sample %s=%v", s.Package, part)
		}
	}
	return c + " --seed " + r.Seed
}

// properties lists what kills most.
func (r *Report) properties(b *strings.Builder) {
	kills := make(map[string]int)
	for _, x := range r.Results {
		if x.Status == Killed && x.Stage == bySuite {
			kills[x.By]++
		}
	}
	b.WriteString("\n## What kills\n\nThe suite stops at the first property that is violated, so another may be as good.\n\n")
	names := slices.SortedFunc(maps.Keys(kills), func(x, y string) int { return cmp.Or(kills[y]-kills[x], cmp.Compare(x, y)) })
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "`%s` %d", name, kills[name])
	}
	b.WriteString("\n")
}

// survivors lists them by their reasons.
func (r *Report) survivors(b *strings.Builder) {
	b.WriteString("\n## Survivors\n")
	for _, kind := range []Kind{Equivalent, Cost, Explained, ""} {
		var whys []string
		byWhy := make(map[string][]string)
		for _, x := range r.Results {
			if x.Status == Survived && x.Kind == kind {
				if byWhy[x.Why] == nil {
					whys = append(whys, x.Why)
				}
				byWhy[x.Why] = append(byWhy[x.Why], x.Key())
			}
		}
		if len(whys) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n", cmp.Or(string(kind), "open"))
		for _, why := range whys {
			fmt.Fprintf(b, "\n%s\n\n", cmp.Or(why, "No reason is known yet."))
			for _, key := range byWhy[why] {
				fmt.Fprintf(b, "    %s\n", key)
			}
		}
	}
}

// others lists timeouts and what is broken or not covered.
func (r *Report) others(b *strings.Builder) {
	for _, status := range []Status{Broken, TimedOut} {
		var keys []string
		for _, x := range r.Results {
			if x.Status == status {
				keys = append(keys, x.Key())
			}
		}
		if len(keys) > 0 {
			fmt.Fprintf(b, "\n## %s\n\n    %s\n", strings.ToUpper(string(status)[:1])+string(status)[1:], strings.Join(keys, "\n    "))
		}
	}
	type place struct{ name, why string }
	count := make(map[place]int)
	var places []place
	for _, x := range r.Results {
		if x.Status == NotCovered {
			at := place{x.Package + "." + x.Func, x.Why}
			if count[at]++; count[at] == 1 {
				places = append(places, at)
			}
		}
	}
	if len(places) == 0 {
		return
	}
	b.WriteString("\n## Not covered\n\nNeither the exact tier nor the short tests of the package run some code of these\nfunctions (with the number of mutations there):\n\n")
	for _, at := range places {
		fmt.Fprintf(b, "- `%s` (%d)", at.name, count[at])
		if at.why != "" {
			fmt.Fprintf(b, ": %s", at.why)
		}
		b.WriteString("\n")
	}
}
