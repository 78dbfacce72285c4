package oracle

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask evaluates "name key=value ..." and fails the test when that fails.
func ask(t *testing.T, question string) Answer {
	t.Helper()
	a, err := tryAsk(question)
	require.NoError(t, err)
	return a
}

func tryAsk(question string) (Answer, error) {
	words := strings.Fields(question)
	e, err := Lookup(words[0])
	if err != nil {
		return Answer{}, err
	}
	params, err := ParseParams(words[1:])
	if err != nil {
		return Answer{}, err
	}
	return e.Eval(params)
}

// number is a value of an answer that must be a float64, with its error bound.
func number(t *testing.T, a Answer, name string) (value, bound float64) {
	t.Helper()
	v, ok := a.Values.Get(name)
	require.True(t, ok, "%s has no %s", a.Oracle, name)
	bound, _ = a.Error[name].(float64)
	return v.(float64), bound
}

func TestEveryEntryAnswersItsExample(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalog() {
		t.Run(e.Name, func(t *testing.T) {
			require.False(t, seen[e.Name], "two entries have this name")
			seen[e.Name] = true
			require.NotEmpty(t, e.Doc)
			require.NotEmpty(t, e.Source)
			a := ask(t, e.Name+" "+e.Example)
			require.NotEmpty(t, a.Values)
			require.Len(t, a.Error, len(a.Values), "two values have the same name")
			require.Len(t, a.Params, len(e.Params))
			for _, v := range a.Values {
				switch bound := a.Error[v.Name].(type) {
				case float64:
					assert.True(t, bound >= 0 && !math.IsInf(bound, 1), "error of %s is %v", v.Name, bound)
				case Word:
					assert.Contains(t, []Word{Estimate, Limit}, bound)
				default:
					t.Errorf("error of %s is %v", v.Name, bound)
				}
			}
			var object map[string]any
			text, err := json.Marshal(a)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &object))
			for _, field := range []string{"oracle", "params", "values", "error", "source"} {
				assert.Contains(t, object, field)
			}
			for _, v := range a.Values {
				assert.Contains(t, a.String(), v.Name)
			}
		})
	}
}

func TestEveryEntryRefusesWhatIsNoParameter(t *testing.T) {
	for _, e := range Catalog() {
		_, err := tryAsk(e.Name + " " + e.Example + " nonsense=1")
		assert.ErrorContains(t, err, `"nonsense"`)
		for _, p := range e.Params {
			params, err := ParseParams(strings.Fields(e.Example))
			require.NoError(t, err)
			delete(params, p.Name)
			_, err = e.Eval(params)
			if p.Default == "" {
				assert.ErrorContains(t, err, p.Name+"=", "%s without %s", e.Name, p.Name)
			} else {
				assert.NoError(t, err, "%s without %s", e.Name, p.Name)
			}
			for _, malformed := range []string{"", "NaN", "-Inf", "x"} {
				params[p.Name] = malformed
				_, err = e.Eval(params)
				if assert.Error(t, err, "%s %s=%s", e.Name, p.Name, malformed) {
					assert.Contains(t, err.Error(), "want", "says what would be right")
					assert.Contains(t, err.Error(), malformed, "names the value")
				}
			}
		}
	}
}

func TestWrongParametersAreNamed(t *testing.T) {
	for question, want := range map[string]string{
		"mm2 rho=0.5":            `there is no oracle "mm2", want one of mm1`,
		"mm1 rho":                `parameter "rho", want key=value`,
		"mm1 =0.5":               `parameter "=0.5", want key=value`,
		"mm1 rho=0.5 rho=0.6":    `rho is given twice, as "0.5" and as "0.6"`,
		"mm1":                    `mm1 needs rho=..., utilization`,
		"mm1 rho=":               `rho is "", want a number`,
		"mm1 rho=1":              `rho is 1, want at least 0 and below 1`,
		"mm1 rho=-0.1":           `rho is -0.1, want`,
		"mm1 rho=+Inf":           `rho is +Inf, want`,
		"mm1 rho=1e999":          `rho is "1e999", want a number`,
		"meanfield d=2.5 rho=.5": `d is "2.5", want a whole number`,
		"meanfield d=0 rho=.5":   `d is 0, want 1 to 1000000`,
		"meanfield d=2 rho=NaN":  `rho is NaN, want`,
	} {
		_, err := tryAsk(question)
		assert.ErrorContains(t, err, want, question)
	}
}

func TestAnswerJSON(t *testing.T) {
	a := Answer{Oracle: "example", Params: map[string]any{"rho": 0.5}, Source: "none"}
	a.put("mean_time_in_system", math.Inf(1), 0.0)
	a.put("law", []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3), new(big.Rat)}, 0.0)
	a.put("tails", []float64{0.5, math.NaN()}, Limit)
	a.put("idle_pick_probability", big.NewRat(1, 2), Estimate)
	text, err := json.Marshal(a)
	require.NoError(t, err)
	want := `{"oracle":"example","params":{"rho":0.5},"values":{"mean_time_in_system":null,` +
		`"law":["2/3","1/3","0"],"tails":[0.5,null],"idle_pick_probability":"1/2"},` +
		`"error":{"idle_pick_probability":"estimate","law":0,"mean_time_in_system":0,"tails":"limit"},"source":"none"}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestAnswerText(t *testing.T) {
	a := Answer{Oracle: "example", Params: map[string]any{"rho": 0.5, "d": 2}, Source: "none"}
	a.put("mean", 1.25, 0.5)
	a.put("law", []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3)}, 0.0)
	a.put("p99", math.Inf(1), Limit)
	want := `example d=2 rho=0.5
  mean  1.25  (error at most 0.5)
  law   2/3 1/3  (exact)
  p99   undefined or infinite  (limit)
source: none
`
	if diff := cmp.Diff(want, a.String()); diff != "" {
		t.Error(diff)
	}
}

// A long list is shown in lines that begin below each other.
func TestLongListsAreWrapped(t *testing.T) {
	a := Answer{Oracle: "some", Values: Values{{"many", []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"few", []int{1, 2}}},
		Error: map[string]any{"many": 0.0, "few": Estimate}, Source: "here"}
	require.Equal(t, "some\n"+
		"  many  1 2 3 4 5 6 7 8\n"+
		"        9  (exact)\n"+
		"  few   1 2  (estimate)\n"+
		"source: here\n", a.String())
}
