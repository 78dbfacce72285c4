package policies

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const s = time.Second

func heard(at, latency time.Duration) Outcome { return Outcome{At: at, Latency: latency} }

// ulps bounds a chain of a few floating point operations on numbers of the
// given size: each rounds by at most 2^-53 of its result, exp by 2^-52; no chain
// in these tests has more than 16 roundings.
func ulps(size float64) float64 { return math.Abs(size) * 0x1p-48 }

func TestPeakEWMAFollowsTheFormula(t *testing.T) {
	p := &PeakEWMA{Tau: 10 * s, Prior: 2 * s}
	assert.Equal(t, 2.0, p.Estimate(0, 0), "never heard from: the prior")

	p.Observe(0, heard(0, 8*s))
	assert.Equal(t, 8.0, p.Estimate(0, 0), "a peak counts at once")
	assert.InDelta(t, 2+6/math.E, p.Estimate(0, 10*s), ulps(8), "silence decays towards the prior")
	assert.InDelta(t, 2+6*math.Exp(-2), p.Estimate(0, 20*s), ulps(8), "reading has stored nothing")

	p.Observe(0, heard(10*s, 4*s)) // 8/e + 4(1-1/e)
	assert.InDelta(t, 4+4/math.E, p.Estimate(0, 10*s), ulps(8), "the way down is slow")
	p.Observe(0, heard(10*s, 16*s))
	assert.Equal(t, 16.0, p.Estimate(0, 10*s))
	assert.Equal(t, 2.0, p.Estimate(0, 10*s+1000000*p.Tau), "after a million time constants: exactly the prior")
	assert.Equal(t, 2.0, p.Estimate(1, 10*s), "others have heard nothing")

	p.Observe(2, heard(0, 0))
	assert.Equal(t, estimate{latency: 1e-9}, p.estimates[2], "no time at all is taken for the shortest there is")
}

func TestPeakEWMAPicksTheSmallestWait(t *testing.T) {
	fresh := func(d int) func() Policy {
		return func() Policy {
			p := &PeakEWMA{D: d, Tau: 10 * s, Prior: s}
			p.Observe(0, heard(0, 3*s))
			p.Observe(2, heard(0, 2*s))
			return p
		}
	}
	// Scores: 3·(0+1)=3, 1·(2+1)=3, 2·(1+1)=4.
	wantLaw(t, map[int]string{0: "1/2", 1: "1/2"}, pickLaw(at(0, 2, 1), Request{}, fresh(0)))
	wantLaw(t, map[int]string{0: "1/2", 1: "1/2"}, pickLaw(at(0, 2, 1), Request{}, fresh(2)))
	// 6, 1, 2: an always preferred server has d/n, then pairs {0,2}.
	wantLaw(t, map[int]string{1: "2/3", 2: "1/3"}, pickLaw(at(1, 0, 0), Request{}, fresh(2)))
	unknown := math.NaN()
	wantLaw(t, map[int]string{2: "1"}, pickLaw(at(unknown, unknown, 500), Request{}, fresh(0)))
}

func TestPeakEWMAStandsAnyClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &PeakEWMA{Tau: s, Prior: s}
		lo, hi := 1.0, 1.0 // seconds; the prior is in the range
		for range rapid.IntRange(1, 20).Draw(t, "outcomes") {
			at := time.Duration(rapid.Int64Range(-1<<60, 1<<60).Draw(t, "at"))
			latency := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "latency"))
			p.Observe(0, heard(at, latency))
			lo, hi = min(lo, latency.Seconds()), max(hi, latency.Seconds())
			now := time.Duration(rapid.Int64Range(-1<<60, 1<<60).Draw(t, "now"))
			e := p.Estimate(0, now)
			if !(e >= lo-ulps(hi) && e <= hi+ulps(hi)) {
				t.Fatalf("estimate %g outside the latencies [%g, %g]", e, lo, hi)
			}
		}
	})
}

func TestPeakEWMALateNewsDoesNotTurnBackTheClock(t *testing.T) {
	p := &PeakEWMA{Tau: s, Prior: s}
	p.Observe(0, heard(10*s, 8*s))
	p.Observe(0, heard(5*s, 4*s)) // ended earlier, told later
	assert.Equal(t, 8.0, p.Estimate(0, 10*s))
}

// A latency below the resolution of the clock must not hide the load: the score
// still grows with it, and an unknown load still loses.
func TestPeakEWMAOfAnInstantServer(t *testing.T) {
	instant := func() Policy {
		p := &PeakEWMA{Tau: s, Prior: s}
		for id := range ServerID(3) {
			p.Observe(id, heard(0, 0))
		}
		return p
	}
	wantLaw(t, map[int]string{1: "1"}, pickLaw(at(3, 1, 2), Request{}, instant))
	wantLaw(t, map[int]string{2: "1"}, pickLaw(at(math.NaN(), math.NaN(), 9), Request{}, instant))
}

func TestPeakEWMASurvivesAnUpdate(t *testing.T) {
	p := &PeakEWMA{Tau: s, Prior: s}
	p.Observe(0, heard(0, 8*s))
	p.Observe(1, heard(0, 4*s))
	twin := p.Clone().(*PeakEWMA)
	p.Update([]Server{{ID: 1}, {ID: 2}})
	assert.Equal(t, 1.0, p.Estimate(0, 0), "gone and forgotten")
	assert.Equal(t, 4.0, p.Estimate(1, 0), "a survivor is remembered")
	assert.Equal(t, 1.0, p.Estimate(2, 0), "a newcomer has the prior")
	assert.Equal(t, 8.0, twin.Estimate(0, 0), "a clone is on its own")
	assert.NotEqual(t, twin.State(), p.State())
}
