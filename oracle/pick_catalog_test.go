package oracle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPickQuestions(t *testing.T) {
	for question, want := range map[string]string{
		"pick-law policy=power-of-d:2 loads=0,1,2":                            `{"law":["2/3","1/3","0"]}`,
		"pick-law policy=power-of-d:2:replacement loads=0,1,2":                `{"law":["5/9","1/3","1/9"]}`,
		"pick-law policy=round-robin loads=0,0,0 history=2":                   `{"law":["1","0","0"]}`,
		"pick-law policy=weighted-random loads=0,0,0 weights=5,1,1":           `{"law":["5/7","1/7","1/7"]}`,
		"pick-law policy=smooth-weighted loads=0,0,0 weights=5,1,1 history=1": `{"law":["1","0","0"]}`,
		"pick-law policy=weighted-least-request loads=3,0,1 weights=4,1,2":    `{"law":["1/3","1/3","1/3"]}`,
		"pick-law policy=envoy-weighted loads=0,1,3 weights=1,2,4":            `{"law":["1/3","1/3","1/3"]}`,
		"remap scheme=hash-mod n=4":                                           `{"moved_on_join":"4/5","moved_on_leave":"3/4"}`,
		"remap scheme=rendezvous n=4":                                         `{"moved_on_join":"1/5","moved_on_leave":"1/4"}`,
		"swrr weights=5,1,1": `{"period":7,"sequence":[0,0,1,0,2,0,0],"law":["5/7","1/7","1/7"],` +
			`"largest_deviation":"4/7","largest_deviation_in_a_window":"8/7"}`,
	} {
		a := ask(t, question)
		got, err := json.Marshal(a.Values)
		require.NoError(t, err)
		require.Equal(t, want, string(got), question)
	}
}

func TestPickAnswerText(t *testing.T) {
	require.Contains(t, ask(t, "swrr weights=5,1,1").String(), "swrr weights=5,1,1\n  period")
}

func TestPickQuestionsRefuse(t *testing.T) {
	for question, want := range map[string]string{
		"pick-law policy=p2c loads=0,1":                             `oracle: pick-law: no law is spelled "p2c", want one of random,`,
		"pick-law policy=power-of-d:3 loads=0,1":                    "draws 3 distinct servers and the fleet has 2",
		"pick-law policy=random loads=0,NaN":                        "load of server 1 is NaN",
		"pick-law policy=random loads=0,-1":                         "load of server 1 is -1",
		"pick-law policy=random loads=0,1e300":                      `loads has "1e300"`,
		"pick-law policy=random loads=0,,1":                         `loads has ""`,
		"pick-law policy=random loads=0,1 weights=1":                "1 weights for 2 servers",
		"pick-law policy=random loads=0,1 weights=1,0":              `weights has "0", want positive`,
		"pick-law policy=round-robin loads=0,1 history=2":           "pick 0 of the history is 2",
		"pick-law policy=smooth-weighted loads=0,0 weights=1,65536": "longer than 65536",
		"remap scheme=mod n=2":                                      `scheme is "mod", want one of [hash-mod ring rendezvous]`,
		"remap scheme=ring n=0":                                     "n is 0, want 1 to",
		"swrr weights=1,0":                                          `weights has "0"`,
	} {
		_, err := tryAsk(question)
		require.ErrorContains(t, err, want, question)
	}
}
