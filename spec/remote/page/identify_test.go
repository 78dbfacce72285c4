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

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/identify"
)

func TestIdentifiedPageShowsTheLaw(t *testing.T) {
	o := identify.Default
	o.Within, o.Traced = 0.3, true
	r, err := identify.Identify(identify.OfPolicy(func() policies.Policy { return policies.LeastRequest{} }), o)
	require.NoError(t, err)
	require.NotEmpty(t, r.Trace.States)
	r.Deviations = []string{"a <b> & c"}
	var b bytes.Buffer
	require.NoError(t, WriteIdentified(&b, `<script>alert("x")</script>`, 1e-9, r))
	html := b.String()
	require.NotContains(t, html, "<script")
	require.NotContains(t, html, "<b>")
	require.NotRegexp(t, `(?i)(src|href)="[^#]|url\(|@import|https?:`, html, "nothing is fetched")
	require.Contains(t, html, "It follows least-request in a steady fleet, but not everywhere.")
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(html, -1)
	require.Len(t, pictures, len(r.Trace.States)+2, "each state, the evidence against the law, and against all laws")
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, p)
		}
		require.NotRegexp(t, "NaN|Inf", p)
	}
}

// TestCurvesEndAtTheLine reads back where the curves of a picture end: a refuted
// law at the line of refutation, which is at the top, and the others below.
func TestCurvesEndAtTheLine(t *testing.T) {
	svg := string(curves(&identify.Trace{Needed: 20, Laws: []identify.Curve{
		{Law: "refuted", Points: []spec.Point{{}, {Picks: 1, Nats: 5}, {Picks: 9, Nats: 20}}},
		{Law: "left", Points: []spec.Point{{}, {Picks: 1, Nats: -1}, {Picks: 99, Nats: 0}}},
	}}))
	got := make(map[string]string)
	for _, m := range regexp.MustCompile(`points="([^"]*)"><title>(.*?)</title>`).FindAllStringSubmatch(svg, -1) {
		points := strings.Fields(m[1])
		got[m[2]] = points[len(points)-1]
	}
	// 470 wide from 40 on; 9 picks are half of 99 on the scale log(1 + picks). From
	// -2 at 238 to 20 at 10: zero is at 238 - 228*2/22.
	require.Equal(t, map[string]string{"refuted": "275.0,10.0", "left": "510.0,217.3"}, got)
}
