package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/identify"
)

// WriteIdentified writes a page on which law a balancer follows. A result that
// was traced (identify.Options) has pictures.
func WriteIdentified(w io.Writer, subject string, alpha float64, r *identify.Result) error {
	var b bytes.Buffer // nothing half-written
	if err := identified.Execute(&b, struct {
		Title, Subject string
		Alpha          float64
		*identify.Result
	}{subject + " identified", subject, alpha, r}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var identified = template.Must(template.New("identified").Funcs(functions).Funcs(template.FuncMap{
	"names": func(laws []string) string { return strings.Join(laws, ", ") },
	"view":  func(t *identify.Trace) spec.FleetView { return spec.FleetView{States: t.States, Growth: t.Growth} },
}).Parse(head + `<h1>{{.Subject}}</h1>
{{if not .Remaining}}<p class="verdict violated">It follows no known law.</p>
{{else if gt (len .Remaining) 1}}<p class="verdict undecided">It follows one of {{names .Remaining}}, which these states cannot tell apart.</p>
{{else if .Clean}}<p class="verdict holds">It follows {{names .Remaining}}{{if lt .Within 1.0}}, within {{printf "%.3f" .Within}} in total variation{{end}}.</p>
{{else}}<p class="verdict violated">It follows {{names .Remaining}} in a steady fleet, but not everywhere.</p>{{end}}
{{with .EqualWeights}}<p>Where all weights are equal, that is {{names .}}.</p>{{end}}
<p class="soft">{{.Picks}} picks told laws apart. The law that is followed is refuted, or anything is said that is not so, with probability {{.Alpha}} at most.</p>
{{with .Deviations}}<h2>What contradicts it</h2><ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{with .Observations}}<h2>What was observed besides</h2><ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{with .Trace}}
{{if .States}}<h2>{{.Law}}, held to fresh picks</h2>
<p class="soft"><span class="key"><i class="e"></i>expected by the law<i class="o"></i>observed</span></p>
<div class="charts">{{range .States}}<figure>{{bars .}}<figcaption>in flight {{.State}}</figcaption></figure>{{end}}
{{if gt (len .Growth) 1}}<figure>{{growth (view .) .Needed}}<figcaption>evidence of these picks against the law, in nats; it is refuted at the dashed line</figcaption></figure>{{end}}</div>{{end}}
{{if .Laws}}<h2>How laws were told apart</h2>
<div class="charts"><figure>{{curves .}}<figcaption>evidence against each law, in nats, as picks were taken; a law is refuted at the dashed line</figcaption></figure></div>{{end}}
{{end}}
{{with .Refuted}}<h2>Refuted</h2>
<div class="scroll"><table class="narrow"><tr><th>law</th><th>after picks</th></tr>
{{range .}}<tr><td class="mono">{{.Law}}</td><td>{{.Picks}}</td></tr>
{{end}}</table></div>{{end}}
</body>
</html>
`))

// curves are the evidence against every law, over the picks on a scale on which
// the first ones are wide. The laws that last longest are named.
func curves(t *identify.Trace) template.HTML {
	const left, right, top, bottom = 40.0, 210.0, 10.0, 22.0
	d := draw(720, 260, "evidence against each law over the number of picks")
	floor, picks, low := d.height-bottom, 1, -0.1*t.Needed
	for _, c := range t.Laws {
		picks = max(picks, c.Points[len(c.Points)-1].Picks)
		for _, p := range c.Points {
			low = min(low, p.Nats)
		}
	}
	low = max(low, -t.Needed) // a law that fits well goes on falling
	x := func(pick int) float64 {
		return left + (d.width-left-right)*scale(pick)/scale(picks)
	}
	y := func(nats float64) float64 {
		return floor - (floor-top)*(max(nats, low)-low)/(t.Needed-low)
	}
	d.line("axis", left, floor, d.width-right, floor)
	d.line("zero", left, y(0), d.width-right, y(0))
	d.line("limit", left, y(t.Needed), d.width-right, y(t.Needed))
	d.text("end", left-4, y(0)+4, "0")
	d.text("end", left-4, y(t.Needed)+4, fmt.Sprintf("%.0f", t.Needed))
	last := -100.0
	for mark := 1; mark < picks; mark *= 10 {
		d.line("axis", x(mark), floor, x(mark), floor+3)
		d.text("middle", x(mark), floor+15, fmt.Sprint(mark))
		last = x(mark)
	}
	if x(picks)-last > 70 {
		d.text("end", d.width-right, floor+15, counted(picks, "pick"))
	} else {
		d.text("start", d.width-right+6, floor+4, counted(picks, "pick"))
	}
	laws := slices.Clone(t.Laws)
	slices.SortStableFunc(laws, func(a, b identify.Curve) int { return lasts(b, t.Needed) - lasts(a, t.Needed) })
	for k := len(laws) - 1; k >= 0; k-- { // the most important on top
		var points []string
		for _, p := range laws[k].Points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(p.Picks), y(p.Nats)))
		}
		ink := "var(--line)"
		if k < named {
			ink = inks[k]
			at := top + 8 + 17*float64(k)
			fmt.Fprintf(d, `<line stroke="%s" stroke-width="3" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, ink, d.width-right+12, d.width-right+26, at, at)
			d.text("start", d.width-right+31, at+4, shortened(laws[k].Law, 28))
		}
		fmt.Fprintf(d, `<polyline fill="none" stroke="%s" stroke-width="1.6" points="%s"><title>%s</title></polyline>`,
			ink, strings.Join(points, " "), template.HTMLEscapeString(laws[k].Law))
	}
	if rest := len(laws) - named; rest > 0 {
		d.text("start", d.width-right+12, top+12+17*named, fmt.Sprintf("and %d that were refuted earlier", rest))
	}
	return d.done()
}

// named is how many laws have a colour and a name.
const named = 9

// lasts is the pick at which a law was refuted; a law that was not lasts longest.
func lasts(c identify.Curve, needed float64) int {
	end := c.Points[len(c.Points)-1]
	if end.Nats < needed {
		return math.MaxInt32
	}
	return end.Picks
}

// scale lets the first picks have more room.
func scale(picks int) float64 { return math.Log1p(float64(picks)) }

// shortened cuts a long name in its middle.
func shortened(name string, length int) string {
	r := []rune(name)
	if len(r) <= length {
		return name
	}
	return string(r[:length/2]) + "…" + string(r[len(r)-length/2+1:])
}
