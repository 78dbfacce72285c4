package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// audited is a traced report on a balancer by a policy that claims a law.
func audited(t *testing.T, p policies.Policy, law oracle.Law) *spec.Report {
	t.Helper()
	s := spec.Subject{Name: `<script>alert("x")</script>`, New: spec.Leased(func() policies.Policy { return p })}
	return s.Check(spec.Law(law), spec.Traced(), spec.Resolution(0.2), spec.Only("power-of-d/pick-law", "totality/small-fleets"),
		spec.Reproduce("picklaw verify"))
}

func write(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, "A title", 1e-9, []Report{r}))
	return b.String()
}

func TestPageIsSelfContainedAndEscaped(t *testing.T) {
	over := make([]int, 120)
	for k := range over {
		over[k] = k % 3
	}
	html := write(t, Report{
		Report: audited(t, policies.PowerOfD{D: 2}, oracle.PowerOfD{D: 2}), Doc: "a & b", Notes: []string{"a note"},
		Scenarios: []*proxy.Timing{{Scenario: "one <slow>", Requests: 120, Shares: []float64{1. / 3, 1. / 3, 1. / 3}, Over: over, P50: 0.1, P99: 0.2}},
	})
	require.NotContains(t, html, "<script")
	require.NotContains(t, html, "<slow>")
	require.Contains(t, html, "&lt;script&gt;")
	require.NotRegexp(t, `(?i)(src|href)="[^#]|url\(|@import|https?:`, html, "nothing is fetched")
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(html, -1)
	require.Len(t, pictures, 2*(5+1)+1, "five states and the evidence of each of two fleets, and a scenario")
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, p)
		}
		require.NotContains(t, p, "NaN")
		require.NotContains(t, p, "Inf")
	}
}

// TestBarsAreTheLaw reads the numbers back that a picture shows.
func TestBarsAreTheLaw(t *testing.T) {
	svg := string(bars(spec.StateView{State: "0 1 2", Servers: []string{"a", "b", "c"},
		Expected: []float64{2. / 3, 1. / 3, 0}, Observed: []int{50, 25, 25}}))
	heights := regexp.MustCompile(`class="(expected|observed)"[^>]*height="([0-9.]+)"><title>(.*?)</title>`).FindAllStringSubmatch(svg, -1)
	require.Len(t, heights, 6)
	// The tallest bar, 2/3, is 100 high.
	for i, want := range []struct{ class, height, title string }{
		{"expected", "100.0", "a: expected 0.6667"}, {"observed", "75.0", "a: observed 0.5000 (50 of 100)"},
		{"expected", "50.0", "b: expected 0.3333"}, {"observed", "37.5", "b: observed 0.2500 (25 of 100)"},
		{"expected", "0.6", "c: expected 0.0000"}, {"observed", "37.5", "c: observed 0.2500 (25 of 100)"},
	} {
		require.Equal(t, []string{want.class, want.height, want.title}, heights[i][1:])
	}
}

func TestConvictionIsShown(t *testing.T) {
	r := audited(t, policies.PowerOfD{D: 2, Replacement: true}, oracle.PowerOfD{D: 2})
	p := r.Properties[0]
	require.Equal(t, spec.Violated, p.Verdict)
	last := p.Trace.Fleets[len(p.Trace.Fleets)-1].Growth
	require.Equal(t, p.Trace.Needed, last[len(last)-1].Nats, "the evidence ends at what is needed")
	html := write(t, Report{Report: r})
	require.Contains(t, html, "violated (wrong law)")
	require.Contains(t, html, "Best fit: power-of-d:2:replacement")
	require.Contains(t, html, "picklaw verify --property power-of-d/pick-law")
}

// TestGrowthIsThinned keeps pages small without losing the ends.
func TestGrowthIsThinned(t *testing.T) {
	p := audited(t, policies.PowerOfD{D: 2}, oracle.PowerOfD{D: 2}).Properties[0]
	for _, f := range p.Trace.Fleets {
		require.Less(t, len(f.Growth), 250)
		require.Zero(t, f.Growth[0].Picks)
		total := 0
		for _, s := range f.States {
			for _, k := range s.Observed {
				total += k
			}
		}
		last := f.Growth[len(f.Growth)-1].Picks
		require.Greater(t, last, total-total/100)
		require.LessOrEqual(t, last, total)
	}
}
