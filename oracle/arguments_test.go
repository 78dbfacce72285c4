package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Numbers are echoed to the last digit, and a zero without its sign.
func TestParametersAreEchoedAsUnderstood(t *testing.T) {
	for question, want := range map[string]string{
		"mm1 rho=0.9999999999999999":                      "rho=0.9999999999999999\n",
		"mm1 rho=-0":                                      "rho=0\n",
		"mm1 rho=0.10000000000000001":                     "rho=0.1\n",
		"pick-law policy=random loads=-0,1":               "loads=0,1 ",
		"pick-law policy=random loads=0,1.00000000000001": "loads=0,1.00000000000001 ",
	} {
		assert.Contains(t, ask(t, question).String(), want, question)
	}
}

// However long a text is, what repeats it stays short and says how long it was.
func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("9", 5000)
	for _, question := range []string{
		"mm1 rho=x" + long, "mm1 x" + long, "mm1 rho=0.5 x" + long + "=1", "x" + long, "mm1 rho=" + long + " rho=" + long,
		"meanfield rho=0.5 d=" + long, "pick-law loads=1 policy=" + long, "pick-law loads=1 policy=power-of-d:" + long,
		"pick-law policy=random loads=" + strings.Repeat("1,", 1000) + "1", "remap n=2 scheme=" + long,
		"pick-law policy=random loads=1," + long, "blast d=2 n=" + long, "pick-law policy=random loads=1 history=" + long,
		"pick-law policy=random loads=1 weights=" + long,
	} {
		_, err := tryAsk(question)
		if assert.Error(t, err, question[:20]) {
			assert.Less(t, len(err.Error()), 1000, question[:20])
			assert.Contains(t, err.Error(), "want", question[:20])
		}
	}
	a := ask(t, "pick-law policy=random loads="+strings.Repeat("1,", 999)+"1")
	assert.Contains(t, a.String(), ",... (1000 values)")
	first, _, _ := strings.Cut(a.String(), "\n")
	assert.Less(t, len(first), 200)
	assert.Len(t, a.Params["loads"], 1000, "the answer itself has them all")
}

// The range of a load is said where it is exceeded, and the word at fault named.
func TestLoadsOutOfRange(t *testing.T) {
	for question, want := range map[string]string{
		"pick-law policy=random loads=1e300":    `loads is "1e300", want numbers such as 0,1,2, each 0 or from 2^-53 to 2^53`,
		"pick-law policy=random loads=0,1,1e17": `loads has "1e17", want numbers such as 0,1,2, each 0 or from 2^-53 to 2^53`,
	} {
		_, err := tryAsk(question)
		assert.ErrorContains(t, err, want)
	}
}

// An entry answered elsewhere is read by the same parser.
func TestEntryAnsweredElsewhere(t *testing.T) {
	e := Entry{Name: "mine", Params: []Param{{Name: "x"}, {Name: "n", Default: "3"}, {Name: "v", Default: "equal"}, {Name: "w"}}}.
		Answering(func(a Arguments) (answer Answer, err error) {
			x, n, v, w := a.Float("x"), a.Integer("n"), a.Floats("v", "equal"), a.Text("w")
			if a.Err() != nil {
				return answer, a.Err()
			}
			answer.put("x", x, 0.0)
			answer.put("n", n, 0.0)
			answer.put("v", v, 0.0)
			answer.put("w", w, 0.0)
			return answer, nil
		})
	a, err := e.Eval(map[string]string{"x": "0.5", "v": "1,2", "w": "word"})
	assert.NoError(t, err)
	assert.Equal(t, map[string]any{"x": 0.5, "n": 3, "v": []float64{1, 2}, "w": "word"}, a.Params)
	a, err = e.Eval(map[string]string{"x": "-0", "w": ""})
	assert.NoError(t, err)
	assert.Equal(t, map[string]any{"x": 0.0, "n": 3, "v": "equal", "w": ""}, a.Params)
	for want, params := range map[string]map[string]string{
		`oracle: mine needs x=...`:                                                            {},
		`oracle: mine: x is "y", want a number`:                                               {"x": "y", "w": ""},
		`oracle: mine: n is "1.5", want a whole number`:                                       {"x": "1", "n": "1.5", "w": ""},
		`oracle: mine: v has "y", want numbers with commas such as 1,1,0.5, or equal`:         {"x": "1", "v": "1,y", "w": ""},
		`oracle: mine: w is "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"... (1001 bytes), want at most`: {"x": "1", "w": strings.Repeat("a", 1001)},
		`oracle: mine has no parameter "z", want x, n, v, w`:                                  {"x": "1", "w": "", "z": ""},
	} {
		_, err := e.Eval(params)
		assert.ErrorContains(t, err, want)
	}
}
