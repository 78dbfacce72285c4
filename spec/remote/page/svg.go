package page

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// A drawing is an SVG picture in the making. Only numbers and escaped words go
// into it.
type drawing struct {
	strings.Builder
	width, height float64
}

func draw(width, height float64, label string) *drawing {
	d := &drawing{width: width, height: height}
	fmt.Fprintf(d, `<svg width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`,
		width, height, width, height, template.HTMLEscapeString(label))
	return d
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2, y2)
}

func (d *drawing) text(anchor string, x, y float64, words string) {
	fmt.Fprintf(d, `<text text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, anchor, x, y, template.HTMLEscapeString(words))
}

func (d *drawing) bar(class string, x, y, width, height float64, title string) {
	fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
		class, x, y, width, max(height, 0.6), template.HTMLEscapeString(title))
}

func (d *drawing) done() template.HTML {
	d.WriteString("</svg>")
	return template.HTML(d.String()) // built above from numbers and escaped words
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// bars are the expected and the observed law of a state, server by server.
func bars(s spec.StateView) template.HTML {
	const left, top, bottom, column = 34.0, 8.0, 20.0, 34.0
	n, total, most := len(s.Observed), 0, 0.0
	for _, k := range s.Observed {
		total += k
	}
	if total == 0 {
		total = 1
	}
	for i, k := range s.Observed {
		most = max(most, s.Expected[i], float64(k)/float64(total))
	}
	loads := strings.Fields(strings.ReplaceAll(s.State, ",", ""))
	d := draw(left+column*float64(n)+6, 128, "expected and observed picks with "+s.State+" in flight")
	floor := d.height - bottom
	y := func(p float64) float64 { return (floor - top) * p / max(most, 1e-9) }
	d.line("axis", left, floor, d.width, floor)
	for _, p := range []float64{most / 2, most} {
		d.line("axis", left, floor-y(p), d.width, floor-y(p))
		d.text("end", left-4, floor-y(p)+4, fmt.Sprintf("%.0f%%", 100*p))
	}
	for i, k := range s.Observed {
		x, share := left+column*float64(i)+5, float64(k)/float64(total)
		d.bar("expected", x, floor-y(s.Expected[i]), 11, y(s.Expected[i]), fmt.Sprintf("%s: expected %.4f", s.Servers[i], s.Expected[i]))
		d.bar("observed", x+13, floor-y(share), 11, y(share), fmt.Sprintf("%s: observed %.4f (%d of %d)", s.Servers[i], share, k, total))
		if i < len(loads) {
			d.text("middle", x+12, floor+14, loads[i])
		}
	}
	return d.done()
}

// growth is the evidence against the claim over the picks of a fleet.
func growth(f spec.FleetView, needed float64) template.HTML {
	const left, right, top, bottom = 40.0, 12.0, 8.0, 20.0
	d := draw(380, 128, "evidence against the claim over the number of picks")
	low, picks := -0.25*needed, 1
	for _, p := range f.Growth {
		low, picks = min(low, p.Nats), max(picks, p.Picks)
	}
	high := 1.1 * needed
	floor := d.height - bottom
	x := func(pick int) float64 { return left + (d.width-left-right)*float64(pick)/float64(picks) }
	y := func(nats float64) float64 { return floor - (floor-top)*(nats-low)/(high-low) }
	d.line("axis", left, floor, d.width-right, floor)
	d.line("zero", left, y(0), d.width-right, y(0))
	d.line("limit", left, y(needed), d.width-right, y(needed))
	d.text("end", left-4, y(0)+4, "0")
	d.text("end", left-4, y(needed)+4, fmt.Sprintf("%.0f", needed))
	d.text("end", d.width-right, floor+14, counted(picks, "pick"))
	var points []string
	for _, p := range f.Growth {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x(p.Picks), y(p.Nats)))
	}
	fmt.Fprintf(d, `<polyline class="curve" points="%s"/>`, strings.Join(points, " "))
	return d.done()
}

// inks tell servers apart, in both colour schemes.
var inks = []string{"#1f77b4", "#e07b00", "#2ca02c", "#d62728", "#8e63c7", "#8c564b", "#d268b4", "#7f7f7f", "#a9a918", "#17aabf"}

// shares are the shares of each server in a sliding window of a scenario.
func shares(t *proxy.Timing) template.HTML {
	const left, right, top, bottom = 40.0, 70.0, 8.0, 20.0
	n, count := len(t.Shares), len(t.Over)
	d := draw(420, 150, "shares of the servers over time: "+t.Scenario)
	floor := d.height - bottom
	window := max(count/8, n)
	if count < 2*window {
		d.text("start", left, top+20, "too few requests")
		return d.done()
	}
	series, most := make([][]float64, n), 0.0
	tally := make([]int, n)
	for k, i := range t.Over {
		tally[i]++
		if k >= window {
			tally[t.Over[k-window]]--
		}
		if k >= window-1 {
			for i, c := range tally {
				share := float64(c) / float64(window)
				series[i] = append(series[i], share)
				most = max(most, share)
			}
		}
	}
	y := func(p float64) float64 { return floor - (floor-top)*p/most }
	d.line("axis", left, floor, d.width-right, floor)
	for _, p := range []float64{most / 2, most} {
		d.line("axis", left, y(p), d.width-right, y(p))
		d.text("end", left-4, y(p)+4, fmt.Sprintf("%.0f%%", 100*p))
	}
	d.text("end", d.width-right, floor+14, counted(count, "request"))
	for i, line := range series {
		var points []string
		for k := 0; k < len(line); k += max(1, len(line)/120) {
			x := left + (d.width-left-right)*float64(k+window)/float64(count)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y(line[k])))
		}
		fmt.Fprintf(d, `<polyline fill="none" stroke="%s" stroke-width="1.6" points="%s"/>`, inks[i%len(inks)], strings.Join(points, " "))
		at := top + 6 + 14*float64(i)
		if i < 9 {
			fmt.Fprintf(d, `<line stroke="%s" stroke-width="3" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, inks[i%len(inks)], d.width-right+8, d.width-right+20, at, at)
			d.text("start", d.width-right+24, at+4, fmt.Sprintf("server %d", i+1))
		}
	}
	return d.done()
}
