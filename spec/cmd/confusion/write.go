package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/picklaw/picklaw/spec"
)

// write writes the document.
func write(out io.Writer, references []*job, planted []*bug) {
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	told, equivalent := 0, 0
	for _, b := range planted {
		switch {
		case b.told:
			told++
		case b.Equivalent != "":
			equivalent++
		}
	}
	clean := 0
	for _, j := range references {
		if j.result != nil && len(j.result.Deviations) == 0 {
			clean++
		}
	}
	line("# What picklaw identify names\n")
	line("`make identify` writes this file. The law that a balancer follows is refuted, or anything is said that is not so,")
	line("with probability %g at most in each run.\n", spec.DefaultAlpha)
	line("## Reference policies\n")
	line("Of %d subjects, %d show nothing that contradicts what is named. A learner is latency-driven, and follows a law of", len(references), clean)
	line("loads only while it knows nothing; the schedule of envoy-weighted is none of the known laws.\n")
	line("| policy | named | picks | said besides |\n|---|---|---|---|")
	for _, j := range references {
		picks := 0
		if j.result != nil {
			picks = j.result.Picks
		}
		line("| %s | %s | %d | %s |", j.subject, j.named(), picks, cell(j.said()))
	}
	line("\n## Planted bugs\n")
	line("%d of %d bugs are told from their reference: another law is named or none, or something is said that is not said of", told, len(planted))
	line("the reference. %d of the other %d change nothing at all; each of them has its reason in the last column.\n", equivalent, len(planted)-told)
	line("A bug of leases is looked for in %s, in this order.\n", strings.Join(leased, ", "))
	line("| bug | in | named | told apart by |\n|---|---|---|---|")
	for _, b := range planted {
		in, by := b.seen.subject, cell(b.besides)
		switch {
		case !b.told:
			in, by = strings.Join(b.subjects, ", "), "**not told apart.** "+b.why()
		case by == "":
			by = "the law"
		}
		line("| %s | %s | %s | %s |", b.ID, in, b.seen.named(), by)
	}
}

// cell is a list in a cell of a table, of which the first few say enough.
func cell(all []string) string {
	const enough = 4
	more := ""
	if len(all) > enough {
		more = fmt.Sprintf("; and %d more", len(all)-enough)
		all = all[:enough]
	}
	return strings.ReplaceAll(strings.Join(all, "; "), "|", "/") + more
}
