package policies

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var strict = Outlier{Consecutive: 3, Interval: 100 * s, Backoff: 10 * s, MaxBackoff: 60 * s, MaxEjected: 100}

func TestOutlierNamesWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(*Outlier){
		"Outlier.Consecutive is -1, want at least 0":                 func(o *Outlier) { o.Consecutive = -1 },
		"Outlier.Interval is 0s, want a positive duration":           func(o *Outlier) { o.Interval = 0 },
		"Outlier.MinRequests is -1":                                  func(o *Outlier) { o.MinRequests = -1 },
		"Outlier.MinServers is -1":                                   func(o *Outlier) { o.MinServers = -1 },
		"Outlier.Deviations is -0.5, want":                           func(o *Outlier) { o.Deviations = -0.5 },
		"Outlier.Deviations is NaN, want a finite number":            func(o *Outlier) { o.Deviations = math.NaN() },
		"Outlier.Backoff is -1s":                                     func(o *Outlier) { o.Backoff = -s },
		"Outlier.MaxBackoff is 9s, want at least Backoff, 10s":       func(o *Outlier) { o.MaxBackoff = 9 * s },
		"Outlier.MaxEjected is 101, want a percentage from 0 to 100": func(o *Outlier) { o.MaxEjected = 101 },
		"Outlier.Panic is -1, want a percentage from 0 to 100":       func(o *Outlier) { o.Panic = -1 },
	} {
		o := strict
		change(&o)
		_, err := NewBalancer(Random{}, Endpoints("a"), WithOutlier(o))
		assert.ErrorContains(t, err, want)
	}
	for want, slow := range map[string]SlowStart{"SlowStart.Window is -1": {Window: -1}, "SlowStart.Floor is 200": {Floor: 200}} {
		_, err := NewBalancer(Random{}, Endpoints("a"), WithSlowStart(slow))
		assert.ErrorContains(t, err, want)
	}
}

// The cap, for every fleet of up to 10 and every percentage: as many as the share
// rounded down, counted as a rational number, but one in any case.
func TestTheCapRoundsDownButAllowsOne(t *testing.T) {
	for n := 1; n <= 10; n++ {
		for percent := 0; percent <= 100; percent++ {
			o, ejected := Outlier{MaxEjected: percent}, 0
			for ejected < n && o.mayEject(ejected, n) {
				ejected++
			}
			assert.Equal(t, max(1, percent*n/100), ejected, "%d%% of %d", percent, n)
		}
	}
}

func TestPanicTruthTable(t *testing.T) {
	for _, c := range []struct {
		left, n, threshold int
		want               bool
	}{
		{0, 3, 0, false}, {3, 3, 0, false}, // a threshold of 0: never
		{0, 3, 1, true}, {0, 3, 50, true}, {0, 1, 50, true}, // nobody left is the fewest
		{1, 3, 33, false}, {1, 3, 34, true}, // 1/3 against 33% and 34%
		{1, 2, 50, false}, {1, 2, 51, true}, // not fewer than half
		{3, 3, 100, false}, {2, 3, 100, true},
	} {
		assert.Equal(t, c.want, Outlier{Panic: c.threshold}.panics(c.left, c.n), "%+v", c)
	}
}

// Half of a fleet is half of it, to the last server.
func TestPercentagesAreExact(t *testing.T) {
	half := Outlier{Panic: 50, MaxEjected: 50}
	assert.True(t, half.panics(499, 1000))
	assert.False(t, half.panics(500, 1000))
	assert.True(t, half.mayEject(499, 1000))
	assert.False(t, half.mayEject(500, 1000))
}

func TestEjectionsGrowUpToTheLargest(t *testing.T) {
	for k, want := range []time.Duration{0, 10 * s, 20 * s, 30 * s, 40 * s, 50 * s, 60 * s, 60 * s} {
		assert.Equal(t, want, strict.length(k))
	}
	assert.Equal(t, 60*s, strict.length(1<<62), "no overflow")
}

// A mean of equal numbers is not always equal to them in floating point; nobody is
// behind for that.
func TestNobodyIsBehindEquals(t *testing.T) {
	for n := 1; n <= 20; n++ {
		for ok := range 30 {
			tallies := slices.Repeat([]tally{{ok, 29 - ok}}, n)
			assert.Empty(t, Outlier{Deviations: 0.01}.stragglers(tallies), "%d servers of rate %d/29", n, ok)
		}
	}
}

func TestStragglers(t *testing.T) {
	good, bad := tally{ok: 10}, tally{failed: 10}
	// Four rates of 1 and one of 0: mean 0.8, standard deviation 0.4, so the bad one
	// is exactly 2 deviations below.
	five := []tally{good, good, bad, good, good}
	for _, c := range []struct {
		name    string
		outlier Outlier
		tallies []tally
		want    []int
	}{
		{"below by 2 of 1.9", Outlier{Deviations: 1.9}, five, []int{2}},
		{"below by 2 of 2.1", Outlier{Deviations: 2.1}, five, nil},
		{"switched off", Outlier{}, five, nil},
		{"too few servers", Outlier{Deviations: 1, MinServers: 6}, five, nil},
		{"enough servers", Outlier{Deviations: 1, MinServers: 5}, five, []int{2}},
		{"servers without the volume do not count", Outlier{Deviations: 1, MinServers: 6, MinRequests: 10}, append(five[:5:5], tally{ok: 9}), nil},
		{"nor are they judged", Outlier{Deviations: 1, MinRequests: 10}, []tally{good, good, {failed: 9}, good, good}, nil},
		{"all alike", Outlier{Deviations: 0.1}, []tally{{1, 9}, {1, 9}, {1, 9}, {2, 18}}, nil},
		{"nobody was asked", Outlier{Deviations: 1}, make([]tally, 4), nil},
		{"nobody is there", Outlier{Deviations: 1}, nil, nil},
		// Rates 1, 1, 1, 1, 0.2, 0: mean 0.7, deviation 0.43.
		{"the worst first", Outlier{Deviations: 1}, []tally{good, {2, 8}, good, good, bad, good}, []int{4, 1}},
	} {
		assert.Equal(t, c.want, append([]int(nil), c.outlier.stragglers(c.tallies)...), c.name)
	}
}
