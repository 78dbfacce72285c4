package oracle

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// below1 and its like are the neighbours of a limit.
var (
	below1  = math.Nextafter(1, 0)
	below0  = math.Nextafter(0, -1)
	above0  = math.Nextafter(0, 1)
	inf     = math.Inf(1)
	largest = math.MaxFloat64
)

// TestLimitsOfParameters holds every model to the limits that its fields
// document: the extremes are allowed, their neighbours are not.
func TestLimitsOfParameters(t *testing.T) {
	third := big.NewRat(1, 3)
	for _, m := range []model{
		BallsInBins{1, 1}, BallsInBins{100_000_000, 1}, BallsInBins{1, 2_000_000},
		BallsFluid{1, 0}, BallsFluid{1, 1000}, BallsFluid{2, 1000}, BallsFluid{100, 20},
		Blast{D: 1, N: 1}, Blast{D: 10_000, N: 1_000_000},
		ViralKey{new(big.Rat), 1}, ViralKey{big.NewRat(1, 1), 1_000_000_000},
		LatencyBoundary{1, above0, above0}, LatencyBoundary{1_000_000_000, largest, largest},
		Drift{0, above0}, Drift{largest, largest},
		EKM1{1, 0}, EKM1{1_000_000_000, below1},
		GG1{above0, 0, 0}, GG1{below1, largest, largest},
		MeanField{1, 0}, MeanField{1_000_000, below1},
		MG1{0, 0}, MG1{below1, largest},
		MM1{0}, MM1{below1},
		MM1B{0, 1}, MM1B{largest, 100_000},
		MMC{1, 0}, MMC{1_000_000, below1},
		Remap{"ring", 1}, Remap{"hash-mod", 1_000_000_000}, Remap{"rendezvous", 1},
		KeyShares{"ring", 1}, KeyShares{"maglev", 1_000_000_000}, KeyShares{"rendezvous", 0},
		RefinedMeanField{D: 1, N: 1}, RefinedMeanField{D: 3, N: 3}, RefinedMeanField{D: 1000, N: 1, Replacement: true},
		RefinedMeanField{D: 1000, N: math.MaxInt32, Rho: 1 - 1e-9},
		StaleBoard{1, 0, 0.01}, StaleBoard{100, 0.99, 5}, StaleBoard{1, 0.5, 500},
	} {
		assert.NoError(t, m.Validate(), "%#v", m)
	}
	for _, c := range []struct {
		model model
		want  string
	}{
		{BallsInBins{0, 1}, "number of bins is 0, want 1 to 100000000"},
		{BallsInBins{100_000_001, 1}, "number of bins is 100000001"},
		{BallsInBins{1, 0}, "number of balls is 0, want 1 to 2000000"},
		{BallsInBins{1, 2_000_001}, "number of balls is 2000001"},
		{BallsFluid{0, 1}, "number of choices d is 0, want 1 to 100"},
		{BallsFluid{101, 1}, "number of choices d is 101"},
		{BallsFluid{1, below0}, "load is -5e-324, want 0 to 1000"},
		{BallsFluid{1, math.Nextafter(1000, inf)}, "want 0 to 1000"},
		{BallsFluid{100, math.Nextafter(20, inf)}, "want 0 to 20"},
		{BallsFluid{1, math.NaN()}, "load is NaN"},
		{Blast{D: 0, N: 1}, "number of choices d is 0, want 1 to 10000"},
		{Blast{D: 10_001, N: 1}, "number of choices d is 10001"},
		{Blast{D: 1, N: 0}, "number of servers n is 0, want 1 to 1000000"},
		{Blast{D: 1, N: 1_000_001}, "number of servers n is 1000001"},
		{ViralKey{nil, 1}, "share of the key is <nil>, want 0 to 1"},
		{ViralKey{big.NewRat(-1, 1<<40), 1}, "share of the key is -1/1099511627776"},
		{ViralKey{big.NewRat(1<<40+1, 1<<40), 1}, "share of the key is 1099511627777/1099511627776"},
		{ViralKey{third, 0}, "number of servers n is 0, want 1 to 1000000000"},
		{ViralKey{third, 1_000_000_001}, "number of servers n is 1000000001"},
		{LatencyBoundary{0, 1, 1}, "number of servers n is 0, want 1 to 1000000000"},
		{LatencyBoundary{1_000_000_001, 1, 1}, "number of servers n is 1000000001"},
		{LatencyBoundary{1, 0, 1}, "of a success s is 0"},
		{LatencyBoundary{1, inf, 1}, "of a success s is +Inf"},
		{LatencyBoundary{1, 1, 0}, "of an error e is 0"},
		{LatencyBoundary{1, 1, inf}, "of an error e is +Inf"},
		{Drift{below0, 1}, "rate of arrivals rho is -5e-324"},
		{Drift{inf, 1}, "rate of arrivals rho is +Inf"},
		{Drift{1, 0}, "speed is 0"},
		{Drift{1, inf}, "speed is +Inf"},
		{EKM1{0, 0.5}, "number of phases k is 0, want 1 to 1000000000"},
		{EKM1{1_000_000_001, 0.5}, "number of phases k is 1000000001"},
		{EKM1{1, 1}, "utilization rho is 1, want at least 0 and below 1"},
		{EKM1{1, below0}, "utilization rho is -5e-324"},
		{GG1{0, 1, 1}, "utilization rho is 0, want above 0 and below 1"},
		{GG1{1, 1, 1}, "utilization rho is 1, want above 0 and below 1"},
		{GG1{0.5, below0, 1}, "of the gaps ca2 is -5e-324"},
		{GG1{0.5, inf, 1}, "of the gaps ca2 is +Inf"},
		{GG1{0.5, 1, below0}, "of the work cs2 is -5e-324"},
		{MeanField{0, 0.5}, "number of choices d is 0, want 1 to 1000000"},
		{MeanField{1_000_001, 0.5}, "number of choices d is 1000001"},
		{MeanField{1, 1}, "utilization rho is 1"},
		{MG1{1, 0}, "utilization rho is 1"},
		{MG1{0.5, below0}, "of the work cv2 is -5e-324"},
		{MG1{0.5, inf}, "of the work cv2 is +Inf"},
		{MM1{1}, "utilization rho is 1"},
		{MM1B{0.5, 0}, "room b is 0, want 1 to 100000"},
		{MM1B{0.5, 100_001}, "room b is 100001"},
		{MM1B{below0, 1}, "rate of arrivals rho is -5e-324"},
		{MM1B{inf, 1}, "rate of arrivals rho is +Inf"},
		{MMC{0, 0.5}, "number of servers c is 0, want 1 to 1000000"},
		{MMC{1_000_001, 0.5}, "number of servers c is 1000001"},
		{MMC{1, 1}, "utilization rho is 1"},
		{Remap{"", 1}, `scheme is "", want one of [hash-mod ring rendezvous]`},
		{Remap{"ring", 0}, "n is 0, want 1 to 1000000000"},
		{Remap{"ring", 1_000_000_001}, "n is 1000000001"},
		{KeyShares{"", 1}, `scheme is ""`},
		{KeyShares{"ring", 0}, "size is 0, want 1 to 1000000000"},
		{KeyShares{"maglev", 1_000_000_001}, "size is 1000000001"},
		{RefinedMeanField{D: 1, N: 0}, "number of servers n is 0, want 1 to 2147483647"},
		{RefinedMeanField{D: 0, N: 1}, "number of choices d is 0, want 1 to 1"},
		{RefinedMeanField{D: 4, N: 3}, "number of choices d is 4, want 1 to 3"},
		{RefinedMeanField{D: 1001, N: 2000}, "number of choices d is 1001, want 1 to 1000"},
		{RefinedMeanField{D: 1, N: 1, Rho: below0}, "utilization rho is -5e-324, want at least 0 and at most 1-1e-9"},
		{RefinedMeanField{D: 1, N: 1, Rho: math.Nextafter(1-1e-9, 1)}, "want at least 0 and at most 1-1e-9"},
		{StaleBoard{0, 0.5, 1}, "number of choices d is 0, want 1 to 100"},
		{StaleBoard{101, 0.5, 1}, "number of choices d is 101"},
		{StaleBoard{1, below0, 1}, "utilization rho is -5e-324, want at least 0 and at most 0.99"},
		{StaleBoard{1, math.Nextafter(0.99, 1), 1}, "want at least 0 and at most 0.99"},
		{StaleBoard{1, 0.5, math.Nextafter(0.01, 0)}, "want 0.01 to 500 with 1 choices"},
		{StaleBoard{100, 0.5, math.Nextafter(5, inf)}, "want 0.01 to 5 with 100 choices"},
	} {
		assert.ErrorContains(t, c.model.Validate(), c.want, "%#v", c.model)
		refusesEverything(t, c.model)
	}
}

// refusesEverything calls every method of a model that Validate refuses: each
// panics, or returns the error.
func refusesEverything(t *testing.T, m model) {
	t.Helper()
	want := m.Validate().Error()
	value := reflect.ValueOf(m)
	for i := range value.NumMethod() {
		name := value.Type().Method(i).Name
		if name == "Validate" || name == "String" || strings.Contains(name, "_") {
			continue // where mutants are built in, clones of methods have an underscore
		}
		method := value.Method(i)
		var args []reflect.Value
		for k := range method.Type().NumIn() {
			args = append(args, reflect.Zero(method.Type().In(k)))
		}
		got := func() (refusal string) {
			defer func() {
				if r := recover(); r != nil {
					refusal = fmt.Sprint(r)
				}
			}()
			results := method.Call(args)
			return fmt.Sprint(results[len(results)-1])
		}()
		assert.True(t, strings.HasSuffix(got, want), "%#v.%s: %s, want %s", m, name, got, want)
	}
}
