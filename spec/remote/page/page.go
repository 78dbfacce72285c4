// Package page writes reports as one self-contained HTML page with pictures:
// for each law that was judged by samples, the expected and the observed picks
// side by side and the evidence as it grew; for timed scenarios, the shares over
// time. The page needs no network and no script.
package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// A Report is what is shown of one subject.
type Report struct {
	*spec.Report
	Doc       string
	Notes     []string // sentences on how it was audited
	Scenarios []*proxy.Timing
}

// Write writes the page. Reports that were traced (spec.Traced) have pictures.
func Write(w io.Writer, title string, alpha float64, reports []Report) error {
	var b bytes.Buffer // nothing half-written
	if err := layout.Execute(&b, struct {
		Title   string
		Alpha   float64
		Reports []Report
	}{title, alpha, reports}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var layout = template.Must(template.New("page").Funcs(functions).Parse(source))

var functions = template.FuncMap{
	"bars": bars, "growth": growth, "shares": shares, "count": count, "claimed": claimed,
	"slug": func(v spec.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") },
	"id":   func(parts ...string) string { return strings.Join(parts, "/") },
	"percent": func(shares []float64) string {
		words := make([]string, len(shares))
		for i, s := range shares {
			words[i] = fmt.Sprintf("%.1f%%", 100*s)
		}
		return strings.Join(words, " ")
	},
	"ms":     func(seconds float64) string { return fmt.Sprintf("%.0f ms", 1000*seconds) },
	"curves": curves,
}

// claimed are the properties that were looked at.
func claimed(r Report) []spec.PropertyResult {
	return slices.DeleteFunc(slices.Clone(r.Properties), func(p spec.PropertyResult) bool { return p.Verdict == spec.NotClaimed })
}

// count words a summary.
func count(r Report) string {
	var words []string
	for _, v := range []spec.Verdict{spec.Holds, spec.Violated, spec.Undecided, spec.HarnessError, spec.NotClaimed} {
		if n := r.Summary[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(words, ", ")
}

const source = head + `<h1>{{.Title}}</h1>
<p class="soft">Convicting anything that conforms has probability {{.Alpha}} at most, in the whole run.
<span class="key"><i class="e"></i>expected by the claim<i class="o"></i>observed</span></p>
{{range $r := .Reports}}
<h2>{{.Subject}}</h2>
{{with .Doc}}<p>{{.}}</p>{{end}}
<p class="soft">{{count .}}. Seed {{.Seed}}.</p>
{{range .Notes}}<p class="soft">{{.}}</p>{{end}}
<div class="scroll"><table>
<tr><th>property</th><th>verdict</th><th>expected</th><th>observed</th><th>tier</th><th>picks</th></tr>
{{range claimed .}}<tr><td class="mono">{{if or .Trace .Diagnosis}}<a href="#{{id $r.Subject .Name}}">{{.Name}}</a>{{else}}{{.Name}}{{end}}</td>
<td class="{{slug .Verdict}}">{{.Verdict}}{{with .Finding}} ({{.}}){{end}}</td><td>{{.Expected}}</td><td>{{.Observed}}</td><td>{{.Tier}}</td><td>{{if .Samples}}{{.Samples}}{{end}}</td></tr>
{{end}}</table></div>
{{with .CouldClaim}}<p class="soft">Not claimed, and yet it holds: {{range $i, $c := .}}{{if $i}}, {{end}}<code>{{$c}}</code>{{end}}.</p>{{end}}
{{range $p := claimed .}}{{if or .Trace .Diagnosis}}
<h3 id="{{id $r.Subject .Name}}">{{.Name}} <span class="{{slug .Verdict}}">{{.Verdict}}</span></h3>
{{with .Evidence}}<p class="soft">Evidence: {{.}}.</p>{{end}}
{{with .Diagnosis}}{{with .Fits}}<p>Best fit: {{.}}.</p>{{end}}{{end}}
{{with .Trace}}{{$needed := .Needed}}{{range .Fleets}}
<div class="charts">{{range .States}}<figure>{{bars .}}<figcaption>in flight {{.State}}</figcaption></figure>{{end}}
{{if gt (len .Growth) 1}}<figure>{{growth . $needed}}<figcaption>evidence against the claim, in nats, as picks were taken; a conviction at the dashed line</figcaption></figure>{{end}}</div>
{{end}}{{end}}
{{if ne .Verdict "holds"}}<pre>{{.}}</pre>{{else}}{{with .Reproduce}}<p class="soft"><code>{{.}}</code></p>{{end}}{{end}}
{{end}}{{end}}
{{with .Scenarios}}<h3>Timed scenarios</h3>
<div class="scroll"><table><tr><th>scenario</th><th>shares</th><th>seconds</th><th>p50</th><th>p99</th><th>failed</th><th>goodput</th></tr>
{{range .}}<tr><td>{{.Scenario}}</td><td>{{percent .Shares}}</td><td>{{printf "%.2f" .Seconds}}</td><td>{{ms .P50}}</td><td>{{ms .P99}}</td><td>{{.Failed}} of {{.Requests}}</td><td>{{printf "%.1f" .Goodput}} 1/s</td></tr>{{end}}
</table></div>
<div class="charts">{{range .}}<figure>{{shares .}}<figcaption>{{.Scenario}}: share of each server, request by request</figcaption></figure>{{end}}</div>{{end}}
{{end}}
</body>
</html>
`
