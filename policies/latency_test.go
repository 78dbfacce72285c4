package policies

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestEWMAFollowsTheFormula(t *testing.T) {
	e := &EWMA{Alpha: 0.25, Prior: 8 * s, Priors: map[ServerID]time.Duration{1: 2 * s}}
	assert.Equal(t, 8.0, e.Estimate(0, 0))
	assert.Equal(t, 2.0, e.Estimate(1, 0))
	e.Observe(0, heard(0, 4*s)) // 0.75·8 + 0.25·4
	assert.Equal(t, 7.0, e.Estimate(0, time.Hour), "silence changes nothing")
	e.Observe(0, heard(0, 3*s)) // 0.75·7 + 0.25·3
	assert.Equal(t, 6.0, e.Estimate(0, 0))
	e.Observe(1, heard(0, 2*s))
	assert.Equal(t, 2.0, e.Estimate(1, 0))
	e.Update(Fleet(1))
	assert.Equal(t, 6.0, e.Estimate(0, 0))
	assert.Equal(t, "0:4018000000000000 ", e.State())

	e = &EWMA{Alpha: 1, Prior: s}
	e.Observe(0, heard(0, 0))
	assert.Equal(t, 1e-9, e.Estimate(0, 0), "no time at all is taken for the shortest there is")
}

func TestEWMAScoresTheWait(t *testing.T) {
	fresh := func() Policy {
		return &EWMA{Alpha: 1, Prior: 1 * s, Priors: map[ServerID]time.Duration{0: 3 * s, 2: 2 * s}}
	}
	// 3·(0+1), 1·(2+1), 2·(1+1): the two 3s tie.
	wantLaw(t, map[int]string{0: "1/2", 1: "1/2"}, pickLaw(at(0, 2, 1), Request{}, fresh))
	wantLaw(t, map[int]string{1: "1"}, pickLaw(at(math.NaN(), 900, math.NaN()), Request{}, fresh))
}

func TestLeastTimeDoesNotSeeTheLoad(t *testing.T) {
	fresh := func() Policy {
		return &LeastTime{Latency: &EWMA{Alpha: 1, Prior: 2 * s, Priors: map[ServerID]time.Duration{1: s}}}
	}
	wantLaw(t, map[int]string{1: "1"}, pickLaw(at(0, 1000, 0), Request{}, fresh))
	sampled := func() Policy { p := fresh().(*LeastTime); p.D = 2; return p }
	// Server 1 is in two of three pairs; the other pair is a tie.
	wantLaw(t, map[int]string{1: "2/3", 0: "1/6", 2: "1/6"}, pickLaw(at(0, 1000, 0), Request{}, sampled))
	v := at(0, 1, 2)
	fresh().Pick(Request{}, v, NewCoins(1))
	assert.Zero(t, v.Reads)
}

func TestLeastTimeOverPeakEWMA(t *testing.T) {
	p := &LeastTime{Latency: &PeakEWMA{Tau: s, Prior: s}}
	p.Observe(0, heard(0, 8*s))
	v := at(0, 0)
	assert.Equal(t, 1, p.Pick(Request{}, v, NewCoins(1)))
	twin := p.Clone().(*LeastTime)
	p.Observe(1, heard(0, 9*s))
	assert.Equal(t, 0, p.Pick(Request{}, v, NewCoins(1)))
	assert.Equal(t, 1, twin.Pick(Request{}, v, NewCoins(1)))
	p.Update(Fleet(2)[1:])
	assert.Equal(t, 1.0, p.Latency.Estimate(0, 0))
	assert.NotEqual(t, twin.State(), p.State())
}

func TestOverSuccessDividesByTheSmoothedShare(t *testing.T) {
	p := &OverSuccess{Latency: &EWMA{Alpha: 0.5, Prior: 2 * s}}
	v := at(0, 2, 0)
	assert.Equal(t, 4.0, p.Score(v, 0), "2·(0+1) over 1/2")
	for range 2 {
		p.Observe(1, Outcome{Latency: 2 * s})
	}
	assert.Equal(t, 8.0, p.Score(v, 1), "2·(2+1) over 3/4")
	p.Observe(2, Outcome{Latency: 1 * s, Failed: true})
	assert.Equal(t, 1.5/(1.0/3), p.Score(v, 2))
	assert.Equal(t, 0, p.Pick(Request{}, v, NewCoins(1)))

	twin := p.Clone().(*OverSuccess)
	p.Update([]Server{{ID: 1}})
	assert.Equal(t, 8.0, p.Score(v, 1), "a survivor keeps its counts")
	assert.Equal(t, 4.0, p.Score(v, 2), "the others are forgotten")
	assert.Equal(t, 1.5/(1.0/3), twin.Score(v, 2))
	assert.NotEqual(t, twin.State(), p.State())
}

// latencies makes each policy that learns latencies anew.
var latencies = map[string]func() Learner{
	"EWMA":         func() Learner { return &EWMA{Alpha: 0.2, Prior: s} },
	"peak EWMA":    func() Learner { return &PeakEWMA{Tau: 10 * s, Prior: s} },
	"least time":   func() Learner { return &LeastTime{Latency: &EWMA{Alpha: 0.2, Prior: s}} },
	"over success": func() Learner { return &OverSuccess{Latency: &EWMA{Alpha: 0.2, Prior: s}} },
}

// Twin worlds with the verdicts flipped: a policy that does not read them is in
// the same state to the last bit.
func TestVerdictsAreReadByThoseWhoSaySo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outcomes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Outcome {
			return Outcome{At: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "at")),
				Latency: time.Duration(rapid.Int64Range(0, 1e11).Draw(t, "latency")), Failed: rapid.Bool().Draw(t, "failed")}
		}), 1, 12).Draw(t, "outcomes")
		for name, fresh := range latencies {
			one, two := fresh(), fresh()
			for i, o := range outcomes {
				one.Observe(ServerID(i%3), o)
				o.Failed = !o.Failed
				two.Observe(ServerID(i%3), o)
			}
			same := one.(Stateful).State() == two.(Stateful).State()
			if reads := name == "over success"; same == reads && !evenlySplit(outcomes) {
				t.Fatalf("%s: reads verdicts: %v, same state: %v", name, reads, same)
			}
		}
	})
}

// evenlySplit says that flipping all verdicts leaves the counts of every server.
func evenlySplit(outcomes []Outcome) bool {
	var balance [3]int
	for i, o := range outcomes {
		if balance[i%3]++; o.Failed {
			balance[i%3] -= 2
		}
	}
	return balance == [3]int{}
}

// An error in place of a success, as long as it, never makes a server more
// attractive to a policy that reads verdicts.
func TestOverSuccessAnErrorNeverAttracts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ok, bad := &OverSuccess{Latency: &EWMA{Alpha: 0.3, Prior: s}}, &OverSuccess{Latency: &EWMA{Alpha: 0.3, Prior: s}}
		n := rapid.IntRange(1, 10).Draw(t, "outcomes")
		turned := rapid.IntRange(0, n-1).Draw(t, "turned")
		for i := range n {
			o := Outcome{Latency: time.Duration(rapid.Int64Range(1, 1e10).Draw(t, "latency")), Failed: rapid.Bool().Draw(t, "failed")}
			o.Failed = o.Failed && i != turned
			ok.Observe(0, o)
			o.Failed = o.Failed || i == turned
			bad.Observe(0, o)
		}
		v := at(float64(rapid.IntRange(0, 9).Draw(t, "load")))
		if ok.Score(v, 0) >= bad.Score(v, 0) {
			t.Fatalf("score %g with an error, %g without", bad.Score(v, 0), ok.Score(v, 0))
		}
	})
}
