package spec

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
)

// A Result is what a check found out.
type Result struct {
	Verdict      Verdict
	Finding      Finding // what went wrong, when it has a name
	Expected     string
	Observed     string
	Evidence     string
	Samples      int     // picks looked at; 0 in the exact tier
	LimitSamples float64 // picks that no test could do without, on average; 0 when unknown
	Diagnosis    *Diagnosis
	Trace        *Trace // when it was asked for
}

// A Diagnosis explains a failure.
type Diagnosis struct {
	Claim string `json:"claim,omitempty"`
	State string `json:"state,omitempty"`
	Rows  []Row  `json:"rows,omitempty"`
	Fits  string `json:"fits,omitempty"` // the known law that fits best
}

// A Row is one server in a diagnosis.
type Row struct {
	Server   string `json:"server"`
	Load     string `json:"load"`
	Expected string `json:"expected"`
	Observed string `json:"observed"`
}

// A PropertyResult is a Result in a report.
type PropertyResult struct {
	Name         string     `json:"name"`
	Level        Level      `json:"level"`
	Tier         Tier       `json:"tier"`
	Verdict      Verdict    `json:"verdict"`
	Finding      Finding    `json:"finding,omitempty"`
	Expected     string     `json:"expected"`
	Observed     string     `json:"observed"`
	Evidence     string     `json:"evidence"`
	Samples      int        `json:"samples"`
	LimitSamples *float64   `json:"limit_samples"`
	Reproduce    string     `json:"reproduce"`
	Diagnosis    *Diagnosis `json:"diagnosis,omitempty"`
	Pinned       string     `json:"pinned,omitempty"` // a known deviation of this subject, in a sentence
	Trace        *Trace     `json:"trace,omitempty"`
	Seconds      float64    `json:"seconds"`
}

// A Report is the outcome of one run on one subject.
type Report struct {
	Subject    string           `json:"subject"`
	Alpha      float64          `json:"alpha"`
	Seed       uint64           `json:"seed"`
	Properties []PropertyResult `json:"properties"`
	Summary    map[Verdict]int  `json:"summary"`
	CouldClaim []string         `json:"could_claim,omitempty"` // not claimed, yet it holds
}

// Add appends a result and counts it.
func (r *Report) Add(p PropertyResult) {
	r.Properties = append(r.Properties, p)
	if r.Summary == nil {
		r.Summary = make(map[Verdict]int)
	}
	r.Summary[p.Verdict]++
}

// Verdict is the worst verdict in the report: harness error, then violated,
// then undecided, then holds. It is NotClaimed when nothing was checked.
func (r *Report) Verdict() Verdict {
	for _, v := range []Verdict{HarnessError, Violated, Undecided, Holds} {
		if r.Summary[v] > 0 {
			return v
		}
	}
	return NotClaimed
}

// Surprises returns the results that nobody expected: failures that are not
// pinned as known deviations of the subject, and pins that hold.
func (r *Report) Surprises() []PropertyResult {
	return slices.DeleteFunc(slices.Clone(r.Properties), func(p PropertyResult) bool {
		if p.Pinned != "" {
			return p.Verdict == Violated
		}
		return p.Verdict == Holds || p.Verdict == NotClaimed
	})
}

// Failures returns the results that are neither Holds nor NotClaimed.
func (r *Report) Failures() []PropertyResult {
	return slices.DeleteFunc(slices.Clone(r.Properties), func(p PropertyResult) bool {
		return p.Verdict == Holds || p.Verdict == NotClaimed
	})
}

// String explains a result as a diagnosis: the claim, the state, the expected
// law beside the observed one, the evidence, the law that fits, and how to see
// it again.
func (p PropertyResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Name, p.Verdict)
	if p.Finding != "" {
		fmt.Fprintf(&b, " (%s)", p.Finding)
	}
	b.WriteByte('\n')
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-10s%s\n", label, strings.ReplaceAll(Printable(text), "\n", "\n"+strings.Repeat(" ", 12)))
		}
	}
	d := p.Diagnosis
	if d == nil {
		d = &Diagnosis{}
	}
	line("claim", d.Claim)
	line("state", d.State)
	line("expected", p.Expected)
	line("observed", p.Observed)
	if len(d.Rows) > 0 {
		w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
		fmt.Fprintf(w, "            server\tin flight\texpected\tobserved\n")
		for _, r := range d.Rows {
			fmt.Fprintf(w, "            %s\t%s\t%s\t%s\n", r.Server, r.Load, r.Expected, r.Observed)
		}
		w.Flush()
	}
	line("evidence", p.Evidence)
	line("fits", d.Fits)
	line("known", p.Pinned)
	line("reproduce", p.Reproduce)
	return b.String()
}

// Printable replaces what a terminal would obey rather than show: a subject's
// own words must not move the cursor or change colours.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\ufffd'
		}
		return r
	}, text)
}
